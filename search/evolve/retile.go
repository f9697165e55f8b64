package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Tiles returns the steps of a state that split loops into tiles of any lengths: those that instructions fix, or
// other steps, are not among them.
func Tiles(a *annotate.Sampler, s *schedule.State) []int {
	list := gpuSplits
	if a.Target.Kind == target.LLVM {
		list = func(a *annotate.Sampler, s *schedule.State) []int {
			return tileSplits(a, s, schedule.Structure(s.Steps))
		}
	}
	return slices.DeleteFunc(list(a, s), func(i int) bool {
		return annotate.TensorPieces(s, i) != nil || annotate.IsThreadSplit(s.Steps, i)
	})
}

// Retile returns a state with other lengths of tiles, by step. The decisions on loops are taken anew. It is an
// error if the lengths spoil a tile, or if what comes out is not worth scoring.
func Retile(
	a *annotate.Sampler, s *schedule.State, lengths map[int][]int64, rng *rand.Rand,
) (*schedule.State, error) {
	steps := slices.Clone(s.Steps)
	if a.Target.Kind == target.LLVM {
		steps = slices.Clone(schedule.Structure(s.Steps))
	}
	before := slices.Clone(steps)
	for i, l := range lengths {
		sp, ok := steps[i].(schedule.Split)
		if !ok || len(sp.Lengths) != len(l) {
			return nil, errors.New("evolve: lengths of what is no split, or of another")
		}
		sp.Lengths = l
		steps[i] = sp
	}
	for i := range lengths {
		if a.Spoils(s.DAG, before, steps, i) {
			return nil, errWorse
		}
	}
	if a.Target.Kind == target.LLVM {
		return a.Remake(s, steps, rng)
	}
	return refitted(a, s, steps)
}
