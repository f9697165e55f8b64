package evolve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

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
	fetches := annotate.FetchSplits(s.Steps)
	eligible := splits(s.Steps, func(i int, sp schedule.Split) bool {
		return !slices.Contains(fetches, i) && !annotate.IsLaneSplit(s.Steps, i) &&
			(annotate.IsThreadSplit(s.Steps, i) || sp.Lengths[len(sp.Lengths)-1] <= a.MaxInner)
	})
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
		case annotate.Sparse(sp.Extent) && rng.IntN(2) == 0:
			return a.Lengths(sp.Extent, len(sp.Lengths), rng)
		}
		return moveFactor(sp, a.MaxInner, rng)
	}, rng)
}

// splits returns the numbers of the steps that split a loop that runs several times and
// that may says yes to.
func splits(steps []schedule.Step, may func(i int, sp schedule.Split) bool) []int {
	var list []int
	for i, step := range steps {
		if sp, ok := step.(schedule.Split); ok && sp.InnerToOuter && sp.Extent > 1 && may(i, sp) {
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
	out, err := replay(s, steps)
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
