package sketch

import "github.com/wmtune/wmtune/tir/schedule"

// whenCrossThread holds for reductions whose elements are too few to keep all
// threads busy: those that would be tiled, if their spatial loops fit one block
// and are smaller than their reduce loops; others, if they reduce more elements
// than a warp has threads. Stages made by a cache write are not looked at again,
// and sums that start from another number than 0 never.
func whenCrossThread(g *Generator, s *schedule.State, stage int) Verdict {
	op := s.Stages[stage].Op
	if op.IsPlaceholder() || isCacheWritten(s, stage) || op.Combine != nil && !op.Combine.Neutral() {
		return Skip
	}
	hw := g.Target.Hardware
	space, reduce := extents(s.Stages[stage])
	if NeedsTiling(s, stage) {
		if space > int64(hw.MaxThreads) || space >= reduce {
			return Skip
		}
		return Apply
	}
	if reduce > 1 && reduce > int64(hw.WarpSize) {
		return Apply
	}
	return Skip
}

// crossThread gives each thread a part of a reduction.
//
//	for i                 for i
//	  for k         =>      for k.0
//	    C = ...               threadIdx.x k.1
//	                            C = ...
//
// If the only reader walks the outer loops of the stage in the same order and is
// not tiled, the stage is computed inside it, by as many threads, unless it is an output. The reader must have
// a split that says how many, or be simple enough to get one: AutoScheduler ends with a
// failed check where it has several splits, or none and a reduction. One that holds a sum with threads of
// its own number (inBlocks) gets none.
func crossThread(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	warp := int64(g.Target.Hardware.WarpSize)
	e := edit{state: s, stage: stage}
	at := e.fuseReductions()
	reader, ok := SingleReader(s, stage)
	outer := 0
	if ok && !s.IsOutput(stage) && !NeedsTiling(s, reader) {
		outer = commonOuter(s, stage, reader)
	}
	splits := Splits(s, reader)
	if outer <= 0 || len(splits) > 1 ||
		len(splits) == 0 && (HasReduceIter(s.Stages[reader]) || ReducesAcrossThreads(s, reader)) {
		e.split(at, []int64{warp})
		e.apply(schedule.Annotate{At: stage, Iter: at + 1, Ann: schedule.ThreadX})
		return e.next(stage - 1)
	}
	if len(splits) == 0 {
		st := s.Stages[reader]
		last := len(st.Iters) - 1
		e.apply(schedule.Split{
			At: reader, Iter: last, Extent: max(st.Iters[last].Extent, 0), Lengths: []int64{warp}, InnerToOuter: true,
		})
		e.apply(schedule.Annotate{At: reader, Iter: last + 1, Ann: schedule.ThreadX})
		splits = []int{len(e.state.Steps) - 2}
	}
	e.apply(schedule.FollowSplit{At: stage, Iter: at, Src: splits[0], Parts: 1})
	e.apply(schedule.Annotate{At: stage, Iter: at + 1, Ann: schedule.ThreadX})
	e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: outer - 1})
	return e.next(stage - 1)
}

// ReducesAcrossThreads reports whether a stage, or one computed inside it, has
// a reduce loop over threads.
func ReducesAcrossThreads(s *schedule.State, stage int) bool {
	for i, it := range s.Stages[stage].Iters {
		if it.Ann == schedule.ThreadX && it.Kind == schedule.Reduction {
			return true
		}
		for _, inside := range s.Attach.Inside(stage, i) {
			for _, it := range s.Stages[inside].Iters {
				if it.Ann == schedule.ThreadX && it.Kind == schedule.Reduction {
					return true
				}
			}
		}
	}
	return false
}
