package tirtest

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// bits computes with the bits of numbers: of integers at random, of floats so that they stay as large as they are.
func (g *gen) bits() {
	d := g.dims(3, 600)
	x, y := g.input("X", d...), g.input("Y", d[2])
	combine := g.bitsOfInts
	if g.storage.IsFloat() {
		combine = g.bitsOfFloats
	}
	g.epilogue(g.compute("C", d, func(at []tir.Expr) tir.Expr {
		return combine(&tir.Load{Buffer: x, Index: at}, &tir.Load{Buffer: y, Index: at[2:]})
	}))
}

// bitsOfInts combines integers in three operations. Counts of shifts are negative or too large, too.
func (g *gen) bitsOfInts(x, y tir.Expr) tir.Expr {
	ops := []tir.BinOp{tir.BitAnd, tir.BitOr, tir.BitXor, tir.Shl, tir.Shr, tir.Shr}
	e := tir.Bin(tir.BitXor, x, &tir.IntImm{Value: g.storage.Wrap(-1), Type: g.storage})
	for range 3 {
		e, y = tir.Bin(ops[g.r.IntN(len(ops))], e, y), e
	}
	return e
}

// bitsOfFloats changes signs, by that of y, and last bits.
func (g *gen) bitsOfFloats(x, y tir.Expr) tir.Expr {
	t := map[int]tir.DType{2: tir.U16, 4: tir.U32, 8: tir.U64}[g.storage.Bytes()]
	read := func(x tir.Expr) tir.Expr { return &tir.Bitcast{X: x, To: t} }
	c := func(v int64) tir.Expr { return &tir.IntImm{Value: t.Wrap(v), Type: t} }
	sign := c(1 << (t.Bits() - 1))
	e := read(x)
	switch op := g.r.IntN(5); op {
	case 0: // the magnitude
		e = tir.Bin(tir.BitAnd, e, c(1<<(t.Bits()-1)-1))
	case 1: // a negative number
		e = tir.Bin(tir.BitOr, e, sign)
	default: // without the last bits
		e = tir.Bin(tir.Shl, tir.Bin(tir.Shr, e, c(int64(op))), c(int64(op)))
	}
	return &tir.Bitcast{X: tir.Bin(tir.BitXor, e, tir.Bin(tir.BitAnd, read(y), sign)), To: g.storage}
}

// waves has sines, cosines and inverse tangents.
func (g *gen) waves() {
	d := g.dims(3, 400)
	x, y := g.input("X", d...), g.input("Y", d[2])
	call := func(fn tir.Intrinsic, e tir.Expr) tir.Expr { return &tir.Call{Fn: fn, Args: []tir.Expr{e}} }
	g.epilogue(g.compute("C", d, func(at []tir.Expr) tir.Expr {
		a, b := load(x, at...), load(y, at[2])
		return add(mul(call(tir.Sin, a), call(tir.Cos, b)), call(tir.Atan, add(a, b)))
	}))
}

// scalars reduces all of a tensor to a number, which others read, and which may be an output.
func (g *gen) scalars() {
	d := g.dims(2, 600)
	x := g.input("X", d...)
	kind := []compute.CombineKind{compute.Sum, compute.MaxOf, compute.MinOf}[g.r.IntN(3)]
	s := g.fold(kind, "S", nil, d, func(_, r []tir.Expr) tir.Expr { return load(x, r...) })
	if g.coin() {
		s = g.compute("T", nil, func([]tir.Expr) tir.Expr { return add(load(s), tir.Const(s.Type, 1)) })
	}
	if g.coin() {
		g.output(s)
	}
	g.epilogue(g.compute("C", d, func(at []tir.Expr) tir.Expr { return sub(load(x, at...), load(s)) }))
}
