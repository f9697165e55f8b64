package extent

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// wmtune.Pack has the true places of the outer axes side by side: they become one axis of rows. Its digits are those of
// these axes. The operand may have one place where the digits have several, which is then that of all. wmtune.Unpack
// has the rows where the bounds have them again. What lies beyond the true extents may be anything in both.

// outer returns the extents of the axes that digits are of.
func outer(digits []Digit) []int64 {
	var shape []int64
	for _, d := range digits {
		for len(shape) <= d.Axis {
			shape = append(shape, 1)
		}
		shape[d.Axis] *= d.Upper
	}
	return shape
}

// isRows reports whether n is a wmtune.Pack, or a wmtune.Unpack.
func isRows(n *graph.Node, name string) bool { return n.Domain == "wmtune" && n.Op == name }

// IsPack reports whether n is a wmtune.Pack.
func IsPack(n *graph.Node) bool { return isRows(n, "Pack") }

// IsUnpack reports whether n is a wmtune.Unpack.
func IsUnpack(n *graph.Node) bool { return isRows(n, "Unpack") }

func inferPack(n *graph.Node) ([]op.Type, error) {
	x, wide := n.Inputs[0], outer(Digits(n))
	if len(x.Shape) < len(wide) {
		return nil, fmt.Errorf("%s has fewer dimensions than its digits", x)
	}
	for a, size := range wide {
		if x.Shape[a] != size && x.Shape[a] != 1 {
			return nil, fmt.Errorf("%s has %d places along axis %d, and its digits %d", x, x.Shape[a], a, size)
		}
	}
	shape := append([]int64{graph.Elems(wide)}, x.Shape[len(wide):]...)
	return []op.Type{{DType: x.Type, Narrow: x.Narrow, Shape: shape}}, nil
}

func inferUnpack(n *graph.Node) ([]op.Type, error) {
	x, wide := n.Inputs[0], outer(Digits(n))
	if len(x.Shape) == 0 || x.Shape[0] != graph.Elems(wide) {
		return nil, fmt.Errorf("%s has no %d rows", x, graph.Elems(wide))
	}
	return []op.Type{{DType: x.Type, Narrow: x.Narrow, Shape: append(wide, x.Shape[1:]...)}}, nil
}

func evalPack(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	wide := outer(Digits(n))
	rest := in[0].Shape[len(wide):]
	strides, size := array.Strides(in[0].Shape), int(graph.Elems(rest))
	r := array.Like(in[0], append([]int64{graph.Elems(wide)}, rest...))
	dense(Digits(n), in[1].I, func(from, row int) {
		at := int64(0)
		for a, left := len(wide)-1, int64(from); a >= 0; a-- {
			if in[0].Shape[a] > 1 {
				at += left % wide[a] * strides[a]
			}
			left /= wide[a]
		}
		for i := range size {
			array.Put(r, int64(row*size+i), in[0], at+int64(i))
		}
	})
	return []*graph.Tensor{r}, nil
}

func evalUnpack(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	rest := in[0].Shape[1:]
	size := int(graph.Elems(rest))
	r := array.Like(in[0], append(outer(Digits(n)), rest...))
	dense(Digits(n), in[1].I, func(to, row int) {
		for i := range size {
			array.Put(r, int64(to*size+i), in[0], int64(row*size+i))
		}
	})
	return []*graph.Tensor{r}, nil
}

// extentIn returns the extent of a digit as a body reads it.
func extentIn(b *op.Body, d Digit) tir.Expr {
	if d.Entry < 0 {
		return tir.Int(d.Upper)
	}
	return Cast(b.Input(1).At(tir.Int(int64(d.Entry))), tir.Index)
}

func bodyPack(b *op.Body) error {
	digits, shape := Digits(b.Node), b.Node.Inputs[0].Shape
	wide := outer(digits)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index, inner, rest := Zeros(len(wide)), array.Ones(len(wide)), at[0]
		for i := len(digits) - 1; i >= 0; i-- {
			d, place := digits[i], rest
			if d.Upper == 1 {
				continue
			}
			if i > 0 {
				size := extentIn(b, d)
				if d.Entry >= 0 {
					size = MaxOf(size, tir.Int(1)) // without rows nobody needs the quotient
				}
				place, rest = tir.Bin(tir.FloorMod, rest, size), tir.Bin(tir.FloorDiv, rest, size)
			}
			if shape[d.Axis] > 1 {
				place = MinOf(place, tir.Int(d.Upper-1))
				index[d.Axis] = Add(index[d.Axis], Times(place, inner[d.Axis]))
			}
			inner[d.Axis] *= d.Upper
		}
		return b.Read(0, append(index, at[1:]...)...)
	})
	return nil
}

func bodyUnpack(b *op.Body) error {
	digits := Digits(b.Node)
	wide := outer(digits)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		row := tir.Expr(Zero)
		for i, d := range digits {
			if d.Upper > 1 {
				row = Add(Mul(row, extentIn(b, d)), place(digits, i, at))
			}
		}
		row = MinOf(row, tir.Int(graph.Elems(wide)-1))
		return b.Read(0, append([]tir.Expr{row}, at[len(wide):]...)...)
	})
	return nil
}
