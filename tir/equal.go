package tir

import (
	"fmt"
	"math"
	"slices"
)

// EqualExpr reports whether x and y have one structure, of the same variables
// and buffers.
func EqualExpr(x, y Expr) bool {
	if x == y {
		return true
	}
	switch x := x.(type) {
	case *Var:
		return false
	case *IntImm:
		y, ok := y.(*IntImm)
		return ok && *x == *y
	case *FloatImm:
		y, ok := y.(*FloatImm)
		return ok && x.Type == y.Type && math.Float64bits(x.Value) == math.Float64bits(y.Value)
	case *Binary:
		y, ok := y.(*Binary)
		return ok && x.Op == y.Op && EqualExpr(x.X, y.X) && EqualExpr(x.Y, y.Y)
	case *Not:
		y, ok := y.(*Not)
		return ok && EqualExpr(x.X, y.X)
	case *Cast:
		y, ok := y.(*Cast)
		return ok && x.To == y.To && EqualExpr(x.X, y.X)
	case *Select:
		y, ok := y.(*Select)
		return ok && x.Lazy == y.Lazy && EqualExpr(x.Cond, y.Cond) && EqualExpr(x.Then, y.Then) && EqualExpr(x.Else, y.Else)
	case *Call:
		y, ok := y.(*Call)
		return ok && x.Fn == y.Fn && slices.EqualFunc(x.Args, y.Args, EqualExpr)
	case *Load:
		y, ok := y.(*Load)
		return ok && x.Buffer == y.Buffer && slices.EqualFunc(x.Index, y.Index, EqualExpr)
	}
	panic(fmt.Sprintf("BUG: tir: comparing a %T", x))
}
