package main

import (
	"os"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// scorerNames lists the names of the scorers, but for commands.
func scorerNames() string { return strings.Join(costmodel.Names(), ", ") }

// checkScorer rejects an unknown scorer, and a model with another one than world. Commands, exec:COMMAND, may be
// scorers.
func checkScorer(name, model string, commands bool) error {
	known, ok := scorerNames(), costmodel.IsModel(name)
	if commands {
		known, ok = costmodel.Help(), costmodel.Known(name)
	}
	switch {
	case !ok:
		return usagef("unknown scorer %q: known are %s", name, known)
	case model != "" && name != "world":
		return usagef("--model needs --scorer world, not %s", name)
	}
	return nil
}

// scorerOptions are those of a scorer for a kind of target.
func scorerOptions(seed uint64, kind target.Kind, tell func(text string)) costmodel.Options {
	return costmodel.Options{Seed: seed, Kind: kind, XGBoost: os.Getenv(xgboostVariable), Tell: tell}
}
