package llvm

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// Numbers that were quantized and are dequantized in the same kernel stay floats: a float that was rounded and clamped
// to the range of uint8 is that integer already.
//
//	q = min(select(r > 0, r, 0), 255), r = roundeven(x) + z
//	float32(int32(uint8(q)) - int32(z))    =>    q - float32(z)
//
// Both are exact, and a zero is positive in both.

// wholeFloat returns what float32(e) is, for an integer e that is made of such floats, without integers.
func wholeFloat(e tir.Expr) (x tir.Expr, ok bool) {
	switch e := e.(type) {
	case *tir.Cast:
		switch {
		case e.To == tir.U8 && e.X.DType() == tir.F32:
			return e.X, isWholeByte(e.X)
		case e.To == tir.I32 && e.X.DType() == tir.U8:
			return wholeFloat(e.X)
		}
	case *tir.Binary:
		if e.Op != tir.Sub || e.DType() != tir.I32 {
			return nil, false
		}
		x, ok := wholeFloat(e.X)
		if zero, is := e.Y.(*tir.Cast); ok && is && zero.X.DType() == tir.U8 {
			return tir.Bin(tir.Sub, x, &tir.Cast{X: zero.X, To: tir.F32}), true
		}
	}
	return nil, false
}

// isWholeByte reports whether a float is a whole number of 0 to 255, as a clamp says, and its zero is positive.
func isWholeByte(e tir.Expr) bool {
	least, ok := e.(*tir.Binary)
	if !ok || least.Op != tir.Min {
		return false
	}
	most, ok := least.Y.(*tir.FloatImm)
	if !ok || most.Value < 0 || most.Value > math.MaxUint8 || most.Value != math.Trunc(most.Value) {
		return false
	}
	s, ok := least.X.(*tir.Select)
	if !ok || !isZero(s.Else) || !isWhole(s.Then) {
		return false
	}
	by, ok := s.Cond.(*tir.Binary)
	return ok && by.Op == tir.GT && tir.EqualExpr(by.X, s.Then) && isZero(by.Y)
}

// isWhole reports whether a float is a whole number, if it is finite.
func isWhole(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Call:
		return e.Fn == tir.RoundEven
	case *tir.Cast:
		return e.X.DType().IsInt()
	case *tir.FloatImm:
		return e.Value == math.Trunc(e.Value)
	case *tir.Binary:
		return (e.Op == tir.Add || e.Op == tir.Sub) && isWhole(e.X) && isWhole(e.Y)
	}
	return false
}
