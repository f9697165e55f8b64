package costmodel

import (
	"context"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A World ranks candidates by a trained world model, which is frozen unless it was opened
// to learn online.
type World struct {
	model  *models.Model
	online bool
	greedy bool
	first  bool // without a closer look
}

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
	return &World{model: m, online: o.Online}, nil
}

// Score returns a value per state.
func (s *World) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	return s.model.Score(ctx, task.Workload(), states)
}

// Update learns from records, if the scorer was opened to.
func (s *World) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	if !s.online {
		return nil
	}
	return s.model.Update(ctx, task.Workload(), records)
}

// Explain says why a state scores as it does, beside others of its task.
func (s *World) Explain(
	ctx context.Context, task *search.Task, state *schedule.State, others []*schedule.State, n int,
) (*models.Explanation, error) {
	return s.model.Explain(ctx, task.Workload(), state, others, n)
}

// Refine implements search.Refiner, if the model has a refiner.
func (s *World) Refine(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if s.first {
		return nil, nil
	}
	return s.model.Refine(ctx, task.Workload(), task.Layout, states)
}

// First returns the scorer without the closer look of its refiner.
func (s *World) First() *World {
	first := *s
	first.first = true
	return &first
}

// ForgetTask drops what the model remembers of a task.
func (s *World) ForgetTask(task *search.Task) { s.model.ForgetTask(task.Workload()) }

// Forget drops what the model remembers of tasks that were scored.
func (s *World) Forget() { s.model.Forget() }

// Frozen implements search.FrozenModel: what a correction learns in a search comes too late to
// find what the model overlooks.
func (s *World) Frozen() bool { return !s.greedy }

// Greedy returns the scorer with no places kept in a round for what it overlooks.
func (s *World) Greedy() *World {
	greedy := *s
	greedy.greedy = true
	return &greedy
}

// Planned returns the scorer as a search.Planner.
func (s *World) Planned() *Planned { return &Planned{s} }

// A Planned is a World that also says what partial schedules promise.
type Planned struct{ *World }

// Promise implements search.Planner.
func (s *Planned) Promise(ctx context.Context, task *search.Task, partial []*schedule.State) ([]float64, error) {
	return s.model.Promise(ctx, task.Workload(), partial)
}
