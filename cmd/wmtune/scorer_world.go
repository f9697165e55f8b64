package main

import (
	"context"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A worldScorer ranks candidates by a trained model, which is frozen unless it was
// opened to learn a correction.
type worldScorer struct {
	model *models.Model
	local bool
}

// openModel opens a model's folder, or the model in the program.
func openModel(w scorerWants) (*models.Model, error) {
	if w.model != "" {
		return models.Open(w.model)
	}
	return models.Default(w.kind)
}

// openWorld makes a scorer of a model.
func openWorld(w scorerWants) (search.Scorer, error) {
	m, err := openModel(w)
	if err != nil {
		return nil, err
	}
	m.Tell = w.tell
	return &worldScorer{m, w.local}, nil
}

// Score returns a value per state.
func (s *worldScorer) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	return s.model.Score(ctx, worldTask(task), states)
}

// Update learns from records, if the scorer is to.
func (s *worldScorer) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	if !s.local {
		return nil
	}
	return s.model.Update(ctx, worldTask(task), records)
}

// Frozen implements search.FrozenModel: what a correction learns in a search comes too late to
// find what the model overlooks.
func (s *worldScorer) Frozen() bool { return true }

func worldTask(t *search.Task) models.Task { return models.Task{DAG: t.DAG, Target: t.Target} }
