package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// blockLanes is how many columns and steps of a sum the accelerator multiplies at once.
const blockLanes = 16

// A blockProduct is a sum of products that the accelerator makes: of elements of x, side by side along the steps of the
// sum, and of blocks of y, with columns side by side.
type blockProduct struct {
	x, y *tir.Load
	k    int // of the reduce axes, whose steps are in blocks; the columns are the last axis
}

// blockProductOf returns the product that op is. Columns and steps must be whole blocks.
func blockProductOf(op *compute.Op) (p blockProduct, ok bool) {
	if op.Combine == nil || op.Combine.Kind != compute.Sum || !op.Combine.Neutral() || len(op.Results) != 1 ||
		op.Results[0].Type != tir.I32 || len(op.Axes) == 0 {
		return p, false
	}
	column := op.Axes[len(op.Axes)-1]
	product, ok := op.Body[0].(*tir.Binary)
	if !ok || product.Op != tir.Mul || column.Extent%blockLanes != 0 {
		return p, false
	}
	p.x, p.y = signedByte(product.X), signedByte(product.Y)
	if p.x == nil || p.y == nil {
		return p, false
	}
	if tir.Uses(p.x, column.Var) {
		p.x, p.y = p.y, p.x
	}
	last := func(l *tir.Load, behind int) tir.Expr {
		if at := len(l.Index) - behind; at >= 0 {
			return l.Index[at]
		}
		return nil
	}
	p.k = slices.IndexFunc(op.ReduceAxes, func(a *compute.Axis) bool {
		return last(p.x, 1) == tir.Expr(a.Var) && last(p.y, 2) == tir.Expr(a.Var) && a.Extent%blockLanes == 0
	})
	return p, p.k >= 0 && last(p.y, 1) == tir.Expr(column.Var) && !tir.Uses(p.x, column.Var)
}

// signedByte returns the element of int8 that e is in int32.
func signedByte(e tir.Expr) *tir.Load {
	c, ok := e.(*tir.Cast)
	if !ok || c.To != tir.I32 {
		return nil
	}
	if l, ok := c.X.(*tir.Load); ok && l.Buffer.Type == tir.I8 {
		return l
	}
	return nil
}

// whenOperand holds for what a tiled product of blocks reads.
func whenOperand(g *Generator, s *schedule.State, stage int) Verdict {
	for _, reader := range sharingReaders(s, stage) {
		if _, ok := blockProductOf(s.Stages[reader].Op); ok {
			return whenCacheRead(g, s, stage)
		}
	}
	return Skip
}

// loadOperand is cacheRead, into the memory of the first or of the second operand.
func loadOperand(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	return cacheReadInto(s, stage, func(reader int) tir.Scope {
		if p, ok := blockProductOf(s.Stages[reader].Op); ok && p.y.Buffer == s.Stages[stage].Op.Results[0] {
			return tir.Wgt
		}
		return tir.Inp
	})
}

// whenBlocks holds for products of blocks, in the only stage that reads them.
func whenBlocks(_ *Generator, s *schedule.State, stage int) Verdict {
	if _, ok := blockProductOf(s.Stages[stage].Op); !ok || !NeedsTiling(s, stage) {
		return Skip
	}
	if _, ok := TileReader(s, stage); !ok {
		return Skip
	}
	return ApplyAndSkipRest
}

// tileBlocks tiles a product and its reader as tileAndFuse does. The innermost tile is a block:
//
//	for i, j, k          for i'.0, j'.0, i'.1, j'.1
//	  C = ...              for k.0, k.1, i.2, j.2, k.2 (0,16), i.3 (0,1), j.3 (0,16)
//	for i', j'      =>       C = ...
//	  D = ...              for i'.2, j'.2
//	                         D = ...
//
// Loops i'.1 and j'.1 are of virtual threads.
func tileBlocks(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	reader, _ := TileReader(s, stage)
	op := s.Stages[stage].Op
	p, _ := blockProductOf(op)
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling, func(axis, pieces int) []int64 {
		lengths := make([]int64, pieces)
		lengths[pieces-1] = 1
		if axis == len(op.Axes)-1 || axis == len(op.Axes)+p.k {
			lengths[pieces-1] = blockLanes
		}
		return lengths
	})
	if err != nil {
		return nil, err
	}
	level := g.FollowLevels[0]
	followed, err := followTiling(tiled, reader, stage, splits, level)
	if err != nil {
		return nil, err
	}
	e := edit{state: followed, stage: stage}
	e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: level*len(splits) - 1})
	return e.next(stage - 1)
}
