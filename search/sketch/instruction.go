package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// mostWaste is how many times as many steps as the sum its groups must not have.
const mostWaste = 2

// groupAxes returns the axes of a product whose innermost pieces an instruction takes: lanes are along the last spatial
// axis, which one operand does not depend on, and the steps of a group along the last axis of the sum, along which
// the operand that lanes share is contiguous. The other operand has steps side by side if it is packed.
func groupAxes(op *compute.Op, i *tir.Instruction) (steps int, ok bool) {
	x, y, _ := schedule.Multiplied(op)
	if len(op.Attrs.NoSplitAtInner) > 0 || len(op.Axes) == 0 || len(op.ReduceAxes) == 0 {
		return 0, false
	}
	lane := op.Axes[len(op.Axes)-1]
	shared := x
	if tir.Uses(x, lane.Var) {
		shared = y
	}
	if tir.Uses(shared, lane.Var) || lane.Extent < i.Cols/2 {
		return 0, false
	}
	steps = len(op.ReduceAxes) - 1
	sum := op.ReduceAxes[steps]
	for d, e := range shared.Index {
		k, linear := arith.Coefficient(e, sum.Var)
		if last := d == len(shared.Index)-1; !linear || last && k != 1 || !last && k != 0 {
			return 0, false
		}
	}
	groups := (sum.Extent + i.Depth - 1) / i.Depth
	return steps, tir.Uses(x, sum.Var) && tir.Uses(y, sum.Var) && groups*i.Depth < mostWaste*sum.Extent &&
		(i.Wraps || sum.Extent%i.Depth == 0)
}

// instructionOf returns the widest instruction of the target that makes the products of a stage.
func instructionOf(g *Generator, op *compute.Op) (i *tir.Instruction, steps int) {
	if g.Target.Kind != target.LLVM {
		return nil, 0
	}
	for _, i := range tir.InstructionsOf(g.Target.CPU, g.Target.Has, g.Target.Hardware.VectorBytes) {
		if !schedule.Computes(i, op) {
			continue
		}
		if steps, ok := groupAxes(op, i); ok {
			return i, steps
		}
	}
	return nil, 0
}

// FeedsInstruction reports whether a stage computes elements that an instruction multiplies: it reads them from memory,
// side by side, so they must be computed before. Elements that are only moved or padded along other axes than the last
// need not be.
func FeedsInstruction(s *schedule.State, stage int) bool {
	feeds := slices.ContainsFunc(s.Readers(stage), func(reader int) bool {
		iters := s.Stages[reader].Iters
		return len(iters) > 0 && iters[len(iters)-1].Ann == schedule.Tensorize
	})
	op := s.Stages[stage].Op
	if !feeds || len(op.Axes) == 0 {
		return false
	}
	e, last := s.InlinedBody(stage)[0], op.Axes[len(op.Axes)-1].Var
	if padded, ok := e.(*tir.Select); ok && !tir.Reads(padded.Else) && !tir.Uses(padded.Cond, last) {
		e = padded.Then
	}
	l, moves := e.(*tir.Load)
	return !moves || len(l.Index) == 0 || l.Index[len(l.Index)-1] != tir.Expr(last)
}

// whenInstruction holds for products that an instruction of the target makes.
func whenInstruction(g *Generator, s *schedule.State, stage int) Verdict {
	if op := s.Stages[stage].Op; op.Combine == nil || !NeedsTiling(s, stage) {
		return Skip
	}
	if i, _ := instructionOf(g, s.Stages[stage].Op); i == nil {
		return Skip
	}
	return ApplyAndSkipRest
}

// tileInstruction tiles a product as tile and tileAndFuse do, but that the innermost piece of a sum is the steps that
// an instruction makes at once, for all lanes of the vector around them:
//
//	for i, j, k             for i.0, j.0, i.1, j.1
//	  C = ...         =>      for k.0
//	                            for i.2, j.2
//	                              for k.1
//	                                for i.3
//	                                  vectorize j.3
//	                                    tensorize k.2 (0,4)
//	                                      C = ...
//
// There are no sketches without it beside these: the instruction makes the same products several times as fast.
func tileInstruction(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	op := s.Stages[stage].Op
	row, steps := instructionOf(g, op)
	open := openLengths(s, stage)
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling+"R", func(axis, pieces int) []int64 {
		lengths := open(axis, pieces)
		switch {
		case axis == len(op.Axes)+steps:
			lengths[pieces-1] = row.Depth
			if sum := op.ReduceAxes[steps].Extent; sum%row.Depth != 0 {
				lengths[0] = (sum + row.Depth - 1) / row.Depth // the last group is peeled off one loop, see partition
			}
		case axis >= len(op.Axes):
			lengths[pieces-1] = 1
		}
		return lengths
	})
	if err != nil {
		return nil, err
	}
	e := edit{state: tiled, stage: stage}
	last := len(tiled.Stages[stage].Iters) - 1
	e.apply(schedule.Annotate{At: stage, Iter: last - len(op.ReduceAxes), Ann: schedule.Vectorize})
	e.apply(schedule.Annotate{At: stage, Iter: last, Ann: schedule.Tensorize})
	if e.err != nil {
		return nil, e.err
	}
	derived := []Next{{e.state, stage - 1}}
	reader, ok := TileReader(s, stage)
	if !ok {
		return derived, nil
	}
	fused, err := fuseTiles(g, e.state, stage, reader, splits)
	if g.Fuse == AlwaysFuse || isCacheWritten(s, stage) {
		return fused, err
	}
	return slices.Concat(fused, derived), err
}
