package op

import (
	"github.com/wmtune/wmtune/tir"
)

// The functions of this file read images at positions that are data, in bodies. Positions are floats.

// nearest returns a whole number as an index into n elements: the nearest one if it is outside, and 0 for NaN.
func nearest(x tir.Expr, n int64) tir.Expr {
	return Cast(sel(ge(x, num(x, 0)), minOf(x, num(x, float64(n-1))), num(x, 0)), tir.I64)
}

// inImage reports whether a whole number is an index into n elements.
func inImage(x tir.Expr, n int64) tir.Expr { return and(ge(x, num(x, 0)), le(x, num(x, float64(n-1)))) }

// A tap is a point next to a position along one dimension, and the factor that interpolation gives it.
type tap struct{ at, factor tir.Expr }

// interpolate calls term for each point of taps of all dimensions, with the product of their factors (nil for 1), and
// returns the sum of the terms.
func interpolate(dims [][]tap, term func(point []tir.Expr, factor tir.Expr) tir.Expr) tir.Expr {
	var sum tir.Expr
	point := make([]tir.Expr, len(dims))
	var visit func(d int, factor tir.Expr)
	visit = func(d int, factor tir.Expr) {
		if d == len(dims) {
			if t := term(point, factor); sum == nil {
				sum = t
			} else {
				sum = add(sum, t)
			}
			return
		}
		for _, t := range dims[d] {
			point[d] = t.at
			switch {
			case factor == nil:
				visit(d+1, t.factor)
			case t.factor == nil:
				visit(d+1, factor)
			default:
				visit(d+1, mul(factor, t.factor))
			}
		}
	}
	visit(0, nil)
	return sum
}

// linearTaps are the two points around a position.
func linearTaps(at tir.Expr) []tap {
	lower := fn(tir.Floor, at)
	part := sub(at, lower)
	return []tap{{lower, sub(num(part, 1), part)}, {add(lower, num(lower, 1)), part}}
}

// linear interpolates an image of the given extents at a position; elements outside are 0.
func linear(at []tir.Expr, extents []int64, read func(index []tir.Expr) tir.Expr) tir.Expr {
	dims := make([][]tap, len(at))
	for d, e := range at {
		dims[d] = linearTaps(e)
	}
	return interpolate(dims, func(point []tir.Expr, factor tir.Expr) tir.Expr {
		return mul(factor,
			inside(point, extents, read))
	})
}

// inside reads an element at a point of whole numbers, or 0 if it is outside of the extents.
func inside(point []tir.Expr, extents []int64, read func(index []tir.Expr) tir.Expr) tir.Expr {
	index, conds := make([]tir.Expr, len(point)), make([]tir.Expr, len(point))
	for d, n := range extents {
		index[d], conds[d] = nearest(point[d], n), inImage(point[d], n)
	}
	v := read(index)
	return sel(tir.AllOf(conds...), v, num(v, 0))
}
