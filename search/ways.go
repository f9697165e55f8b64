package search

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// sample proposes sketches completed at random: those of a population as they come.
// Their scores are those of Random.
func (r *run) sample(ctx context.Context, n int) ([]evolve.Scored, error) {
	var states []*schedule.State
	seen := map[[16]byte]bool{}
	for attempt := 0; attempt < attempts && len(states) < n; attempt++ {
		// As many again, for some are known already.
		population, err := r.space.sampler.Population(r.space.sketches, 2*n, r.opt.Seed, r.stream(attempt), r.opt.Workers)
		if err != nil {
			return nil, err
		}
		for _, s := range population {
			if sig := s.Signature(); len(states) < n && !seen[sig] && !r.known.measured[sig] {
				seen[sig] = true
				states = append(states, s)
			}
		}
	}
	scores, err := Random{Seed: r.opt.Seed}.Score(ctx, r.Task, states)
	if err != nil {
		return nil, err
	}
	return scored(states, scores), ctx.Err()
}

// goodParents is how many of the fastest candidates have neighbours measured.
const goodParents = 8

// neighbours proposes states that are one mutation away from one of the fastest, in
// turns, whatever the scorer thinks of them: what a single number changes is seen
// in pairs.
func (r *run) neighbours(ctx context.Context, n int) ([]evolve.Scored, error) {
	for attempt := range attempts {
		o := r.opt.Evolution
		o.Stream = r.stream(attempt)
		e := evolve.Evolution{
			Options: o, Sampler: r.space.sampler, Mutators: r.space.mutators,
			Exclude: func(sig [16]byte) bool { return r.known.measured[sig] },
		}
		states := e.Neighbours(r.known.parents(goodParents), n)
		if len(states) == 0 {
			continue
		}
		scores, err := r.score(ctx, states)
		if err != nil {
			return nil, err
		}
		list := slices.DeleteFunc(scored(states, scores), func(s evolve.Scored) bool { return !evolve.Possible(s.Score) })
		if len(list) > 0 {
			return list, nil
		}
	}
	return nil, nil
}

// scored joins states and their scores; nil: they have none yet.
func scored(states []*schedule.State, scores []float64) []evolve.Scored {
	list := make([]evolve.Scored, len(states))
	for i, s := range states {
		list[i] = evolve.Scored{State: s, Signature: s.Signature()}
		if scores != nil {
			list[i].Score = scores[i]
		}
	}
	return list
}
