package tir

import "testing"

func TestEqualExpr(t *testing.T) {
	i, a, b := NewVar("i"), buf("A", F32, 8), buf("A", F32, 8)
	// Each makes a new expression; all differ from each other.
	makers := []func() Expr{
		func() Expr { return i },
		func() Expr { return Int(1) },
		func() Expr { return Int(2) },
		func() Expr { return Const(I32, 1) },
		func() Expr { return Float(F32, 1) },
		func() Expr { return Float(F64, 1) },
		func() Expr { return Bin(Add, i, Int(1)) },
		func() Expr { return Bin(Sub, i, Int(1)) },
		func() Expr { return Bin(Add, i, Int(2)) },
		func() Expr { return &Not{X: BoolImm(true)} },
		func() Expr { return &Cast{X: i, To: F32} },
		func() Expr { return &Cast{X: i, To: F64} },
		func() Expr { return &Select{Cond: BoolImm(true), Then: i, Else: Int(1)} },
		func() Expr { return IfThenElse(BoolImm(true), i, Int(1)) },
		func() Expr { return &Call{Fn: Exp, Args: []Expr{Float(F32, 1)}} },
		func() Expr { return &Call{Fn: Log, Args: []Expr{Float(F32, 1)}} },
		func() Expr { return at(a, i) },
		func() Expr { return at(b, i) },
		func() Expr { return at(a, Int(1)) },
	}
	for n, x := range makers {
		for m, y := range makers {
			if got := EqualExpr(x(), y()); got != (n == m) {
				t.Errorf("%s and %s: %v", x(), y(), got)
			}
		}
	}
	if EqualExpr(i, NewVar("i")) {
		t.Error("two variables of one name are equal")
	}
}
