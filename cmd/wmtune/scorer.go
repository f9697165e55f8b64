package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker/gbt"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A scorer is a way to rank candidates before they are measured.
type scorer struct {
	name string
	open func(w scorerWants) (search.Scorer, error)
}

// scorerWants says what a scorer is opened for.
type scorerWants struct {
	seed  uint64
	kind  target.Kind
	model string            // folder of the model; "" means the one in the program
	local bool              // learn a correction during the search
	tell  func(text string) // what a user should know of the scores; may be nil
}

// scorers is the table of what --scorer can be.
func scorers() []scorer {
	return []scorer{
		{"world", openWorld},
		{"gbt", openGBT},
		{"random", func(w scorerWants) (search.Scorer, error) { return search.Random{Seed: w.seed}, nil }},
	}
}

// scorerNames lists the names of the scorers.
func scorerNames() string {
	var names []string
	for _, s := range scorers() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// defaultScorer is what ranks candidates if one does not say: the model in the
// program, if there is one.
func defaultScorer() string {
	if models.HasDefault(target.LLVM) {
		return "world"
	}
	return "random"
}

// openScorer returns the scorer of that name.
func openScorer(name string, w scorerWants) (search.Scorer, error) {
	for _, s := range scorers() {
		if s.name == name {
			return s.open(w)
		}
	}
	return nil, usagef("--scorer %q: known: %s", name, scorerNames())
}

// A gbtScorer is AutoScheduler's cost model. It is random until it has learned
// from enough records.
type gbtScorer struct {
	search.Random
	model *gbt.Model
}

func openGBT(w scorerWants) (search.Scorer, error) {
	m, err := gbt.New(os.Getenv(xgboostVariable))
	if err != nil {
		return nil, err
	}
	return &gbtScorer{search.Random{Seed: w.seed}, m}, nil
}

// Untrained reports whether the scores mean nothing yet.
func (s *gbtScorer) Untrained() bool { return !s.model.Ready() }

// Score returns a value per state.
func (s *gbtScorer) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if s.Untrained() {
		return s.Random.Score(ctx, task, states)
	}
	return s.model.Score(ctx, gbtTask(task), states)
}

// Update learns from records.
func (s *gbtScorer) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	return s.model.Update(ctx, gbtTask(task), records)
}

func gbtTask(t *search.Task) gbt.Task { return gbt.Task{DAG: t.DAG, Target: t.Target} }

// unavailable reports whether a scorer cannot be opened because a library is not
// installed, or no model is in the program.
func unavailable(err error) bool {
	return errors.Is(err, xgboost.ErrMissing) || errors.Is(err, models.ErrNone)
}
