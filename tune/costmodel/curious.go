package costmodel

import (
	"context"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Curious is a World for collecting what the next one learns from: it prefers what is fast by the model or of what
// the parts of the model say different things.
type Curious struct{ *World }

// Traits are those of the world without its closer look, which knows no doubts.
func (s *Curious) Traits() search.Traits {
	t := s.World.Traits()
	t.Refine = nil
	return t
}

// Score returns a value per state: the model's score, and the deviation of its parts.
func (s *Curious) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	scores, err := s.World.Score(ctx, task, states)
	if err != nil {
		return nil, err
	}
	spread, err := s.model.Spread(ctx, task.Workload(), states)
	if err != nil {
		return nil, err
	}
	for i, v := range spread {
		scores[i] += v
	}
	return scores, nil
}
