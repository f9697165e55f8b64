package costmodel

import (
	"context"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A World ranks candidates by a trained world model, which is frozen.
type World struct{ model *models.Model }

// OpenModel opens the world model of a folder, or the one in the program.
func OpenModel(o Options) (*models.Model, error) {
	if o.Model != "" {
		return models.Open(o.Model)
	}
	return models.Default(o.Kind)
}

// OpenWorld opens a world model as a scorer.
func OpenWorld(o Options) (*World, error) {
	m, err := OpenModel(o)
	if err != nil {
		return nil, err
	}
	m.Tell = o.Tell
	return &World{m}, nil
}

// Score returns a value per state.
func (s *World) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	return s.model.Score(ctx, task.Workload(), states)
}

// Update learns nothing.
func (s *World) Update(context.Context, *search.Task, []dataset.Record) error { return nil }

// Traits says that the scorer is frozen, and looks closer at the best.
func (s *World) Traits() search.Traits {
	return search.Traits{Frozen: true, Refine: s.refine, Explain: s.explain, Forget: s.Forget}
}

func (s *World) refine(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	return s.model.Refine(ctx, task.Workload(), task.Layout, states)
}

// Promise is what a search.Scoring of partial states may be (search.Traits.Promise). Searches do without it: planning
// by it brought nothing.
func (s *World) Promise(ctx context.Context, task *search.Task, partial []*schedule.State) ([]float64, error) {
	return s.model.Promise(ctx, task.Workload(), partial)
}

func (s *World) explain(
	ctx context.Context, task *search.Task, state *schedule.State, others []*schedule.State, n int,
) (*search.Explanation, error) {
	e, err := s.model.Explain(ctx, task.Workload(), state, others, n)
	if err != nil {
		return nil, err
	}
	to := &search.Explanation{Score: e.Score, Better: e.Better, Latent: e.Latent}
	for _, c := range e.Actions {
		to.Actions = append(to.Actions, search.Contribution(c))
	}
	for _, n := range e.Nearest {
		to.Nearest = append(to.Nearest, search.NearState(n))
	}
	return to, nil
}

// Forget drops what the model remembers of a task; nil: of all tasks.
func (s *World) Forget(task *search.Task) {
	if task == nil {
		s.model.Forget()
		return
	}
	s.model.ForgetTask(task.Workload())
}
