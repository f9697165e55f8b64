package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// whenSpread holds for sums over an image with zeros in between, such as transposed convolutions with a stride.
func whenSpread(_ *Generator, s *schedule.State, stage int) Verdict {
	if !HasReduceIter(s.Stages[stage]) {
		return Skip
	}
	if _, err := s.Apply(schedule.Phases{At: stage}); err != nil {
		return Skip
	}
	return ApplyAndSkipRest
}

// divideIntoPhases makes sums of their own of the phases, which multiply no zeros. What puts the phases where they
// belong is inlined into what reads it element by element.
//
//	for o: for k                 for q, r: for t
//	  C = ...                      C.phases = ...
//	for o                  =>    for o
//	  bias_add = C + ...           relu = max(C.phases[o/S, o%S] + ..., 0)
//	for o
//	  relu = ...
func divideIntoPhases(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	e := edit{state: s, stage: stage}
	e.apply(schedule.Phases{At: stage})
	if e.err != nil {
		return nil, e.err
	}
	for at := stage + 1; ; {
		next, ok := ElementwiseReader(e.state, at)
		if !ok || HasReduceIter(e.state.Stages[next]) || IsTiled(e.state.Stages[next]) {
			break
		}
		e.apply(schedule.ComputeInline{At: at})
		if e.err != nil {
			return nil, e.err
		}
		at = next
	}
	return e.next(stage)
}

// whenPhases holds for the sums of phases.
func whenPhases(_ *Generator, s *schedule.State, stage int) Verdict {
	if _, ok := madeBy(s, stage).(schedule.Phases); !ok || len(s.Readers(stage)) != 1 {
		return Skip
	}
	return ApplyAndSkipRest
}

// tilePhases tiles the sums of phases, and what reads them in loops over the places q and the phases r of its axes, and
// computes tiles of sums in it. Phases stay outside of tiles, just inside the loops over them: each thread has all
// phases of its tiles, of which some have more taps. Taps stay outside of tiles, too.
//
//	for q, r, c: for t, k        for q.0, c.0, r
//	  C.phases = ...               for q.1, c.1: for t, k.0: ...
//	for o, c                =>       C.phases = ...
//	  relu = ...                   for q.1, c.1
//	                                 relu = ...
func tilePhases(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	reader := s.Readers(stage)[0]
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling, openLengths(s, stage))
	if err != nil {
		return nil, err
	}
	e := edit{state: tiled, stage: reader}
	at := 0
	for _, n := range phaseStrides(s, stage) {
		if n > 0 {
			e.apply(schedule.Split{At: reader, Iter: at, Extent: e.iter(at).Extent, Lengths: []int64{n}, InnerToOuter: true})
			at++
		}
		at++
	}
	if e.err != nil {
		return nil, e.err
	}
	return fuseTiles(g, e.state, stage, reader, splits)
}

// phaseStrides returns by which extent each axis of what reads the phases of a stage is divided, 0 if it is not.
func phaseStrides(s *schedule.State, stage int) []int64 {
	op := s.Stages[stage].Op
	var list []int64
	for i := 0; i < len(op.Axes); i++ {
		if i+1 < len(op.Axes) && staysOutside(op, op.Axes[i+1]) {
			i++
			list = append(list, op.Axes[i].Extent)
			continue
		}
		list = append(list, 0)
	}
	return list
}

// staysOutside reports whether the loop of an axis of op is not divided, and outside of tiles.
func staysOutside(op *compute.Op, a *compute.Axis) bool {
	return slices.Contains(op.Attrs.WholeOutside, a.Var.Name)
}

// ReadsPhases returns the stage of phases that is computed in the loops of a stage, and the numbers of the steps that
// divide these into places and phases: other lengths would compute phases that nobody reads.
func ReadsPhases(s *schedule.State, reader int) (phases int, splits []int) {
	for stage := range reader {
		at, inside := s.Attach.At(stage)
		if _, ok := madeBy(s, stage).(schedule.Phases); ok && inside && at.Stage == reader {
			return stage, Splits(s, reader)
		}
	}
	return -1, nil
}
