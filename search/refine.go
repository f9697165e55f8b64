package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Refiner is a Scorer with a second, closer look at states, which takes too long for all states of an evolution. What
// evolution under Score finds best is put into the order of Refine before candidates are chosen.
type Refiner interface {
	// Refine returns one value per state, in order; higher is faster, comparable within one call and with no value of
	// Score. A state that cannot be lowered scores -Inf. Nil: there is no closer look at states of this task, and those of
	// Score stand. No states are asked about to find out which it is.
	Refine(ctx context.Context, task *Task, states []*schedule.State) ([]float64, error)
}

// refined is how many of the best states a Refiner looks at, of an evolution of a large round more.
const refined = 256

// looks returns how many of an evolution's best states are wanted to choose n candidates of. Evolution goes another way
// if it keeps more of them, so it keeps no more than n where nobody looks closer.
func (r *run) looks(ctx context.Context, n int) int {
	if refiner, ok := r.Scorer.(Refiner); ok {
		if scores, err := refiner.Refine(ctx, r.Task, nil); err == nil && scores != nil {
			return max(n, refined)
		}
	}
	return n
}

// closer asks the scorer for its closer look at states; nil if it has none.
func (r *run) closer(ctx context.Context, states []*schedule.State) ([]float64, error) {
	refiner, ok := r.Scorer.(Refiner)
	if !ok || len(states) == 0 {
		return nil, nil
	}
	scores, err := refiner.Refine(ctx, r.Task, states)
	switch {
	case err != nil:
		return nil, fmt.Errorf("search: scorer: %w", err)
	case scores != nil && len(scores) != len(states):
		return nil, fmt.Errorf("search: the scorer returned %d refined scores for %d states", len(scores), len(states))
	}
	return scores, nil
}

// judge returns the last word on states: that of the scorer's closer look, if it has one.
func (r *run) judge(ctx context.Context, states []*schedule.State) ([]float64, error) {
	if scores, err := r.closer(ctx, states); err != nil || scores != nil {
		return scores, err
	}
	return r.score(ctx, states)
}

// refine returns the first n of a list in the order of the scorer's closer look; the list as it is if the scorer has
// none.
func (r *run) refine(ctx context.Context, list []evolve.Scored, n int) ([]evolve.Scored, error) {
	first := slices.Clone(list[:min(len(list), n)])
	states := make([]*schedule.State, len(first))
	for i, s := range first {
		states[i] = s.State
	}
	scores, err := r.closer(ctx, states)
	if err != nil || scores == nil {
		return list, err
	}
	for i := range first {
		first[i].Score = scores[i]
	}
	first = slices.DeleteFunc(first, func(s evolve.Scored) bool { return !evolve.Possible(s.Score) })
	slices.SortFunc(first, evolve.BestFirst)
	return first, nil
}
