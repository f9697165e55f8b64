package llvm_test

import "github.com/wmtune/wmtune/tir"

// Shorthands for writing programs.

func buf(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape}
}

func local(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape, Scope: tir.Local}
}

func v(name string) *tir.Var { return tir.NewVar(name) }

func n(c int64) tir.Expr { return tir.Int(c) }

func add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func sub(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }
func mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }

func at(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }

func set(b *tir.Buffer, value tir.Expr, index ...tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: b, Index: index, Value: value}
}

func loop(kind tir.ForKind, x *tir.Var, extent int64, body ...tir.Stmt) tir.Stmt {
	return &tir.For{Var: x, Extent: tir.Int(extent), Kind: kind, Body: seq(body...)}
}

func seq(list ...tir.Stmt) tir.Stmt {
	if len(list) == 1 {
		return list[0]
	}
	return &tir.Seq{Stmts: list}
}

func alloc(b *tir.Buffer, body ...tir.Stmt) tir.Stmt {
	return &tir.Alloc{Buffer: b, Body: seq(body...)}
}

func fn(name string, outputs int, body tir.Stmt, params ...*tir.Buffer) *tir.Func {
	return &tir.Func{Name: name, Params: params, Outputs: outputs, Body: body}
}

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
