package evolve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/arith"
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
// Tiles that a stage is computed for keep their size. A tile of a reduction that suits the register file mostly
// stays one. Those of attention are drawn anew, since the rows of both its products go together.
//
// It is an error if no split has an extent above 1 and an innermost piece that
// is small enough, or if no factor can move.
func mutateTileSize(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	steps := slices.Clone(schedule.Structure(s.Steps))
	if drawn, ok := a.MutateAttention(s.DAG, steps, rng); ok {
		same := func(a, b schedule.Step) bool { return a.String() == b.String() }
		if slices.EqualFunc(drawn, steps, same) {
			return nil, errUnchanged
		}
		return a.Remake(s, drawn, rng)
	}
	splits := tileSplits(a, s, steps)
	if len(splits) == 0 {
		return nil, errors.New("evolve: no tile size to mutate")
	}
	i := splits[rng.IntN(len(splits))]
	sp := steps[i].(schedule.Split)
	var lengths []int64
	vector := annotate.IsColumnSplit(steps, i)
	if fixed := annotate.TensorPieces(s, i); fixed != nil {
		if moved := moveFactor(annotate.Loose(sp, fixed), a.MaxInner, rng); moved != nil {
			lengths = annotate.Tightened(sp, fixed, moved).Lengths
		}
	} else if a.Uneven(sp.Extent, vector) && rng.IntN(2) == 0 {
		lengths = a.Lengths(sp.Extent, len(sp.Lengths), vector, rng)
	} else {
		lengths = moveFactor(sp, a.MaxInner, rng)
	}
	if lengths == nil || slices.Equal(lengths, sp.Lengths) {
		return nil, errUnchanged
	}
	before := slices.Clone(steps)
	sp.Lengths = lengths
	steps[i] = sp
	if a.Spoils(s.DAG, before, steps, i) || a.Worsens(s.DAG, before, steps, i) && rng.Float64() >= worseShare {
		return nil, errWorse
	}
	return a.Remake(s, steps, rng)
}

// tileSplits returns the steps that split loops into tiles on a processor, but for tiles that a stage is computed
// for.
func tileSplits(a *annotate.Sampler, s *schedule.State, steps []schedule.Step) []int {
	var list, fixed []int
	for stage := range s.Stages {
		fixed = append(append(fixed, sketch.ComputedInTiles(s, stage)...), sketch.VectorSplit(s, stage))
		_, splits := sketch.ReadsPhases(s, stage)
		fixed = append(fixed, splits...)
	}
	for i, step := range steps {
		sp, ok := step.(schedule.Split)
		if ok && sp.InnerToOuter && sp.Extent > 1 && annotate.HasLengths(sp) &&
			sp.Lengths[len(sp.Lengths)-1] <= a.MaxInner && !slices.Contains(fixed, i) && !a.FillsLanes(s, i) {
			list = append(list, i)
		}
	}
	return list
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
		for _, f := range arith.Divisors(pieces[src]) {
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

// mutateAnySplit moves a factor from one piece of a split to another, as
// AutoScheduler does on GPUs: tiles, threads of loops that are not tiled, and what
// threads copy at once are splits alike, and the steps behind follow. The loop of a copy
// has another extent by now than its split says, so that it may no longer divide.
//
//	SP 3 15 512 [1, 8, 4, 2]  =>  SP 3 15 512 [1, 16, 2, 2]
//
// It is an error if no split has an extent above 1 and an innermost piece that is small
// enough, if no factor can move, or if the target cannot launch what comes out.
func mutateAnySplit(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	return changeSplit(a, s, splits(s.Steps,
		func(_ int, sp schedule.Split) bool { return sp.Lengths[len(sp.Lengths)-1] <= a.MaxInner }),
		func(_ int, sp schedule.Split) []int64 { return moveFactor(sp, a.MaxInner, rng) }, rng)
}

// mutateSplit changes a split other than those of copies: a tile as mutateAnySplit does,
// or, for an extent with few divisors, by drawing its lengths anew half of the time; a
// number of threads by drawing another. A tile that suits the threads mostly stays one.
//
// It is an error if there is no such split, or if the target cannot launch what comes
// out.
func mutateSplit(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	eligible := gpuSplits(a, s)
	tensor := func(i int) []bool { return annotate.TensorPieces(s, i) }
	return changeSplit(a, s, eligible, func(i int, sp schedule.Split) []int64 {
		switch {
		case annotate.IsThreadSplit(s.Steps, i):
			counts := a.ThreadCounts(sp.Extent)
			return []int64{counts[rng.IntN(len(counts))]}
		case tensor(i) != nil:
			loose := annotate.Loose(sp, tensor(i))
			if lengths := moveFactor(loose, loose.Extent, rng); lengths != nil {
				return annotate.Tightened(sp, tensor(i), lengths).Lengths
			}
			return nil
		case arith.Sparse(sp.Extent) && rng.IntN(2) == 0:
			return a.Lengths(sp.Extent, len(sp.Lengths), false, rng)
		}
		return moveFactor(sp, a.MaxInner, rng)
	}, rng)
}

// gpuSplits returns the steps that split loops into tiles, or into threads, on a GPU.
func gpuSplits(a *annotate.Sampler, s *schedule.State) []int {
	fetches := annotate.FetchSplits(s.Steps)
	return splits(s.Steps, func(i int, sp schedule.Split) bool {
		return !slices.Contains(fetches, i) && !annotate.IsLaneSplit(s.Steps, i) &&
			(annotate.IsThreadSplit(s.Steps, i) || sp.Lengths[len(sp.Lengths)-1] <= a.MaxInner)
	})
}

// splits returns the numbers of the steps that split a loop that runs several times and
// that may says yes to. The axis of the parts of divided sums stays with the blocks.
func splits(steps []schedule.Step, may func(i int, sp schedule.Split) bool) []int {
	var list []int
	for i, step := range steps {
		sp, ok := step.(schedule.Split)
		if ok && sp.InnerToOuter && sp.Extent > 1 && annotate.HasLengths(sp) && may(i, sp) &&
			!annotate.IsPartsSplit(steps, i) {
			list = append(list, i)
		}
	}
	return list
}

// changeSplit gives one of the listed splits other lengths.
func changeSplit(
	a *annotate.Sampler, s *schedule.State, list []int, change func(i int, sp schedule.Split) []int64, rng *rand.Rand,
) (*schedule.State, error) {
	if len(list) == 0 {
		return nil, errors.New("evolve: no tile size to mutate")
	}
	i := list[rng.IntN(len(list))]
	sp := s.Steps[i].(schedule.Split)
	lengths := change(i, sp)
	if lengths == nil || slices.Equal(lengths, sp.Lengths) {
		return nil, errUnchanged
	}
	sp.Lengths = lengths
	steps := slices.Clone(s.Steps)
	steps[i] = sp
	if a.Spoils(s.DAG, s.Steps, steps, i) || a.Worsens(s.DAG, s.Steps, steps, i) && rng.Float64() >= worseShare {
		return nil, errWorse
	}
	return refitted(a, s, steps)
}

// refitted returns the state of steps on a GPU, if the target can launch it.
func refitted(a *annotate.Sampler, s *schedule.State, steps []schedule.Step) (*schedule.State, error) {
	out, err := schedule.ReplayBound(s.DAG, steps)
	if err != nil {
		return nil, err
	}
	if out, err = a.Refit(out); err != nil {
		return nil, err
	}
	if err := a.Check(out, a.Target); err != nil {
		return nil, fmt.Errorf("evolve: %w", err)
	}
	return out, nil
}
