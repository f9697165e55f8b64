package window

import (
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// The functions of this file read images at positions that are data, in bodies. Positions are floats.

// Nearest returns a whole number as an index into n elements: the nearest one if it is outside, and 0 for NaN.
func Nearest(x tir.Expr, n int64) tir.Expr {
	return Cast(Sel(Ge(x, Num(x, 0)), MinOf(x, Num(x, float64(n-1))), Num(x, 0)), tir.I64)
}

// inImage reports whether a whole number is an index into n elements.
func inImage(x tir.Expr, n int64) tir.Expr { return And(Ge(x, Num(x, 0)), Le(x, Num(x, float64(n-1)))) }

// A Tap is a point next to a position along one dimension, and the factor that interpolation gives it.
type Tap struct{ At, Factor tir.Expr }

// Interpolate calls term for each point of taps of all dimensions, with the product of their factors (nil for 1), and
// returns the sum of the terms.
func Interpolate(dims [][]Tap, term func(point []tir.Expr, factor tir.Expr) tir.Expr) tir.Expr {
	var sum tir.Expr
	point := make([]tir.Expr, len(dims))
	var visit func(d int, factor tir.Expr)
	visit = func(d int, factor tir.Expr) {
		if d == len(dims) {
			if t := term(point, factor); sum == nil {
				sum = t
			} else {
				sum = Add(sum, t)
			}
			return
		}
		for _, t := range dims[d] {
			point[d] = t.At
			switch {
			case factor == nil:
				visit(d+1, t.Factor)
			case t.Factor == nil:
				visit(d+1, factor)
			default:
				visit(d+1, Mul(factor, t.Factor))
			}
		}
	}
	visit(0, nil)
	return sum
}

// LinearTaps are the two points around a position.
func LinearTaps(at tir.Expr) []Tap {
	lower := Fn(tir.Floor, at)
	part := Sub(at, lower)
	return []Tap{{lower, Sub(Num(part, 1), part)}, {Add(lower, Num(lower, 1)), part}}
}

// linear interpolates an image of the given extents at a position; elements outside are 0.
func linear(at []tir.Expr, extents []int64, read func(index []tir.Expr) tir.Expr) tir.Expr {
	dims := make([][]Tap, len(at))
	for d, e := range at {
		dims[d] = LinearTaps(e)
	}
	return Interpolate(dims, func(point []tir.Expr, factor tir.Expr) tir.Expr {
		return Mul(factor,
			Inside(point, extents, read))
	})
}

// Inside reads an element at a point of whole numbers, or 0 if it is outside of the extents.
func Inside(point []tir.Expr, extents []int64, read func(index []tir.Expr) tir.Expr) tir.Expr {
	index, conds := make([]tir.Expr, len(point)), make([]tir.Expr, len(point))
	for d, n := range extents {
		index[d], conds[d] = Nearest(point[d], n), inImage(point[d], n)
	}
	v := read(index)
	return Sel(tir.AllOf(conds...), v, Num(v, 0))
}
