package llvm_test

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestLateNaN runs reductions whose NaN is written after the loop, at its end, before a read, or never late.
func TestLateNaN(t *testing.T) {
	x := newExecutor(t)
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, op := range []tir.BinOp{tir.Max, tir.Min} {
			x.sameNaN(lateNaNs(typ, op), x.host(16))
			x.sameNaN(lateNaNs(typ, op), x.host(32))
			x.sameNaN(lateNaNs(typ, op), avx512()) // masks of bits: LLVM compiles them for any processor
		}
	}
}

// lateNaNs are reductions of A and B, of values of type typ, to C.
func lateNaNs(typ tir.DType, op tir.BinOp) []*tir.Func {
	a, b, c, tmp := buf("A", typ, 12, 42), buf("B", typ, 8, 42), buf("C", typ, 8, 42), buf("T", typ, 42)
	i, k, l, z := v("i"), v("k"), v("l"), v("z")
	lanes := func(count int64, body func(j tir.Expr) tir.Stmt) tir.Stmt {
		j := v("j")
		return loop(tir.Vectorized, j, count, body(j))
	}
	fold := func(to *tir.Buffer, e tir.Expr, index ...tir.Expr) tir.Stmt {
		return set(to, tir.Bin(op, at(to, index...), e), index...)
	}
	// row folds row k of A into row r of C.
	row := func(k, r tir.Expr) tir.Stmt {
		return lanes(42, func(j tir.Expr) tir.Stmt { return fold(c, at(a, k, j), r, j) })
	}
	// part folds half a row into elements of C from an offset on.
	part := func(from int64) tir.Stmt {
		return lanes(16, func(j tir.Expr) tir.Stmt { return fold(c, at(a, k, j), n(0), add(j, n(from))) })
	}
	half := func(count int64) tir.Stmt {
		return lanes(count, func(j tir.Expr) tir.Stmt { return fold(tmp, at(tmp, add(j, n(count))), j) })
	}
	read := func(to tir.Expr) tir.Stmt {
		return lanes(42, func(j tir.Expr) tir.Stmt { return set(c, at(c, n(0), j), to, j) })
	}
	inner := add(mul(k, n(3)), l)
	list := []tir.Stmt{
		loop(tir.Serial, k, 12, row(k, n(0))),
		loop(tir.Unrolled, k, 12, row(k, n(0))),
		loop(tir.Unrolled, k, 1, row(k, n(0))),
		loop(tir.Serial, k, 4, loop(tir.Unrolled, l, 3, row(inner, n(0)))),
		loop(tir.Serial, k, 4, loop(tir.Serial, l, 3, row(inner, n(0)))),
		// into elements that change in an outer loop or in the inner one
		loop(tir.Serial, i, 8, loop(tir.Serial, k, 12, row(k, i))),
		loop(tir.Serial, k, 12, loop(tir.Serial, i, 8, row(k, i))),
		loop(tir.Parallel, i, 8, loop(tir.Serial, k, 12, row(k, i))),
		// into more elements than there are registers
		loop(tir.Serial, k, 12, loop(tir.Unrolled, i, 8, row(k, i))),
		// under conditions
		loop(tir.Serial, k, 12, &tir.If{Cond: tir.Bin(tir.GE, k, n(5)), Then: row(k, n(0))}),
		loop(tir.Serial, k, 12, lanes(42, func(j tir.Expr) tir.Stmt {
			return &tir.If{Cond: tir.Bin(tir.GE, add(j, k), n(9)), Then: fold(c, at(a, k, j), n(0), j)}
		})),
		// into elements that the loop reads, before and after
		loop(tir.Serial, k, 8, seq(row(k, n(0)), read(k))),
		loop(tir.Serial, k, 7, seq(read(add(k, n(1))), row(k, n(0)))),
		loop(tir.Serial, k, 8, seq(set(c, at(c, n(0), n(3)), k, n(39)), row(k, n(0)))),
		// into elements that are overwritten
		loop(tir.Serial, k, 8, seq(row(k, n(0)),
			lanes(42, func(j tir.Expr) tir.Stmt { return set(c, at(b, k, j), n(0), j) }))),
		// into elements that overlap
		loop(tir.Serial, k, 12, seq(part(3), part(0))),
		loop(tir.Serial, k, 12, seq(fold(c, at(a, k, n(1)), n(0), n(2)), part(0))),
		// halves of a row into each other
		alloc(tmp, seq(lanes(42, func(j tir.Expr) tir.Stmt { return set(tmp, tir.Const(typ, 0.25), j) }),
			loop(tir.Serial, k, 12, lanes(42, func(j tir.Expr) tir.Stmt { return fold(tmp, at(a, k, j), j) })),
			half(20), half(10), lanes(42, func(j tir.Expr) tir.Stmt { return set(c, at(tmp, j), n(0), j) }))),
	}
	start := loop(tir.Serial, z, 8, lanes(42, func(j tir.Expr) tir.Stmt { return set(c, tir.Const(typ, 0.5), z, j) }))
	funcs := make([]*tir.Func, len(list))
	for p, s := range list {
		funcs[p] = fn("late", 1, seq(start, s), a, b, c)
	}
	return funcs
}
