package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A blockProduct is a sum of products that an instruction of the accelerator makes: of elements of x, side by side
// along the steps of the sum, and of blocks of y, with columns side by side.
type blockProduct struct {
	by   *tir.Instruction
	x, y *tir.Load
	k    int // of the reduce axes, whose steps are in blocks; the columns are the last axis
}

// blockProductOf returns the product that op is. Columns and steps must be whole blocks.
func blockProductOf(g *Generator, op *compute.Op) (p blockProduct, ok bool) {
	for _, p.by = range tir.InstructionsOf(g.Target.CPU, g.Target.Has, g.Target.Hardware.VectorBytes) {
		if p.by.Scopes[0] != "" && schedule.Computes(p.by, op) && len(op.Axes) > 0 && p.find(op) {
			return p, true
		}
	}
	return p, false
}

// find finds operands and steps.
func (p *blockProduct) find(op *compute.Op) bool {
	column := op.Axes[len(op.Axes)-1]
	if p.x, p.y, _ = schedule.Multiplied(op); tir.Uses(p.x, column.Var) {
		p.x, p.y = p.y, p.x
	}
	last := func(l *tir.Load, behind int) tir.Expr {
		if at := len(l.Index) - behind; at >= 0 {
			return l.Index[at]
		}
		return nil
	}
	p.k = slices.IndexFunc(op.ReduceAxes, func(a *compute.Axis) bool {
		return last(p.x, 1) == tir.Expr(a.Var) && last(p.y, 2) == tir.Expr(a.Var) && a.Extent%p.by.Depth == 0
	})
	return p.k >= 0 && last(p.y, 1) == tir.Expr(column.Var) && !tir.Uses(p.x, column.Var) &&
		column.Extent%p.by.Cols == 0 && p.x.Buffer.Type == p.by.A && p.y.Buffer.Type == p.by.B
}

// whenOperand holds for what a tiled product of blocks reads.
func whenOperand(g *Generator, s *schedule.State, stage int) Verdict {
	for _, reader := range sharingReaders(s, stage) {
		if _, ok := blockProductOf(g, s.Stages[reader].Op); ok {
			return whenCacheRead(g, s, stage)
		}
	}
	return Skip
}

// loadOperand is cacheRead, into the memory of the first or of the second operand.
func loadOperand(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	return cacheReadInto(s, stage, func(reader int) tir.Scope {
		p, _ := blockProductOf(g, s.Stages[reader].Op)
		if p.y.Buffer == s.Stages[stage].Op.Results[0] {
			return p.by.Scopes[1]
		}
		return p.by.Scopes[0]
	})
}

// whenBlocks holds for products of blocks, in the only stage that reads them.
func whenBlocks(g *Generator, s *schedule.State, stage int) Verdict {
	if _, ok := blockProductOf(g, s.Stages[stage].Op); !ok || !NeedsTiling(s, stage) {
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
	p, _ := blockProductOf(g, op)
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling, func(axis, pieces int) []int64 {
		lengths := make([]int64, pieces)
		lengths[pieces-1] = 1
		switch axis {
		case len(op.Axes) - 1:
			lengths[pieces-1] = p.by.Cols
		case len(op.Axes) + p.k:
			lengths[pieces-1] = p.by.Depth
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
