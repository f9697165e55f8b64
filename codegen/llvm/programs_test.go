package llvm_test

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// Shorthands for writing programs.
var (
	buf, local, v, n   = tirtest.Buf, tirtest.Local, tirtest.V, tirtest.N
	add, sub, mul      = tirtest.Add, tirtest.Sub, tirtest.Mul
	at, set, loop, seq = tirtest.At, tirtest.Set, tirtest.Loop, tirtest.Seq
	alloc, fn          = tirtest.Alloc, tirtest.Fn
)

// tiledMatmul is the schedule of a register tile: mr rows by nr columns of C
// are accumulated in a local buffer, k is unrolled by kr.
func tiledMatmul(m, k, nn, mr, nr, kr int64, t tir.DType) *tir.Func {
	return tiledMatmulKinds(m, k, nn, mr, nr, kr, t, tir.Unrolled, tir.Unrolled)
}

// tiledMatmulKinds is tiledMatmul with other kinds of loops over the inner part
// of k and over the rows.
func tiledMatmulKinds(m, k, nn, mr, nr, kr int64, t tir.DType, inner, rows tir.ForKind) *tir.Func {
	a, b, c := buf("A", t, m, k), buf("B", t, k, nn), buf("C", t, m, nn)
	acc := local("C.local", t, mr, nr)
	io, jo, ko, ki := v("i.0"), v("j.0"), v("k.0"), v("k.1")
	i1, j1, i2, j2, i3, j3 := v("i.1"), v("j.1"), v("i.2"), v("j.2"), v("i.3"), v("j.3")
	kk := add(mul(ko, n(kr)), ki)
	body := loop(tir.Parallel, io, m/mr, loop(tir.Serial, jo, nn/nr, alloc(acc,
		loop(rows, i1, mr, loop(tir.Vectorized, j1, nr, set(acc, tir.Const(t, 0), i1, j1))),
		loop(tir.Serial, ko, k/kr, loop(inner, ki, kr, loop(rows, i2, mr, loop(tir.Vectorized, j2, nr,
			set(acc, add(at(acc, i2, j2), mul(at(a, add(mul(io, n(mr)), i2), kk), at(b, kk, add(mul(jo, n(nr)), j2)))), i2, j2))))),
		loop(rows, i3, mr, loop(tir.Vectorized, j3, nr,
			set(c, at(acc, i3, j3), add(mul(io, n(mr)), i3), add(mul(jo, n(nr)), j3)))))))
	return fn("matmul", 1, body, a, b, c)
}
