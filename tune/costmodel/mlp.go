package costmodel

import (
	"context"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker/mlp"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An MLP is Felix's cost model: a network on the features of statements, which tells its slopes. It is random
// until it has learned from enough records.
type MLP struct {
	search.Random
	model *mlp.Model
}

// OpenMLP opens a cost model that has learned nothing yet.
func OpenMLP(o Options) *MLP { return &MLP{search.Random{Seed: o.Seed}, mlp.New(o.Seed)} }

// Traits says whether the scorer has learned enough.
func (s *MLP) Traits() search.Traits {
	return search.Traits{Untrained: !s.model.Ready(), Relax: s.relax, Pretrain: s.Pretrain}
}

func (s *MLP) relax(task *search.Task, state *schedule.State, free func(step int) bool) (search.Relaxed, error) {
	r, err := s.model.Relax(state, float64(task.Target.Hardware.CacheLineBytes), free)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Score returns a value per state.
func (s *MLP) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if !s.model.Ready() {
		return s.Random.Score(ctx, task, states)
	}
	return s.model.Score(ctx, task.Workload(), states)
}

// Update learns from records.
func (s *MLP) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	if err := s.model.Add(ctx, task.Workload(), records); err != nil {
		return err
	}
	return s.model.Train()
}

// Pretrain learns from tuning logs, as GBT.Pretrain does.
func (s *MLP) Pretrain(ctx context.Context, logs []string, tell func(text string)) error {
	return pretrain(ctx, s.model, logs, tell)
}
