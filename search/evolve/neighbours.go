package evolve

import (
	"context"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// neighbourSlots is how many mutations are tried for each neighbour wanted: some fail, and some give what is known
// already. leastSlots are tried in all if fewer do not give as many as are wanted: near the end of a space most
// mutations of the few that are tried for one neighbour are known.
const (
	neighbourSlots = 4
	leastSlots     = 128
)

// Neighbours returns up to n distinct states that are one mutation away from one of
// the parents, which take turns, and not excluded. It does not score them. The error is the context's.
func (e *Evolution) Neighbours(ctx context.Context, parents []*schedule.State, n int) ([]*schedule.State, error) {
	var list []*schedule.State
	seen := map[[16]byte]bool{}
	for tried := 0; len(parents) > 0 && len(list) < n && (tried == 0 || tried < leastSlots); tried += neighbourSlots * n {
		slots := make([]*schedule.State, neighbourSlots*n)
		err := annotate.Each(ctx, len(slots), e.Workers, func(i int) {
			slot := tried + i
			rng := annotate.Rand(^e.Seed, e.Stream, annotate.Neighbours+slot)
			for range tries {
				s, err := e.Step(parents[slot%len(parents)], rng)
				if err == nil {
					slots[i] = s
					return
				}
			}
		})
		if err != nil {
			return nil, err
		}
		for _, s := range slots {
			if s == nil || len(list) == n {
				continue
			}
			if sig := s.Signature(); !seen[sig] && (e.Exclude == nil || !e.Exclude(sig)) {
				seen[sig] = true
				list = append(list, s)
			}
		}
	}
	return list, nil
}
