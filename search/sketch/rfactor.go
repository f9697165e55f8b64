package sketch

import (
	"github.com/wmtune/wmtune/tir/schedule"
)

// JobsPerCore is how many iterations of the parallel loops each core should
// have, so that uneven ones even out.
const JobsPerCore = 16

// whenFactored holds for reductions whose spatial loops give too little to do
// in parallel: those that would be tiled, if their spatial loops are smaller
// than their reduce loops and than 16 iterations a core; others, if they reduce
// more elements than there are cores. Stages made by a cache write are not
// factored again, and sums that start from another number than 0 never.
func whenFactored(g *Generator, s *schedule.State, stage int) Verdict {
	op := s.Stages[stage].Op
	if op.IsPlaceholder() || isCacheWritten(s, stage) || op.Combine != nil && !op.Combine.Neutral() {
		return Skip
	}
	space, reduce := extents(s.Stages[stage])
	cores := int64(g.Target.Hardware.Cores)
	if NeedsTiling(s, stage) {
		if space > reduce || space > cores*JobsPerCore {
			return Skip
		}
		return Apply
	}
	if reduce > 1 && reduce > cores {
		return Apply
	}
	return Skip
}

// factor reduces in two steps: partial results over a part of the reduce loops
// in a new stage, then those. It derives two states: one keeps the outer part,
// which runs in parallel, the other the inner part, which is moved innermost to
// be a vector.
//
//	for i                   for i, for k_o             for i, for k_o
//	  for k            =>     for k_i             and    for k_i
//	    C = ...                 C.rf = ...                 C.rf = ...
//	                        for i, for k_o             for i, for k_i
//	                          C = ...                    C = ...
//
// Neither stage is tiled further. It is an error if the reduce loops do not
// follow each other.
func factor(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	base := edit{state: s, stage: stage}
	at := base.fuseReductions()
	space := 0
	for _, it := range s.Stages[stage].Iters {
		if it.Kind == schedule.Spatial {
			space++
		}
	}
	base.split(at, []int64{1})

	outer := base
	outer.apply(schedule.Rfactor{At: stage, Iter: at, FactorIter: space})
	first, err := outer.next(stage - 1)
	if err != nil {
		return nil, err
	}

	inner := base
	inner.apply(schedule.Rfactor{At: stage, Iter: at + 1, FactorIter: space})
	if inner.err != nil {
		return nil, inner.err
	}
	var order []int
	for i := range inner.state.Stages[stage].Iters {
		if i != space {
			order = append(order, i)
		}
	}
	inner.reorder(append(order, space))
	second, err := inner.next(stage - 1)
	return append(first, second...), err
}
