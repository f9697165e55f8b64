package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker/gbt"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A scorer is a way to rank candidates before they are measured.
type scorer struct {
	name string
	open func(seed uint64) (search.Scorer, error)
}

// scorers is the table of what --scorer can be.
func scorers() []scorer {
	return []scorer{
		{"random", func(seed uint64) (search.Scorer, error) { return search.Random{Seed: seed}, nil }},
		{"gbt", openGBT},
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

// openScorer returns the scorer of that name.
func openScorer(name string, seed uint64) (search.Scorer, error) {
	for _, s := range scorers() {
		if s.name == name {
			return s.open(seed)
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

func openGBT(seed uint64) (search.Scorer, error) {
	m, err := gbt.New(os.Getenv("WMTUNE_XGBOOST"))
	if err != nil {
		return nil, err
	}
	return &gbtScorer{search.Random{Seed: seed}, m}, nil
}

// Blind reports whether the scores mean nothing yet.
func (s *gbtScorer) Blind() bool { return !s.model.Ready() }

// Score returns a value per state.
func (s *gbtScorer) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if s.Blind() {
		return s.Random.Score(ctx, task, states)
	}
	return s.model.Score(ctx, gbtTask(task), states)
}

// Update learns from records.
func (s *gbtScorer) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	return s.model.Update(ctx, gbtTask(task), records)
}

func gbtTask(t *search.Task) gbt.Task { return gbt.Task{DAG: t.DAG, Target: t.Target} }

// lacksLibrary reports whether a scorer cannot be opened because a library is
// not installed.
func lacksLibrary(err error) bool { return errors.Is(err, xgboost.ErrMissing) }
