package sketch

import "github.com/wmtune/wmtune/tir/schedule"

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
