package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// worseShare is the share of those mutations that are kept of which the tile of a
// reduction suits the register file less well than before. Most factors that move
// spoil a good tile: after two generations without a scorer that knows better,
// tiles would be as if drawn uniformly.
const worseShare = 0.2

var errWorse = errors.New("evolve: the mutation spoils a register tile")

// mutateTileSize moves a factor from one piece of a split to another, or, for
// an extent with few divisors, draws the lengths anew half of the time. The
// loop decisions are taken anew.
//
//	SP 2 0 512 [2, 1, 4]  =>  SP 2 0 512 [2, 2, 4]
//
// A tile of a reduction that suits the register file mostly stays one.
//
// It is an error if no split has an extent above 1 and an innermost piece that
// is small enough, or if no factor can move.
func mutateTileSize(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	steps := slices.Clone(schedule.Structure(s.Steps))
	var splits []int
	for i, step := range steps {
		sp, ok := step.(schedule.Split)
		if ok && sp.InnerToOuter && sp.Extent > 1 && sp.Lengths[len(sp.Lengths)-1] <= a.MaxInner {
			splits = append(splits, i)
		}
	}
	if len(splits) == 0 {
		return nil, errors.New("evolve: no tile size to mutate")
	}
	i := splits[rng.IntN(len(splits))]
	sp := steps[i].(schedule.Split)
	var lengths []int64
	if annotate.Sparse(sp.Extent) && rng.IntN(2) == 0 {
		lengths = a.Lengths(sp.Extent, len(sp.Lengths), rng)
	} else {
		lengths = moveFactor(sp, a.MaxInner, rng)
	}
	if lengths == nil || slices.Equal(lengths, sp.Lengths) {
		return nil, errUnchanged
	}
	before := slices.Clone(steps)
	sp.Lengths = lengths
	steps[i] = sp
	if a.Worsens(s.DAG, before, steps, i) && rng.Float64() >= worseShare {
		return nil, errWorse
	}
	return a.Remake(s, steps, rng)
}

// moveFactor divides one piece by a factor and multiplies another by it. The
// pieces are paired in a random cyclic order; the first pair that allows a
// factor is taken. The innermost piece never exceeds maxInner. It returns nil
// if no pair does.
//
// The outermost piece is what remains, rounded up: if the lengths do not divide
// the extent, moving a factor out of it rounds anew.
func moveFactor(sp schedule.Split, maxInner int64, rng *rand.Rand) []int64 {
	pieces := append([]int64{1}, sp.Lengths...)
	inner := int64(1)
	for _, l := range sp.Lengths {
		inner *= l
	}
	pieces[0] = (sp.Extent + inner - 1) / inner
	order := rng.Perm(len(pieces))
	for k, src := range order {
		dst := order[(k+1)%len(order)]
		var factors []int64
		for _, f := range annotate.Divisors(pieces[src]) {
			if f > 1 && (dst != len(pieces)-1 || f*pieces[dst] <= maxInner) {
				factors = append(factors, f)
			}
		}
		if src == dst || len(factors) == 0 {
			continue
		}
		f := factors[rng.IntN(len(factors))]
		pieces[src] /= f
		pieces[dst] *= f
		return pieces[1:]
	}
	return nil
}
