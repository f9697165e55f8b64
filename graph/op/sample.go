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

// corners calls term for each of the points of whole numbers around a position, with the factor that linear
// interpolation gives it, and returns the sum of the terms.
func corners(at []tir.Expr, term func(corner []tir.Expr, factor tir.Expr) tir.Expr) tir.Expr {
	var sum tir.Expr
	corner := make([]tir.Expr, len(at))
	var visit func(d int, factor tir.Expr)
	visit = func(d int, factor tir.Expr) {
		if d == len(at) {
			if t := term(corner, factor); sum == nil {
				sum = t
			} else {
				sum = add(sum, t)
			}
			return
		}
		lower := fn(tir.Floor, at[d])
		part := sub(at[d], lower)
		for i, f := range []tir.Expr{sub(num(part, 1), part), part} {
			corner[d] = lower
			if i == 1 {
				corner[d] = add(lower, num(lower, 1))
			}
			if factor != nil {
				f = mul(factor, f)
			}
			visit(d+1, f)
		}
	}
	visit(0, nil)
	return sum
}

// linear interpolates an image of the given extents at a position; elements outside are 0.
func linear(at []tir.Expr, extents []int64, read func(index []tir.Expr) tir.Expr) tir.Expr {
	return corners(at, func(corner []tir.Expr, factor tir.Expr) tir.Expr {
		index, inside := make([]tir.Expr, len(at)), make([]tir.Expr, len(at))
		for d, n := range extents {
			index[d], inside[d] = nearest(corner[d], n), inImage(corner[d], n)
		}
		v := read(index)
		return mul(factor, sel(tir.AllOf(inside...), v, num(v, 0)))
	})
}
