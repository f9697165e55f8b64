package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// selectInstructions chooses the instruction of each tensorized loop, which carries out its steps for all lanes of the
// vector that the loop is in:
//
//	vectorize j in 64:                              vectorize j in 64:
//	  tensorize k in 4:                       =>      tensorize k in 4 by vpdpbusd.512:
//	    C[i, j] += int32(A[i, 4*k0+k])*int32(W[k0, j, k])     ...
//
// The instruction must be one of the target's, and its steps must lie as it reads them: side by side, those of one lane
// after those of the lane before, or in one place for all lanes. So they do where a constant operand is packed
// (relayout) or another one is copied (repack). A loop without an instruction is unrolled, around the vector that it
// was in. At the end of a sum there may be fewer steps, by a guard that partition takes out; the weights have zeros
// there.
//
// An instruction of tiles carries out the loops over groups of steps and over rows around that, too (tir.TileLoops).
func selectInstructions(f *tir.Func, cfg Config) (*tir.Func, error) {
	list := cfg.instructions(func(*tir.Instruction) bool { return true })
	return eachBody(f, func(s tir.Stmt) tir.Stmt { return selected(list, s, nil) }), nil
}

// instructions returns those of a processor that are wanted.
func (cfg Config) instructions(wanted func(*tir.Instruction) bool) []*tir.Instruction {
	if cfg.Target.Kind != target.LLVM {
		return nil
	}
	list := tir.InstructionsOf(cfg.Target.CPU, cfg.Target.Has, cfg.Target.Hardware.VectorBytes)
	return slices.DeleteFunc(list, func(i *tir.Instruction) bool { return !wanted(i) })
}

// selected chooses instructions of a list in s, which is in the lanes of a vector, or not if that is nil.
func selected(list []*tir.Instruction, s tir.Stmt, lane *tir.Var) tir.Stmt {
	if l, ok := s.(*tir.For); ok {
		if nest := tileNest(l); nest != nil {
			if i := slices.IndexFunc(list, nest.suits); i >= 0 {
				return nest.by(list[i])
			}
		}
		switch {
		case l.Kind == tir.Vectorized:
			lane = l.Var
			steps, ok := l.Body.(*tir.For)
			if ok && steps.Kind == tir.Tensorized && steps.Instruction == nil && instructionFor(list, steps, lane) == nil {
				vector := *l
				vector.Body = steps.Body
				return &tir.For{Var: steps.Var, Extent: steps.Extent, Kind: tir.Unrolled, Body: &vector}
			}
		case l.Kind == tir.Tensorized && l.Instruction == nil:
			c := *l
			c.Instruction = instructionFor(list, l, lane)
			if c.Instruction == nil {
				c.Kind = tir.Unrolled
			}
			return &c
		}
	}
	return tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { return selected(list, t, lane) })
}

// instructionFor returns the first instruction that can carry out a loop in the lanes of a vector, nil if none can.
func instructionFor(list []*tir.Instruction, l *tir.For, lane *tir.Var) *tir.Instruction {
	s := tir.Accumulated(l, true)
	if s == nil || lane == nil {
		return nil
	}
	x, y, ok := tir.Factors(s.Value.(*tir.Binary).Y)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(list, func(i *tir.Instruction) bool {
		n, ok := l.Extent.(*tir.IntImm)
		return ok && !i.IsTile() && (n.Value == i.Depth || i.Wraps && n.Value < i.Depth && i.Depth < 2*n.Value) &&
			i.Multiplies(x.Type(), y.Type(), s.Buffer.Type) &&
			grouped(x, l.Var, lane, i.Depth) && grouped(y, l.Var, lane, i.Depth)
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// grouped reports whether the steps of an element lie side by side, and the lanes one group after the other or in one
// place. A condition of padding must be the same for all of them, and of an element that lanes share. The steps of a
// field are those of the bytes of a word.
func grouped(e tir.Factor, step, lane *tir.Var, depth int64) bool {
	if e.Cond != nil && (tir.Uses(e.Cond, step) || tir.Uses(e.Cond, lane)) {
		return false
	}
	steps, ok := arith.Stride(e.Buffer, e.Index, step)
	lanes, ok2 := arith.Stride(e.Buffer, e.Index, lane)
	if !ok || !ok2 {
		return false
	}
	if e.Mask != 0 {
		shift := e.Shift
		if c, ok := shift.(*tir.Cast); ok {
			shift = c.X
		}
		each, ok := arith.Coefficient(shift, step)
		bits := int64(e.Buffer.Type.Bits())
		return ok && each*depth == bits && !tir.Uses(shift, lane) && e.Cond == nil && steps == 0 && lanes == 1
	}
	return steps == 1 && (lanes == 0 || lanes == depth && e.Cond == nil)
}
