// Package costmodel opens the scorers that rank candidates before they are measured, by
// name: the world model, AutoScheduler's boosted trees, Felix's network, random, and commands. It must not
// know how candidates are searched or measured.
package costmodel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker/autotvm"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// Options say what a scorer is opened for.
type Options struct {
	Seed     uint64
	Kind     target.Kind
	Model    string            // folder of a world model; "" means the one in the program
	XGBoost  string            // path of libxgboost; "" means to look for it
	Tell     func(text string) // told what a user should know of the scores; may be nil
	Client   string            // this program and its version, for a command
	Until    time.Time         // a command is not asked after that; zero: it always is
	variants string            // of an XGB or a TreeGRU

	Last bool // Score of a command is search.ErrTimeOver after Until; else the default scorer's
}

// A row is a scorer.
type row struct {
	name string
	open func(o Options) (search.Scorer, error)
}

// rows is the table of scorers.
func rows() []row {
	list := []row{
		{"world", func(o Options) (search.Scorer, error) { return OpenWorld(o) }},
		{"gbt", func(o Options) (search.Scorer, error) { return OpenGBT(o) }},
		{"mlp", func(o Options) (search.Scorer, error) { return OpenMLP(o), nil }},
		{gru, func(o Options) (search.Scorer, error) { return OpenTreeGRU(o) }},
		{"random", func(o Options) (search.Scorer, error) { return search.Random{Seed: o.Seed}, nil }},
	}
	for _, f := range autotvm.AllFeatures {
		name := xgb + string(f)
		list = append(list, row{name, func(o Options) (search.Scorer, error) { return OpenXGB(name+":"+o.variants, o) }})
	}
	return list
}

// Sloped lists the scorers that tell slopes (search.Traits.Relax).
func Sloped() []string { return []string{"mlp", gru} }

// HasSlopes reports whether a scorer tells slopes.
func HasSlopes(name string) bool {
	base, _ := cutVariants(name)
	return slices.Contains(Sloped(), base)
}

// Exec begins the name of a scorer that is a command, as in "exec:python3 scorer.py".
const Exec = "exec:"

// Help lists what Open opens.
func Help() string { return strings.Join(Names(), ", ") + ", " + Exec + "COMMAND" }

// Known reports whether Open knows a name.
func Known(name string) bool {
	command, exec := strings.CutPrefix(name, Exec)
	return IsModel(name) || exec && strings.TrimSpace(command) != ""
}

// IsModel reports whether a name is one of Names, or a variant of one.
func IsModel(name string) bool {
	base, variants := cutVariants(name)
	if strings.HasPrefix(name, xgb) {
		if _, err := xgbOptions(name); err != nil {
			return false
		}
	} else if variants != "" && variants != "reg" {
		return false
	}
	return slices.Contains(Names(), base)
}

// cutVariants cuts a name before the variants of a scorer that has some.
func cutVariants(name string) (base, variants string) {
	if strings.HasPrefix(name, xgb) || strings.HasPrefix(name, gru+":") {
		base, variants, _ = strings.Cut(name, ":")
		return base, variants
	}
	return name, ""
}

// Names lists the scorers, but for commands.
func Names() []string {
	var names []string
	for _, r := range rows() {
		names = append(names, r.name)
	}
	return names
}

// Default is the scorer if a user names none: the world model in the program for
// processors, or random if there is none.
func Default() string { return DefaultFor(target.LLVM) }

// DefaultFor is Default for a kind of target.
func DefaultFor(kind target.Kind) string {
	if models.HasDefault(kind) {
		return "world"
	}
	return "random"
}

// Open opens the scorer of a name. The error lists the names if it is unknown;
// Unavailable tells one about what is not installed. The caller calls Close of the scorer's traits, if it has one.
func Open(ctx context.Context, name string, o Options) (search.Scorer, error) {
	if !Known(name) {
		return nil, fmt.Errorf("scorer %q: known: %s", name, Help())
	}
	var base string
	base, o.variants = cutVariants(name)
	for _, r := range rows() {
		if r.name == base {
			return r.open(o)
		}
	}
	c, err := scorerservice.OpenCommand(ctx, scorerservice.CommandOptions{
		Command: strings.TrimPrefix(name, Exec), Client: o.Client, Until: o.Until, Last: o.Last,
		Tell: o.Tell,
		Substitute: func() (search.Scorer, string, error) {
			name := DefaultFor(o.Kind)
			s, err := Open(ctx, name, Options{Seed: o.Seed, Kind: o.Kind, Tell: o.Tell})
			return s, name, err
		},
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Unavailable reports whether a scorer cannot be opened because a library is not
// installed, or because no model is in the program.
func Unavailable(err error) bool {
	return errors.Is(err, xgboost.ErrMissing) || errors.Is(err, models.ErrNone)
}
