package counted

import (
	"context"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Grid proposes all configurations in the order of their numbers, those that were measured left out. A number that
// makes no state is passed over.
type Grid struct {
	next int64 // before it nothing is new
}

// Name says that no scorer guides it.
func (*Grid) Name() string { return GridName }

// Propose returns the next n configurations.
func (g *Grid) Propose(ctx context.Context, b *search.Board, n int) ([]evolve.Scored, error) {
	configs := b.Source().Traits().Configs
	if configs == nil {
		return nil, errNumbers
	}
	var states []*schedule.State
	seen := map[[16]byte]bool{}
	for ; g.next < configs.Len && len(states) < n && ctx.Err() == nil; g.next++ {
		s, err := configs.At(g.next)
		if err != nil {
			continue
		}
		if sig := s.Signature(); !seen[sig] && !b.Measured(sig) {
			seen[sig] = true
			states = append(states, s)
		}
	}
	return search.Unscored(states), ctx.Err()
}
