package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// mutateBlocks draws the pieces of one axis of a product of blocks anew; the virtual threads stay where they are.
//
//	SP 3 0 56 [2, 7, 1]  =>  SP 3 0 56 [2, 14, 1]
func mutateBlocks(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	steps := slices.Clone(schedule.Structure(s.Steps))
	var list []int
	for i, step := range steps {
		if sp, ok := step.(schedule.Split); ok && sp.Extent > sp.Lengths[len(sp.Lengths)-1] {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("evolve: no tile size to mutate")
	}
	i := list[rng.IntN(len(list))]
	sp := steps[i].(schedule.Split)
	drawn := a.DrawBlocks(sp, annotate.IsThreaded(sp), rng)
	if slices.Equal(drawn.Lengths, sp.Lengths) {
		return nil, errUnchanged
	}
	steps[i] = drawn
	return a.Remake(s, steps, rng)
}
