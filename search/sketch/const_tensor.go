package sketch

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// whenConstTensor holds for stages whose op names axes that index a small
// constant tensor, such as the transforms of a Winograd convolution. All reductions must be
// among them.
func whenConstTensor(_ *Generator, s *schedule.State, stage int) Verdict {
	names := s.Stages[stage].Op.Attrs.SimplifyConstTensorIndices
	if len(names) == 0 {
		return Skip
	}
	for _, it := range s.Stages[stage].Iters {
		if it.Kind != schedule.Spatial && !slices.Contains(names, it.Name) {
			return Skip
		}
	}
	return ApplyAndSkipRest
}

// constTensorLevels is the number of levels the other axes are tiled in.
const constTensorLevels = 2

// unrollConstTensor unrolls the named axes, so that the constants fold away,
// and tiles the others in two levels outside of them.
//
//	for eps, nu                for p.0, ci.0
//	  for p, ci           =>     for p.1, ci.1
//	    for r_a, r_b               unroll eps, nu, r_a, r_b
//	      data_pack = ...            data_pack = ...
//
// It is an error if an axis that is not named is a reduction.
func unrollConstTensor(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	names := s.Stages[stage].Op.Attrs.SimplifyConstTensorIndices
	b := edit{state: s, stage: stage}
	levels := make([][]int, constTensorLevels)
	var unrolled []int
	at := 0
	for _, it := range s.Stages[stage].Iters {
		if slices.Contains(names, it.Name) {
			b.apply(schedule.Annotate{At: stage, Iter: at, Ann: schedule.Unroll})
			unrolled = append(unrolled, at)
			at++
			continue
		}
		if it.Kind != schedule.Spatial {
			return nil, fmt.Errorf("axis %s is a reduction, but not among the axes of the constant tensor %v", it.Name, names)
		}
		b.split(at, make([]int64, constTensorLevels-1))
		for l := range levels {
			levels[l] = append(levels[l], at+l)
		}
		at += constTensorLevels
	}
	b.reorder(slices.Concat(slices.Concat(levels...), unrolled))
	return b.next(stage - 1)
}

// unrollNamed unrolls the axes that the stage names, inside the others.
func (e *edit) unrollNamed() {
	names := e.state.Stages[e.stage].Op.Attrs.SimplifyConstTensorIndices
	var loops, unrolled []int
	for i, it := range e.state.Stages[e.stage].Iters {
		if !slices.Contains(names, it.Name) {
			loops = append(loops, i)
			continue
		}
		e.apply(schedule.Annotate{At: e.stage, Iter: i, Ann: schedule.Unroll})
		unrolled = append(unrolled, i)
	}
	e.reorder(append(loops, unrolled...))
}

// whenBesideConstTensor holds for stages that would be inlined into a stage
// whose constant tensor is simplified: inlining would compute them anew for each
// unrolled iteration.
func whenBesideConstTensor(g *Generator, s *schedule.State, stage int) Verdict {
	readers := s.Readers(stage)
	if len(readers) != 1 || len(s.Stages[readers[0]].Op.Attrs.SimplifyConstTensorIndices) == 0 {
		return Skip
	}
	if !readsAny(s, stage) || whenInlineable(g, s, stage) == Skip {
		return Skip
	}
	return ApplyAndSkipRest
}

// computeBeforeUnrolled computes a stage inside its reader, just before the
// first unrolled loop.
//
//	for p.0, ..., ci.1                     for p.0, ..., ci.1
//	  unroll eps, ...                =>      for eps, nu, p, ci
//	    data_pack = ...                        input_tile = ...
//	                                         unroll eps, ...
//	                                           data_pack = ...
func computeBeforeUnrolled(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	reader := s.Readers(stage)[0]
	e := edit{state: s, stage: stage}
	for i, it := range s.Stages[reader].Iters {
		if it.Ann == schedule.Unroll && i > 0 {
			e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: i - 1})
			break
		}
	}
	return e.next(stage - 1)
}
