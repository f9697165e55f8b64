package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// The three innermost loops of a stage that tensor cores carry out are, in any order, over
// 16 rows, 8 columns and 16 steps of the sum; those of the stage that reads it are over 16
// rows and 8 columns. The annotation is on the first of them.

// TensorOperands returns the two elements that a step of op multiplies, if tensor cores can:
// op must be a sum, in float32, of products of two float16 or two bfloat16 elements. The
// error says what it is not.
func TensorOperands(op *compute.Op) (x, y *tir.Load, err error) {
	if op.Combine == nil || op.Combine.Kind != compute.Sum || len(op.Results) != 1 || op.Results[0].Type != tir.F32 {
		return nil, nil, fmt.Errorf("stage %s is no sum in float32", op.Name)
	}
	if c, ok := op.Combine.Identity[0].(*tir.FloatImm); !ok || c.Value != 0 {
		return nil, nil, fmt.Errorf("the sum of stage %s does not begin with 0", op.Name)
	}
	if x, y = Factors(op.Body[0]); x != nil && y != nil && x.Buffer.Type == y.Buffer.Type {
		return x, y, nil
	}
	return nil, nil, fmt.Errorf("stage %s does not sum products of two float16 or two bfloat16 elements", op.Name)
}

// Factors returns the elements of 16-bit types that e is the product of in float32, nil for
// what is none.
func Factors(e tir.Expr) (x, y *tir.Load) {
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.Mul {
		return half(b.X), half(b.Y)
	}
	return nil, nil
}

// half returns the element of a 16-bit type that e is in float32, nil if it is none.
func half(e tir.Expr) *tir.Load {
	c, ok := e.(*tir.Cast)
	if !ok || c.To != tir.F32 {
		return nil
	}
	l, ok := c.X.(*tir.Load)
	if !ok || l.Buffer.Type != tir.F16 && l.Buffer.Type != tir.BF16 {
		return nil
	}
	return l
}

// tensorize returns why loop iter of a stage cannot be the first of a tile, nil if it can be.
// Extents that are not known yet are taken as right.
func (st *Stage) tensorize(iter int) error {
	want := []tileLoop{{Spatial, tir.MMARows}, {Spatial, tir.MMACols}}
	if st.Op.Combine != nil {
		if _, _, err := TensorOperands(st.Op); err != nil {
			return err
		}
		want = append(want, tileLoop{Reduction, tir.MMADepth})
	}
	if n := len(st.Iters) - iter; n != len(want) {
		return fmt.Errorf("iterator %s of stage %s has %d loops in it: a tile is the %d innermost loops", st.Iters[iter].Name, st.Op.Name, n-1, len(want))
	}
	for _, it := range st.Iters[iter:] {
		at := slices.IndexFunc(want, func(l tileLoop) bool { return l.kind == it.Kind && (l.extent == it.Extent || it.Extent == Unknown) })
		if at < 0 || it.Ann != None {
			return fmt.Errorf("iterator %s of stage %s (%s, %d iterations): a tile is loops without annotations over %d rows, %d columns and, of a sum, %d steps",
				it.Name, st.Op.Name, it.Ann, it.Extent, tir.MMARows, tir.MMACols, tir.MMADepth)
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
