package main

import (
	"os"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// scorerNames lists the names of the scorers.
func scorerNames() string { return strings.Join(costmodel.Names(), ", ") }

// scorerOptions are those of a scorer for a kind of target.
func scorerOptions(seed uint64, kind target.Kind, tell func(text string)) costmodel.Options {
	return costmodel.Options{Seed: seed, Kind: kind, XGBoost: os.Getenv(xgboostVariable), Tell: tell}
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
