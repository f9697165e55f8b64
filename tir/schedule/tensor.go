package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// The three innermost loops of a stage that tensor cores carry out are, in any order, over
// 16 rows, 8 columns and 16 steps of the sum, of float32 8 steps; those of the stage that
// reads it are over 16 rows and 8 columns. The annotation is on the first of them. Instructions of processors
// (tir.Instruction) make some steps of a sum for all lanes of a vector: the annotation is on the innermost loop, which
// are these steps, inside of the vector.

// TensorOperands returns the two elements that a step of op multiplies, if tensor cores can:
// op must be a sum, in float32, of products of two float16, two bfloat16 or two float32
// elements. The last ones they round to tf32. The error says what it is not.
func TensorOperands(op *compute.Op) (x, y *tir.Load, err error) {
	if op.Combine == nil || op.Combine.Kind != compute.Sum || len(op.Results) != 1 || op.Results[0].Type != tir.F32 ||
		op.Combine.Wide {
		return nil, nil, fmt.Errorf("stage %s is no sum in float32", op.Name)
	}
	if !op.Combine.Neutral() {
		return nil, nil, fmt.Errorf("the sum of stage %s does not begin with 0", op.Name)
	}
	if x, y = Factors(op.Body[0]); x != nil && y != nil && x.Buffer.Type == y.Buffer.Type {
		return x, y, nil
	}
	return nil, nil, fmt.Errorf("stage %s does not sum products of two float16, two bfloat16 or two float32 elements",
		op.Name)
}

// Factors returns the elements that e is the product of in float32, which is the type of e,
// nil for what is none.
func Factors(e tir.Expr) (x, y *tir.Load) {
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.Mul {
		return factor(b.X), factor(b.Y)
	}
	return nil, nil
}

// factor returns the element of a type that tensor cores multiply that e is, a 16-bit one in
// float32; nil if it is none.
func factor(e tir.Expr) *tir.Load {
	if c, ok := e.(*tir.Cast); ok && c.To == tir.F32 {
		e = c.X
		if e.DType() == tir.F32 {
			return nil
		}
	}
	l, ok := e.(*tir.Load)
	if !ok || tir.MMADepth(l.Buffer.Type) == 0 {
		return nil
	}
	return l
}

// Multiplied returns the two elements, and the type of the sum, of an op that sums products of two elements, both
// converted to that type; ok is false if op is none. The sum begins with 0.
func Multiplied(op *compute.Op) (x, y *tir.Load, ok bool) {
	if op.Combine == nil || op.Combine.Kind != compute.Sum || len(op.Results) != 1 || !op.Combine.Neutral() {
		return nil, nil, false
	}
	a, b, ok := tir.Factors(op.Body[0])
	return a.Load, b.Load, ok && a.Cond == nil && b.Cond == nil
}

// Computes reports whether an instruction makes the products that op sums.
func Computes(i *tir.Instruction, op *compute.Op) bool {
	x, y, ok := Multiplied(op)
	return ok && i.Multiplies(x.Buffer.Type, y.Buffer.Type, op.Results[0].Type)
}

// tensorizeSum returns why the innermost loop of a stage cannot be the steps of a sum that an instruction makes at
// once, nil if it can be.
func (st *Stage) tensorizeSum() error {
	steps := st.Iters[len(st.Iters)-1]
	for _, i := range tir.Instructions() {
		if i.Scopes[0] != tir.Shared && Computes(i, st.Op) && (steps.Extent == i.Group() || steps.Extent == Unknown) {
			return nil
		}
	}
	return fmt.Errorf("no instruction makes %d steps at once of the sum of stage %s", steps.Extent, st.Op.Name)
}

// tensorize returns why loop iter of a stage cannot be the first of a tile, nil if it can be.
// Extents that are not known yet are taken as right.
func (st *Stage) tensorize(iter int) error {
	if iter == len(st.Iters)-1 && st.Iters[iter].Kind == Reduction {
		return st.tensorizeSum()
	}
	want := []tileLoop{{Spatial, tir.MMARows}, {Spatial, tir.MMACols}}
	size := fmt.Sprintf("%d rows and %d columns", tir.MMARows, tir.MMACols)
	if st.Op.Combine != nil {
		x, _, err := TensorOperands(st.Op)
		if err != nil {
			return err
		}
		steps := tir.MMADepth(x.Buffer.Type)
		want = append(want, tileLoop{Reduction, steps})
		size = fmt.Sprintf("%d rows, %d columns and %d steps of the sum", tir.MMARows, tir.MMACols, steps)
	}
	if n := len(st.Iters) - iter; n != len(want) {
		return fmt.Errorf("iterator %s of stage %s has %d loops in it: a tile is the %d innermost loops",
			st.Iters[iter].Name, st.Op.Name, n-1, len(want))
	}
	for _, it := range st.Iters[iter:] {
		at := slices.IndexFunc(want, func(l tileLoop) bool {
			return l.kind == it.Kind && (l.extent == it.Extent || it.Extent == Unknown)
		})
		if at < 0 || it.Ann != None {
			return fmt.Errorf("iterator %s of stage %s (%s, %d iterations): a tile is loops without annotations over %s",
				it.Name, st.Op.Name, it.Ann, it.Extent, size)
		}
		want = slices.Delete(want, at, at+1)
	}
	return nil
}

// A tileLoop is what a loop of a tile goes over.
type tileLoop struct {
	kind   IterKind
	extent int64
}

// IsTensorized reports whether a stage has a tile that tensor cores compute or hand over.
func (st *Stage) IsTensorized() bool {
	for _, it := range st.Iters {
		if it.Ann == Tensorize {
			return true
		}
	}
	return false
}

// ByInstruction reports whether the innermost loop of a stage is steps of a sum that an instruction of a processor
// makes at once.
func (st *Stage) ByInstruction() bool {
	n := len(st.Iters)
	return n > 0 && st.Iters[n-1].Ann == Tensorize && st.Iters[n-1].Kind == Reduction
}

// Rounds reports whether tensor cores compute a stage of s whose operands they round to tf32.
func (s *State) Rounds() bool {
	return slices.ContainsFunc(s.Stages, func(st *Stage) bool {
		if st.Op.Combine == nil || !st.IsTensorized() {
			return false
		}
		x, _, err := TensorOperands(st.Op)
		return err == nil && x.Buffer.Type == tir.F32
	})
}
