package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// Fused multiply-add, in reductions only: where a product is added to the
// element that is being accumulated,
//
//	C[i] = C[i] + a*b   =>   C[i] = fma(a, b, C[i])
//
// Elsewhere products are rounded, so that results are those of the interpreter.

// fused emits e, an addition of floats, as an fma if one operand holds the
// accumulator of the reduction being stored and the other is a product.
func (f *function) fused(e *tir.Binary) (value, bool) {
	acc, prod := e.X, e.Y
	if !f.accumulates(acc) {
		acc, prod = prod, acc
	}
	p, ok := prod.(*tir.Binary)
	if !ok || p.Op != tir.Mul || !f.accumulates(acc) || !f.hasFMA() || e.DType() != tir.F32 && e.DType() != tir.F64 {
		return value{}, false
	}
	c, x, y := f.expr(acc), f.expr(p.X), f.expr(p.Y)
	n := max(c.n, x.n, y.n)
	c, x, y = f.spread(c, n), f.spread(x, n), f.spread(y, n)
	typ := f.typeOf(c)
	name := "@llvm.fma." + mangle(scalarType(c.typ), n)
	f.m.need(fmt.Sprintf("declare %s %s(%s, %s, %s)", typ, name, typ, typ, typ))
	return f.result(c, f.pure(fmt.Sprintf("call %s %s(%s %s, %s %s, %s %s)", typ, name, typ, x.ref, typ, y.ref, typ,
		c.ref))), true
}

// hasFMA reports whether fma is an instruction and not a call.
func (f *function) hasFMA() bool {
	t := f.m.target
	return t.Has("fma") || t.Has("avx512f") || t.Has("neon")
}

// accumulates reports whether e is the element being stored, or a sum or
// conversion of it.
func (f *function) accumulates(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Load:
		return tir.IsStored(e, f.chain)
	case *tir.Cast:
		return f.accumulates(e.X)
	case *tir.Binary:
		return e.Op == tir.Add && (f.accumulates(e.X) || f.accumulates(e.Y))
	}
	return false
}
