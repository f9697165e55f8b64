package arith

import "github.com/wmtune/wmtune/tir"

// Coefficient returns k if e is k*v plus something without v, as it is written: products of sums, quotients and
// remainders are not taken apart. It is 0 if v does not occur in e.
func Coefficient(e tir.Expr, v *tir.Var) (k int64, ok bool) {
	if !tir.Uses(e, v) {
		return 0, true
	}
	b, isBinary := e.(*tir.Binary)
	if !isBinary {
		return 1, e == tir.Expr(v)
	}
	x, okX := Coefficient(b.X, v)
	y, okY := Coefficient(b.Y, v)
	if !okX || !okY {
		return 0, false
	}
	switch b.Op {
	case tir.Add:
		return x + y, true
	case tir.Sub:
		return x - y, true
	case tir.Mul:
		if c, ok := b.Y.(*tir.IntImm); ok {
			return x * c.Value, true
		}
		if c, ok := b.X.(*tir.IntImm); ok {
			return c.Value * y, true
		}
	}
	return 0, false
}
