package op

import (
	"math"
	"math/bits"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// comesBefore reports whether element i of t is less than element j. NaN is greater than every number, and equal to
// itself.
func comesBefore(t *graph.Tensor, i, j int64) bool {
	switch {
	case t.F != nil:
		return t.F[i] < t.F[j] || math.IsNaN(t.F[j]) && !math.IsNaN(t.F[i])
	case t.Type == tir.U64:
		return uint64(t.I[i]) < uint64(t.I[j])
	}
	return t.I[i] < t.I[j]
}

// below is x < y as comesBefore has it, for numbers of one type, bools included.
func below(x, y tir.Expr) tir.Expr {
	t := Register(x.DType())
	if t == tir.Bool {
		t = tir.I32
	}
	x, y = Cast(x, t), Cast(y, t)
	if !t.IsFloat() {
		return lt(x, y)
	}
	return or(lt(x, y), and(ne(y, y), eq(x, x)))
}

// scratch returns a buffer of a function's own.
func scratch(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape, Scope: tir.Local}
}

// allocs gives a statement several buffers.
func allocs(body tir.Stmt, buffers ...*tir.Buffer) tir.Stmt {
	for _, b := range buffers {
		body = alloc(b, body)
	}
	return body
}

// upToExpr runs body for 0..extent-1, in order.
func upToExpr(name string, extent tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar(name)
	return &tir.For{Var: v, Extent: extent, Body: body(v)}
}

var zero = tir.Int(0)

// mergeSort sorts 0..n-1 into order; equals keep their order. Compare sets after[0], an int32, to 1 if item j comes
// before item i, else to 0 or -1.
func mergeSort(n int64, order *tir.Buffer, compare func(i, j tir.Expr, after *tir.Buffer) tir.Stmt) tir.Stmt {
	spare, after := scratch("spare", tir.I64, n), scratch("after", tir.I32, 1)
	width, left, right := scratch("width", tir.I64, 1), scratch("left", tir.I64, 1), scratch("right", tir.I64, 1)
	w, l, r := load(width, zero), load(left, zero), load(right, zero)
	merge := func(block tir.Expr) tir.Stmt {
		low := mul(block, times(w, 2))
		middle, high := minOf(add(low, w), tir.Int(n)), minOf(add(low, times(w, 2)), tir.Int(n))
		return seq(store(left, low, zero), store(right, middle, zero),
			upToExpr("k", sub(high, low), func(k tir.Expr) tir.Stmt {
				i, j := load(order, minOf(l, tir.Int(n-1))), load(order, minOf(r, tir.Int(n-1)))
				return seq(compare(i, j, after), &tir.If{
					Cond: and(lt(l, middle), or(ge(r, high), le(load(after, zero), num32(0)))),
					Then: seq(store(spare, i, add(low, k)), store(left, plus(l, 1), zero)),
					Else: seq(store(spare, j, add(low, k)), store(right, plus(r, 1), zero)),
				})
			}))
	}
	passes := int64(bits.Len64(uint64(n - 1)))
	return allocs(seq(
		loop("i", n, func(i tir.Expr) tir.Stmt { return store(order, i, i) }),
		store(width, tir.Int(1), zero),
		loop("pass", passes, func(tir.Expr) tir.Stmt {
			return seq(upToExpr("block", tir.Bin(tir.FloorDiv, plus(add(times(w, 2), tir.Int(n)), -1), maxOf(times(w, 2),
				tir.Int(1))), merge),
				loop("i", n, func(i tir.Expr) tir.Stmt { return store(order, load(spare, i), i) }),
				store(width, times(w, 2), zero))
		})), spare, after, width, left, right)
}
