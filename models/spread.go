package models

import (
	"context"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Spread returns for each state how far the parts of the model are apart (ranker.Model.Spread), in units of the score.
// A measurement of a state of which they say different things teaches more. It is 0 of a state that cannot be scored.
func (m *Model) Spread(ctx context.Context, t workload.Task, states []*schedule.State) ([]float64, error) {
	s, err := m.session(t)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, states)
	if err != nil {
		return nil, err
	}
	spread := make([]float64, len(states))
	at, features, values := s.seen(rows, func(*row) bool { return true })
	if len(at) == 0 {
		return spread, nil
	}
	for k, v := range s.ranks().Spread(features, values) {
		spread[at[k]] = v
	}
	return spread, nil
}
