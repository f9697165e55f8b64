package models

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/transition"
)

// An Explanation says why a state scores as it does.
type Explanation struct {
	Score  float64
	Better int // states among the others that score higher

	// Actions are the steps of the state, but for those that the score passes over
	// (schedule.Beyond), with what each contributes: the value of the
	// rolled-out state less that of the rollout without the step (leave-one-out). Nil
	// if the score uses no such value.
	Actions []Contribution

	// Nearest are the others whose predicted states, or else features, are nearest.
	Nearest []Neighbour
	Latent  bool // distances are of predicted states
}

// A Contribution is what a step adds to the value of a state.
type Contribution struct {
	Action string // transition.Action.Text
	Value  float64
}

// A Neighbour is one of the other states.
type Neighbour struct {
	Index    int
	Distance float64
	Score    float64
}

// Explain explains the score of a state beside others of its task, such as those that
// were measured; those with its signature are passed over. It names up to n nearest.
func (m *Model) Explain(ctx context.Context, t workload.Task, state *schedule.State, others []*schedule.State, n int,
) (*Explanation, error) {
	s, err := m.session(t)
	if err != nil {
		return nil, err
	}
	rows, err := s.find(ctx, append([]*schedule.State{state}, others...), s.roller != nil)
	if err != nil {
		return nil, err
	}
	if rows[0].err != nil {
		return nil, fmt.Errorf("models: the state cannot be scored: %w", rows[0].err)
	}
	scores, err := s.global(rows)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Score: scores[0], Latent: s.roller != nil}
	own := state.Signature()
	for i, other := range others {
		if scores[i+1] > scores[0] {
			e.Better++
		}
		if rows[i+1].err == nil && other.Signature() != own {
			e.Nearest = append(e.Nearest, Neighbour{i, apart(rows[0], rows[i+1], e.Latent), scores[i+1]})
		}
	}
	slices.SortStableFunc(e.Nearest, func(a, b Neighbour) int { return cmp.Compare(a.Distance, b.Distance) })
	e.Nearest = e.Nearest[:min(n, len(e.Nearest))]
	if s.roller != nil && m.parts.valued {
		known, err := schedule.Conventional(state, s.groups) // what the score is of
		if err != nil {
			return nil, fmt.Errorf("models: %w", err)
		}
		if e.Actions, err = m.parts.transition.contributions(s.z0, t, known); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// apart is the Euclidean distance of predicted states, or of features.
func apart(a, b row, latent bool) float64 {
	x, y := a.features, b.features
	if latent {
		x, y = a.latent, b.latent
	}
	sum := 0.0
	for i, v := range x {
		d := float64(v) - float64(y[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// contributions rolls the steps of a state out, all and without each.
func (r rolls) contributions(z0 []float32, t workload.Task, state *schedule.State) ([]Contribution, error) {
	vectors, err := transition.Vectors(t.DAG, state.Steps)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	all := make([]int32, len(state.Steps))
	for i := range all {
		all[i] = int32(i)
	}
	g := transition.Group{Start: transition.Start(z0, t.DAG, t.Target), Samples: []transition.Sample{{Actions: all}}}
	for i := range all {
		without := slices.Delete(slices.Clone(all), i, i+1)
		g.Samples = append(g.Samples, transition.Sample{Actions: without})
	}
	samples := make([]*transition.Sample, len(g.Samples))
	for i := range samples {
		samples[i] = &g.Samples[i]
	}
	values := r.Model.Score(&transition.Data{Actions: vectors, Groups: []transition.Group{g}}, 0, samples)
	list := make([]Contribution, len(all))
	at := transition.NewPath(t.DAG)
	for i, step := range state.Steps {
		a := at.Resolve(step)
		list[i] = Contribution{a.Text(), values[0] - values[i+1]}
		if at, err = at.Apply(step); err != nil {
			return nil, fmt.Errorf("models: %w", err)
		}
	}
	return list, nil
}
