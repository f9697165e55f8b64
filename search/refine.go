package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// refined is how many of the best states are refined, of an evolution of a large round more.
const refined = 256

// looks returns how many of an evolution's best states are wanted to choose n candidates of. Evolution goes another way
// if it keeps more of them, so it keeps no more than n where nobody looks closer.
func (r *run) looks(ctx context.Context, n int) int {
	if refine := r.Scorer.Traits().Refine; refine != nil {
		if scores, err := refine(ctx, r.Task, nil); err == nil && scores != nil {
			return max(n, refined)
		}
	}
	return n
}

// closer asks the scorer for its closer look at states; nil if it has none.
func (r *run) closer(ctx context.Context, states []*schedule.State) ([]float64, error) {
	refine := r.Scorer.Traits().Refine
	if refine == nil || len(states) == 0 {
		return nil, nil
	}
	scores, err := refine(ctx, r.Task, states)
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
