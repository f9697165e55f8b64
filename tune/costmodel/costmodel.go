// Package costmodel opens the scorers that rank candidates before they are measured, by
// name: the world model, AutoScheduler's boosted trees, and random. It must not know how
// candidates are searched or measured.
package costmodel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
)

// Options say what a scorer is opened for.
type Options struct {
	Seed    uint64
	Kind    target.Kind
	Model   string            // folder of a world model; "" means the one in the program
	Online  bool              // a world model learns a correction during the search
	XGBoost string            // path of libxgboost; "" means to look for it
	Tell    func(text string) // told what a user should know of the scores; may be nil
}

// A row is a scorer.
type row struct {
	name string
	open func(o Options) (search.Scorer, error)
}

// rows is the table of scorers.
func rows() []row {
	return []row{
		{"world", func(o Options) (search.Scorer, error) { return OpenWorld(o) }},
		{"gbt", func(o Options) (search.Scorer, error) { return OpenGBT(o) }},
		{"random", func(o Options) (search.Scorer, error) { return search.Random{Seed: o.Seed}, nil }},
	}
}

// Names lists the scorers.
func Names() []string {
	var names []string
	for _, r := range rows() {
		names = append(names, r.name)
	}
	return names
}

// Default is the scorer if a user names none: the world model in the program for
// processors, or random if there is none.
func Default() string {
	if models.HasDefault(target.LLVM) {
		return "world"
	}
	return "random"
}

// Open opens the scorer of a name. The error lists the names if it is unknown;
// Unavailable tells one about what is not installed.
func Open(name string, o Options) (search.Scorer, error) {
	for _, r := range rows() {
		if r.name == name {
			return r.open(o)
		}
	}
	return nil, fmt.Errorf("scorer %q: known: %s", name, strings.Join(Names(), ", "))
}

// Unavailable reports whether a scorer cannot be opened because a library is not
// installed, or because no model is in the program.
func Unavailable(err error) bool {
	return errors.Is(err, xgboost.ErrMissing) || errors.Is(err, models.ErrNone)
}
