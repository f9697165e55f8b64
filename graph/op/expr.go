package op

import "github.com/wmtune/wmtune/tir"

// The functions of this file write expressions of programs shortly. Operands have one type.

func add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func sub(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }
func mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }

// quo is the quotient of floats, or that of integers truncated; the divisor of integers must not be 0.
func quo(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Div, x, y) }

// minOf and maxOf are NaN if an operand is.
func minOf(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Min, x, y) }
func maxOf(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, y) }

func lt(x, y tir.Expr) tir.Expr { return tir.Bin(tir.LT, x, y) }
func le(x, y tir.Expr) tir.Expr { return tir.Bin(tir.LE, x, y) }
func gt(x, y tir.Expr) tir.Expr { return tir.Bin(tir.GT, x, y) }
func ge(x, y tir.Expr) tir.Expr { return tir.Bin(tir.GE, x, y) }
func eq(x, y tir.Expr) tir.Expr { return tir.Bin(tir.EQ, x, y) }
func ne(x, y tir.Expr) tir.Expr { return tir.Bin(tir.NE, x, y) }

func and(x, y tir.Expr) tir.Expr { return tir.Bin(tir.And, x, y) }
func or(x, y tir.Expr) tir.Expr  { return tir.Bin(tir.Or, x, y) }
func not(x tir.Expr) tir.Expr    { return &tir.Not{X: x} }

// sel is then if cond holds, else els; both are computed.
func sel(cond, then, els tir.Expr) tir.Expr { return &tir.Select{Cond: cond, Then: then, Else: els} }

// fn applies an intrinsic function.
func fn(f tir.Intrinsic, args ...tir.Expr) tir.Expr { return &tir.Call{Fn: f, Args: args} }

// num returns v as a constant of x's type.
func num(x tir.Expr, v float64) tir.Expr { return tir.Const(x.DType(), v) }

// neg is -x, that of 0 included.
func neg(x tir.Expr) tir.Expr {
	if x.DType().IsFloat() {
		return mul(x, num(x, -1))
	}
	return sub(num(x, 0), x)
}
