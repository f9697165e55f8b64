package evolve

import (
	"context"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// neighbourSlots is how many mutations are tried for each neighbour wanted: some
// fail, and some give what is known already.
const neighbourSlots = 4

// Neighbours returns up to n distinct states that are one mutation away from one of
// the parents, which take turns, and not excluded. It does not score them. The error is the context's.
func (e *Evolution) Neighbours(ctx context.Context, parents []*schedule.State, n int) ([]*schedule.State, error) {
	if len(parents) == 0 {
		return nil, nil
	}
	slots := make([]*schedule.State, neighbourSlots*n)
	err := annotate.Each(ctx, len(slots), e.Workers, func(slot int) {
		rng := annotate.Rand(^e.Seed, e.Stream, annotate.Neighbours+slot)
		for range tries {
			s, err := draw(e.Mutators, rng).Apply(e.Sampler, parents[slot%len(parents)], rng)
			if err == nil {
				slots[slot] = s
				return
			}
		}
	})
	var list []*schedule.State
	seen := map[[16]byte]bool{}
	for _, s := range slots {
		if s == nil || len(list) == n {
			continue
		}
		if sig := s.Signature(); !seen[sig] && (e.Exclude == nil || !e.Exclude(sig)) {
			seen[sig] = true
			list = append(list, s)
		}
	}
	return list, err
}
