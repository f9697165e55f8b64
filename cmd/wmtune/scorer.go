package main

import (
	"os"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// scorerNames lists the names of the scorers.
func scorerNames() string { return strings.Join(costmodel.Names(), ", ") }

// scorerOptions are those of a scorer for a kind of target.
func scorerOptions(seed uint64, kind target.Kind, tell func(text string)) costmodel.Options {
	return costmodel.Options{Seed: seed, Kind: kind, XGBoost: os.Getenv(xgboostVariable), Tell: tell}
}

// openScorer opens the scorer of that name for a command. An unknown name is bad usage.
func openScorer(name string, o costmodel.Options) (search.Scorer, error) {
	if !slices.Contains(costmodel.Names(), name) {
		return nil, usagef("unknown scorer %q; known: %s", name, scorerNames())
	}
	return costmodel.Open(name, o)
}

// A logList is the value of a flag that may be given several times.
type logList []string

func (l *logList) String() string { return strings.Join(*l, " ") }

// Type says what the values are.
func (l *logList) Type() string { return "log" }

// Set adds a log.
func (l *logList) Set(path string) error {
	*l = append(*l, path)
	return nil
}
