package costmodel

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker/treegru"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A TreeGRU is AutoTVM's neural cost model: a recurrent network over the loops of a program, which tells its slopes. It
// is random until it has learned from records.
type TreeGRU struct {
	search.Random
	model *treegru.Model
}

// gru is the name of a TreeGRU. Behind a colon may stand reg: it predicts speeds.
const gru = "treegru"

// OpenTreeGRU opens a cost model that has learned nothing yet. The error tells what is wrong with its variant.
func OpenTreeGRU(o Options) (*TreeGRU, error) {
	if o.variants != "" && o.variants != "reg" {
		return nil, fmt.Errorf("scorer %s: unknown variant %q: known is reg", gru, o.variants)
	}
	return &TreeGRU{
		search.Random{Seed: o.Seed}, treegru.New(treegru.Options{Regression: o.variants == "reg", Seed: o.Seed}),
	}, nil
}

// Traits says whether the scorer has learned anything.
func (s *TreeGRU) Traits() search.Traits {
	return search.Traits{Untrained: !s.model.Ready(), Relax: s.relax, Pretrain: s.Pretrain}
}

func (s *TreeGRU) relax(_ *search.Task, state *schedule.State, free func(step int) bool) (search.Relaxed, error) {
	r, err := s.model.Relax(state, free)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Score returns a value per state.
func (s *TreeGRU) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if !s.model.Ready() {
		return s.Random.Score(ctx, task, states)
	}
	return s.model.Score(ctx, task.Workload(), states)
}

// Update learns from records.
func (s *TreeGRU) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	return s.model.Update(ctx, task.Workload(), records)
}

// Pretrain learns from tuning logs of other tasks, as XGB.Pretrain.
func (s *TreeGRU) Pretrain(ctx context.Context, logs []string, tell func(text string)) error {
	return pretrain(ctx, s.model, logs, tell)
}
