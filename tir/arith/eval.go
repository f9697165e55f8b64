package arith

import (
	"github.com/wmtune/wmtune/tir"
)

// Eval returns the value of an expression of integers or Bool. At gives the values of what has one of its own:
// variables, loads, and what is computed of floats. Eval returns false where at does, and where Apply does.
func Eval(e tir.Expr, at func(tir.Expr) (int64, bool)) (v int64, ok bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value, true
	case *tir.Cast:
		if e.To.IsFloat() || e.X.DType().IsFloat() {
			break
		}
		v, ok = Eval(e.X, at)
		if e.To == tir.Bool {
			return truth(v != 0), ok
		}
		return e.To.Wrap(v), ok
	case *tir.Not:
		v, ok = Eval(e.X, at)
		return 1 - v, ok
	case *tir.Select:
		if v, ok = Eval(e.Cond, at); !ok {
			return 0, false
		}
		if v != 0 {
			return Eval(e.Then, at)
		}
		return Eval(e.Else, at)
	case *tir.Binary:
		x, ok := Eval(e.X, at)
		if !ok || e.Op == tir.And && x == 0 || e.Op == tir.Or && x != 0 {
			return x, ok // y is not evaluated
		}
		y, ok := Eval(e.Y, at)
		if !ok {
			return 0, false
		}
		return Apply(e.Op, x, y, e.X.DType())
	}
	return at(e)
}

// Apply returns x op y for two values of an integer type or Bool, wrapped around. It returns false where the divisor is
// 0, or negative in a floordiv or floormod.
func Apply(op tir.BinOp, x, y int64, t tir.DType) (v int64, ok bool) {
	unsigned := t == tir.U64
	switch op {
	case tir.Add:
		v = x + y
	case tir.Sub:
		v = x - y
	case tir.Mul:
		v = x * y
	case tir.And, tir.BitAnd:
		v = x & y
	case tir.Or, tir.BitOr:
		v = x | y
	case tir.BitXor:
		v = x ^ y
	case tir.Shl:
		v = x << uint64(y)
	case tir.Shr:
		v = x >> uint64(y)
		if unsigned {
			v = int64(uint64(x) >> uint64(y))
		}
	case tir.Min, tir.Max:
		v = y
		if below, _ := Apply(tir.LT, x, y, t); (below != 0) == (op == tir.Min) {
			v = x
		}
	case tir.Div, tir.FloorDiv, tir.FloorMod:
		return divided(op, x, y, t)
	default:
		if unsigned {
			return truth(Compare(op, uint64(x), uint64(y))), true
		}
		return truth(Compare(op, x, y)), true
	}
	return t.Wrap(v), true
}

// divided is Apply of quotients and remainders.
func divided(op tir.BinOp, x, y int64, t tir.DType) (v int64, ok bool) {
	unsigned := t == tir.U64
	switch {
	case y == 0 || y < 0 && op != tir.Div && !unsigned:
		return 0, false
	case unsigned && op == tir.FloorMod:
		return int64(uint64(x) % uint64(y)), true
	case unsigned:
		return int64(uint64(x) / uint64(y)), true
	case op == tir.FloorMod:
		return floorMod(x, y), true
	case op == tir.FloorDiv:
		return FloorDiv(x, y), true
	}
	return t.Wrap(x / y), true
}

// Compare returns x op y for a comparison.
func Compare[T int64 | uint64 | float64](op tir.BinOp, x, y T) bool {
	switch op {
	case tir.EQ:
		return x == y
	case tir.NE:
		return x != y
	case tir.LT:
		return x < y
	case tir.LE:
		return x <= y
	case tir.GT:
		return x > y
	case tir.GE:
		return x >= y
	}
	panic("BUG: arith: " + op.String() + " is no comparison")
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
