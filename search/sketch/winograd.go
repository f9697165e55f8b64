package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/winograd"
)

// whenConvolution holds for convolutions that Winograd's algorithm may compute in less time, by an estimate that counts
// what moves between its stages, too. Where the direct sum may be as fast, the other rules make sketches of it.
func whenConvolution(g *Generator, s *schedule.State, stage int) Verdict {
	c, err := schedule.ConvolutionOf(s.Stages[stage].Op)
	if err != nil {
		return Skip
	}
	if _, err := s.Apply(schedule.Winograd{At: stage, Tile: 2}); err != nil {
		return Skip
	}
	forms := c.Estimate().Within(g.Doubt)
	switch {
	case !slices.Contains(forms, winograd.Untiled):
		return ApplyAndSkipRest
	case len(forms) > 1:
		return Apply
	}
	return Skip
}

// convolveInTiles has a convolution computed in tiles, in each size that the estimate says may be the fastest. The
// stages that this adds are visited next, from the last one on.
func convolveInTiles(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	c, err := schedule.ConvolutionOf(s.Stages[stage].Op)
	if err != nil {
		return nil, err
	}
	var derived []Next
	for _, tile := range c.Estimate().Within(g.Doubt) {
		if tile == winograd.Untiled {
			continue
		}
		e := edit{state: s, stage: stage}
		step := schedule.Winograd{At: stage, Tile: tile}
		e.apply(step)
		_, n := schedule.Adds(step)
		next, err := e.next(stage + n - 1)
		if err != nil {
			return nil, err
		}
		derived = append(derived, next...)
	}
	return derived, nil
}

// whenTransformed holds for a stage with a constant tensor that only another one reads, tile by tile, and whose loops
// are unrolled: the first of two multiplications of a tile by matrices.
func whenTransformed(g *Generator, s *schedule.State, stage int) Verdict {
	if s.IsOutput(stage) || whenConstTensor(g, s, stage) == Skip {
		return Skip
	}
	readers := s.Readers(stage)
	if len(readers) != 1 || whenConstTensor(g, s, readers[0]) == Skip || firstUnrolled(s, readers[0]) < 1 ||
		!readsOwnTile(s, readers[0], stage) {
		return Skip
	}
	return ApplyAndSkipRest
}

// readsOwnTile reports whether a stage reads another one at its own place along all axes but those that the other
// one names. Elsewhere the other one would be computed again for each place.
func readsOwnTile(s *schedule.State, reader, stage int) bool {
	from, to := s.Stages[stage].Op, s.Stages[reader].Op
	named := from.Attrs.SimplifyConstTensorIndices
	for _, read := range s.Current.Access().Reads(to) {
		for _, l := range read.Loads {
			if read.From != from {
				continue
			}
			for d, axis := range from.Axes {
				isAxis := func(a *compute.Axis) bool {
					return l.Index[d] == tir.Expr(a.Var) &&
						!slices.Contains(to.Attrs.SimplifyConstTensorIndices, a.Var.Name)
				}
				if !slices.Contains(named, axis.Var.Name) && !slices.ContainsFunc(to.Axes, isAxis) {
					return false
				}
			}
		}
	}
	return true
}

// transformInTiles computes the stage just before the unrolled loops of its reader, and unrolls its own.
//
//	for a, nu, p, ci: for r                for p, ci
//	  rows = ...                             unroll a, nu, r
//	for p, ci                         =>       rows = ...
//	  unroll eps, nu, r                      unroll eps, nu, r
//	    tiles = ...                            tiles = ...
func transformInTiles(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	e := edit{state: s, stage: stage}
	if e.unrollNamed(); e.err != nil {
		return nil, e.err
	}
	return computeBeforeUnrolled(g, e.state, stage)
}

// whenTransforms holds for the second transform of an image, which whatever multiplies it reads.
func whenTransforms(g *Generator, s *schedule.State, stage int) Verdict {
	if _, ok := madeBy(s, stage).(schedule.Winograd); !ok || IsTiled(s.Stages[stage]) {
		return Skip
	}
	return whenConstTensor(g, s, stage)
}

// transformVectors unrolls the axes that the stage names, and transforms one vector of what goes along memory at a
// time, so that a tile stays in registers. The other axes are tiled in two levels.
//
//	for eps, nu, p, ci: for r              for p.0, p.1, ci.0
//	  tiles = ...                     =>     for ci.1 in 16
//	                                           unroll eps, nu, r
//	                                             tiles = ...
func transformVectors(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	e := edit{state: s, stage: stage}
	e.unrollNamed()
	op := s.Stages[stage].Op
	names := len(op.Attrs.SimplifyConstTensorIndices) - len(op.ReduceAxes)
	last := op.Axes[len(op.Axes)-1].Extent
	var outer, inner, unrolled []int
	at := 0
	for range len(op.Axes) - names - 1 {
		e.split(at, make([]int64, constTensorLevels-1))
		outer, inner = append(outer, at), append(inner, at+1)
		at += constTensorLevels
	}
	e.split(at, []int64{min(g.Target.Hardware.Lanes(op.Results[0].Type.RegisterBytes()), last)})
	inner = append(inner, at, at+1)
	for i := range names + len(op.ReduceAxes) {
		unrolled = append(unrolled, at+2+i)
	}
	e.reorder(slices.Concat(outer, inner, unrolled))
	return e.next(stage - 1)
}

// VectorSplit returns the number of the step that splits a stage into vectors that are transformed, -1 if there is
// none.
func VectorSplit(s *schedule.State, stage int) int {
	names := s.Stages[stage].Op.Attrs.SimplifyConstTensorIndices
	if _, ok := madeBy(s, stage).(schedule.Winograd); !ok || len(names) == 0 {
		return -1
	}
	if list := Splits(s, stage); len(list) > 0 {
		return list[0]
	}
	return -1
}

// firstUnrolled returns the first loop of a stage that is unrolled, -1 if none is.
func firstUnrolled(s *schedule.State, stage int) int {
	for i, it := range s.Stages[stage].Iters {
		if it.Ann == schedule.Unroll {
			return i
		}
	}
	return -1
}
