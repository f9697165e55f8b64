package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A tensorAxes says along which axes of a product the tiles of tensor cores lie: rows,
// columns and the steps of the sum.
type tensorAxes struct {
	m, n, k int   // k among the reduce axes
	depth   int64 // steps of the sum in a tile
}

// axesOfTensor returns the axes of a product. Columns are along the axis whose elements lie
// side by side in the result, or another one of the same operand; of several axes that are
// whole tiles the innermost is taken.
func axesOfTensor(op *compute.Op) (tensorAxes, bool) {
	x, y, err := schedule.TensorOperands(op)
	if err != nil || len(op.Attrs.NoSplitAtInner) > 0 || len(op.Axes) == 0 {
		return tensorAxes{}, false
	}
	if last := op.Axes[len(op.Axes)-1].Var; tir.Uses(x, last) && !tir.Uses(y, last) {
		x, y = y, x
	}
	depth := tir.MMADepth(x.Buffer.Type)
	a := tensorAxes{
		depth: depth,

		m: lastAxis(op.Axes, tir.MMARows, func(v *tir.Var) bool { return tir.Uses(x, v) && !tir.Uses(y, v) }),
		n: lastAxis(op.Axes, tir.MMACols, func(v *tir.Var) bool { return !tir.Uses(x, v) && tir.Uses(y, v) }),
		k: lastAxis(op.ReduceAxes, depth, func(v *tir.Var) bool { return tir.Uses(x, v) && tir.Uses(y, v) }),
	}
	return a, a.m >= 0 && a.n >= 0 && a.k >= 0
}

// lastAxis returns the last axis that is whole tiles of a size and suits, -1 if there is none.
func lastAxis(axes []*compute.Axis, size int64, suits func(*tir.Var) bool) int {
	for i, a := range slices.Backward(axes) {
		if a.Extent%size == 0 && suits(a.Var) {
			return i
		}
	}
	return -1
}

// whenTensor holds for products that tensor cores of the target compute, in the only stage
// that reads them. Products of float32 are rounded, which the policy must allow.
func whenTensor(g *Generator, s *schedule.State, stage int) Verdict {
	a, ok := axesOfTensor(s.Stages[stage].Op)
	if !ok || !g.Target.HasTensorCores() || !NeedsTiling(s, stage) || a.depth == tir.MMADepth(tir.F32) && !g.TF32 {
		return Skip
	}
	if _, ok := TileReader(s, stage); !ok {
		return Skip
	}
	return Apply
}

// tileTensor tiles a product and its reader as tileAndFuse does. The innermost tile is what a
// warp multiplies at once, the threads are warps, and none of them is virtual:
//
//	for i, j, k              for i'.0, j'.0, i'.1 (0,1), j'.1 (0,1), i'.2, j'.2
//	  C = ...                  for k.0, k.1, i.3, j.3
//	for i', j'         =>        tensorize k.2 (0,16), i.4 (0,16), j.4 (0,8)
//	  D = ...                      C = ...
//	                           for i'.3.0, j'.3.0
//	                             tensorize i'.3.1 (0,16), j'.3.1 (0,8)
//	                               D = ...
//
// Of float32 there are 8 steps in a tile.
func tileTensor(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	reader, _ := TileReader(s, stage)
	op := s.Stages[stage].Op
	axes, _ := axesOfTensor(op)
	open := openLengths(s, stage)
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling, func(axis, pieces int) []int64 {
		lengths := open(axis, pieces)
		lengths[pieces-1] = 1
		switch axis {
		case axes.m:
			lengths[pieces-1] = tir.MMARows
		case axes.n:
			lengths[pieces-1] = tir.MMACols
		case len(op.Axes) + axes.k:
			lengths[pieces-1] = axes.depth
		}
		if axis < len(op.Axes) {
			lengths[0] = 1 // no virtual threads: a warp has several tiles
		}
		return lengths
	})
	if err != nil {
		return nil, err
	}
	spatial, level := len(op.Axes), g.FollowLevels[0]
	e := edit{state: tiled, stage: stage}
	last := len(tiled.Stages[stage].Iters)
	e.moveLast(last-spatial-len(op.ReduceAxes)+axes.k, last-spatial+axes.m, last-spatial+axes.n)
	e.apply(schedule.Annotate{At: stage, Iter: last - 3, Ann: schedule.Tensorize})
	if e.err != nil {
		return nil, e.err
	}
	followed, err := followTiling(e.state, reader, stage, splits, level)
	if err != nil {
		return nil, err
	}
	e = edit{state: followed, stage: reader}
	rows, cols := level*spatial+axes.m, level*spatial+axes.n
	for _, tile := range []struct {
		at   int
		size int64
	}{{max(rows, cols), tileSize(rows > cols)}, {min(rows, cols), tileSize(rows < cols)}} {
		e.split(tile.at, []int64{tile.size}) // the later one first, so that the place of the other stays
	}
	if rows < cols {
		e.moveLast(rows+1, cols+2)
	} else {
		e.moveLast(rows+2, cols+1)
	}
	e.apply(schedule.Annotate{At: reader, Iter: (level + 1) * spatial, Ann: schedule.Tensorize})
	e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: level*spatial - 1})
	return e.next(stage - 1)
}

func tileSize(rows bool) int64 {
	if rows {
		return tir.MMARows
	}
	return tir.MMACols
}

// moveLast moves loops to the end, in the order in which they are listed.
func (e *edit) moveLast(loops ...int) {
	if e.err != nil {
		return
	}
	var order []int
	for i := range e.state.Stages[e.stage].Iters {
		if !slices.Contains(loops, i) {
			order = append(order, i)
		}
	}
	if order = append(order, loops...); !slices.IsSorted(order) {
		e.reorder(order)
	}
}
