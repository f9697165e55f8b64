package llvm_test

import (
	"bytes"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestUnrollIsBounded counts the stores that loops become. They run backwards,
// so that they remain scalar.
func TestUnrollIsBounded(t *testing.T) {
	back := func(i tir.Expr, extent int64) tir.Expr { return sub(n(extent-1), i) }
	nest := func(extents ...int64) *tir.Func {
		c := buf("C", tir.I32, extents...)
		vars := make([]*tir.Var, len(extents))
		var index []tir.Expr
		for i := range vars {
			vars[i] = v("i")
			index = append(index, back(vars[i], extents[i]))
		}
		s := set(c, tir.Const(tir.I32, 1), index...)
		for i := len(vars) - 1; i >= 0; i-- {
			s = loop(tir.Unrolled, vars[i], extents[i], s)
		}
		return fn("nest", 1, s, c)
	}
	// A vector of 8 that is gathered counts as 2.
	gathered := func() *tir.Func {
		a, c, i, j := buf("A", tir.I32, 8, 256), buf("C", tir.I32, 256, 8), v("i"), v("j")
		return fn("gathered", 1, loop(tir.Unrolled, i, 256, loop(tir.Vectorized, j, 8, set(c, at(a, j, i), i, j))), a, c)
	}
	// 4 columns of a matrix are read at once, in loops that are unrolled or not.
	columns := func(kind tir.ForKind, extent, rows int64) *tir.Func {
		w, c, i, j, k := buf("W", tir.F32, 8, extent), buf("C", tir.F32, rows, 8, extent), v("i"), v("j"), v("k")
		return fn("columns", 1, loop(kind, k, extent, loop(tir.Unrolled, i, rows, loop(tir.Vectorized, j, 8, set(c, at(w, j, k), i, j, k)))), w, c)
	}
	// An exp counts as 3.
	called := func(name tir.Intrinsic) *tir.Func {
		a, c, i := buf("A", tir.F32, 256), buf("C", tir.F32, 256), v("i")
		return fn("called", 1, loop(tir.Unrolled, i, 256, set(c, &tir.Call{Fn: name, Args: []tir.Expr{at(a, i)}}, back(i, 256))), a, c)
	}
	// A vectorised loop of more than 8 vectors is a loop with one copy, and 3 more for a tail of 7; with functions,
	// that of 4 vectors abreast counts as 4 times as much.
	vectors := func(extent int64, value func(i, j tir.Expr) tir.Expr) *tir.Func {
		c, i, j := buf("C", tir.F32, 256, extent), v("i"), v("j")
		return fn("vectors", 1, loop(tir.Unrolled, i, 256, loop(tir.Vectorized, j, extent, set(c, value(i, j), i, j))), c)
	}
	zero := func(i, j tir.Expr) tir.Expr { return tir.Const(tir.F32, 0) }
	exp := func(i, j tir.Expr) tir.Expr { return &tir.Call{Fn: tir.Exp, Args: []tir.Expr{tir.Const(tir.F32, 2)}} }
	many := func(n int) *tir.Func {
		var list []tir.Stmt
		c := buf("C", tir.I32, 64)
		for range n {
			i := v("i")
			list = append(list, loop(tir.Unrolled, i, 64, set(c, tir.Const(tir.I32, 1), back(i, 64))))
		}
		return fn("many", 1, seq(list...), c)
	}
	for _, c := range []struct {
		f    *tir.Func
		want int
	}{
		{nest(5), 5},
		{nest(256), 256},
		{nest(257), 1},    // a prime
		{nest(5000), 250}, // 20 times
		{nest(4, 100), 200},
		{nest(100, 4), 200},
		{nest(300, 300), 150},
		{gathered(), 128},
		{columns(tir.Serial, 12, 1), 4 * 8},
		{columns(tir.Serial, 13, 1), 4*8 + 8}, // the last column
		{columns(tir.Serial, 3, 1), 8},
		{columns(tir.Serial, 12, 200), 50 * 8}, // too many
		{columns(tir.Unrolled, 120, 5), 12 * 5 * 8},
		{called(tir.Exp), 64},
		{called(tir.Sqrt), 256},
		{vectors(64, zero), 256},    // of 8 vectors, 32 times
		{vectors(72, zero), 256},    // 256 times 1
		{vectors(79, zero), 64 * 4}, // the tail is 4, 2 and 1
		{vectors(1<<40, zero), 256},
		{vectors(1<<40, exp), 16},
		{many(10), 640},
		{many(100), 3200}, // 32 each
	} {
		if got := bytes.Count(emit(t, c.f, avx2()), []byte("\n  store ")); got != c.want {
			t.Errorf("%d stores, want %d\n%s", got, c.want, c.f)
		}
	}
}
