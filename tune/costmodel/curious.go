package costmodel

import (
	"context"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Curious is a World for collecting what the next one learns from: it prefers what is fast by the model or of what
// the parts of the model say different things. Its world must not have a closer look (World.First), which knows no
// doubts.
type Curious struct{ *World }

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
