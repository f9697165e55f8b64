package search

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// The names that records have as their scorer if none chose them.
const (
	SampledName   = "random"
	NeighbourName = "neighbour"
)

// Sample proposes candidates drawn at random, as they come. Their scores are those of Random.
type Sample struct{}

// Name is that of random choices.
func (Sample) Name() string { return SampledName }

// Propose draws candidates.
func (Sample) Propose(ctx context.Context, b *Board, n int) ([]evolve.Scored, error) {
	r := b.run
	var states []*schedule.State
	seen := map[[16]byte]bool{}
	for attempt := 0; attempt < Attempts && len(states) < n; attempt++ {
		// As many again, for some are known already.
		population, err := annotate.Draw(ctx, 2*n, r.opt.Seed, r.stream(attempt), r.opt.Workers, r.source.Sample)
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

// goodParents is how many of the fastest candidates have neighbours measured. If there is none that is new and
// can be lowered, four times as many have, and then as many again by four.
const goodParents = 8

// Neighbours proposes candidates that are one decision away from one of the fastest, in turns, whatever the scorer
// thinks of them: what a single number changes is seen in pairs.
type Neighbours struct{}

// Name is that of neighbours.
func (Neighbours) Name() string { return NeighbourName }

// Propose takes a decision of the fastest anew.
func (Neighbours) Propose(ctx context.Context, b *Board, n int) ([]evolve.Scored, error) {
	r := b.run
	for attempt := range Attempts {
		e := evolve.Evolution{
			Options: evolve.Options{Seed: r.opt.Seed, Stream: r.stream(attempt), Workers: r.opt.Workers}, Step: r.source.Step,
			Exclude: func(sig [16]byte) bool { return r.known.measured[sig] },
		}
		states, err := e.Neighbours(ctx, r.known.parents(goodParents<<(2*attempt)), n)
		if err != nil {
			return nil, err
		}
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
