package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// whenInBlocks holds for the reductions that crossThread takes, if their reader has no loops of
// its own: or else crossThread makes this sketch. It also holds for other sums of more elements than a warp
// has threads, if they read each element of a tensor once: such are the products of one row.
func whenInBlocks(g *Generator, s *schedule.State, stage int) Verdict {
	op := s.Stages[stage].Op
	if op.IsPlaceholder() || isCacheWritten(s, stage) || op.Combine == nil || !op.Combine.Neutral() {
		return Skip
	}
	if _, reduce := extents(s.Stages[stage]); reduce <= int64(g.Target.Hardware.WarpSize) {
		return Skip
	}
	_, within := wholeReader(s, stage)
	if within && whenCrossThread(g, s, stage) == Apply || whenCrossThread(g, s, stage) == Skip && readsOnce(op) {
		return Apply
	}
	return Skip
}

// inBlocks computes each result of a reduction in a block, by as many threads as the reduction
// is split for, inside of a reader that has no loops of its own. AutoScheduler has as many
// results computed one after the other as there are threads, which leaves most of a GPU idle if
// they are few.
//
//	for i               for i
//	  for k         =>    for k.0
//	    C = ...             threadIdx.x k.1
//	for i                     C = ...
//	  D = ...             D = ...
func inBlocks(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	e := edit{state: s, stage: stage}
	at := e.fuseReductions()
	e.split(at, []int64{int64(g.Target.Hardware.WarpSize)})
	e.apply(schedule.Annotate{At: stage, Iter: at + 1, Ann: schedule.ThreadX})
	if reader, ok := wholeReader(s, stage); ok {
		e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: len(s.Stages[reader].Iters) - 1})
	}
	return e.next(stage - 1)
}

// wholeReader returns the only reader of a stage if all its loops go over the elements of the
// stage, in the same order, and nothing was decided about them. Other sums may be inside.
func wholeReader(s *schedule.State, stage int) (int, bool) {
	reader, ok := SingleReader(s, stage)
	if !ok || s.IsOutput(stage) || NeedsTiling(s, reader) {
		return 0, false
	}
	st := s.Stages[reader]
	return reader, st.At == schedule.AtRoot && !HasReduceIter(st) && len(Splits(s, reader)) == 0 &&
		len(st.Iters) > 0 && commonOuter(s, stage, reader) == len(st.Iters)
}

// readsOnce reports whether a reduction reads a tensor at all its axes, so that no element is
// read more than once.
func readsOnce(op *compute.Op) bool {
	if len(op.Body) != 1 {
		return false
	}
	once := false
	tir.VisitExpr(op.Body[0], func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		once = once || ok && !slices.ContainsFunc(slices.Concat(op.Axes, op.ReduceAxes), func(a *compute.Axis) bool {
			return a.Extent > 1 && !slices.ContainsFunc(l.Index, func(i tir.Expr) bool { return i == tir.Expr(a.Var) })
		})
		return !once
	})
	return once
}
