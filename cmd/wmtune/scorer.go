package main

import (
	"os"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// scorerNames lists the names of the scorers, but for commands.
func scorerNames() string { return strings.Join(costmodel.Names(), ", ") }

// scorerOptions are those of a scorer for a kind of target.
func scorerOptions(seed uint64, kind target.Kind, tell func(text string)) costmodel.Options {
	return costmodel.Options{Seed: seed, Kind: kind, XGBoost: os.Getenv(xgboostVariable), Tell: tell}
}
