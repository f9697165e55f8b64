// Package expr has short functions that make TensorIR. The packages of operators import it with a dot.
package expr

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// The functions of this file write expressions of programs shortly. Operands have one type.

func Add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func Sub(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }
func Mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }

// Quo is the quotient of floats, or that of integers truncated; the divisor of integers must not be 0.
func Quo(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Div, x, y) }

// MinOf and maxOf are NaN if an operand is.
func MinOf(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Min, x, y) }
func MaxOf(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, y) }
func Lt(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.LT, x, y) }
func Le(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.LE, x, y) }
func Gt(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.GT, x, y) }
func Ge(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.GE, x, y) }
func Eq(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.EQ, x, y) }
func Ne(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.NE, x, y) }
func And(x, y tir.Expr) tir.Expr   { return tir.Bin(tir.And, x, y) }
func Or(x, y tir.Expr) tir.Expr    { return tir.Bin(tir.Or, x, y) }
func Not(x tir.Expr) tir.Expr      { return &tir.Not{X: x} }

// Sel is then if cond holds, else els; both are computed.
func Sel(cond, then, els tir.Expr) tir.Expr { return &tir.Select{Cond: cond, Then: then, Else: els} }

// Fn applies an intrinsic function.
func Fn(f tir.Intrinsic, args ...tir.Expr) tir.Expr { return &tir.Call{Fn: f, Args: args} }

// Num returns v as a constant of x's type.
func Num(x tir.Expr, v float64) tir.Expr { return tir.Const(x.DType(), v) }

// Neg is -x, that of 0 included.
func Neg(x tir.Expr) tir.Expr {
	if x.DType().IsFloat() {
		return Mul(x, Num(x, -1))
	}
	return Sub(Num(x, 0), x)
}

// Register returns the type that elements of type t are computed in: float32 for floats of 16 bits.
func Register(t tir.DType) tir.DType {
	if t == tir.F16 || t == tir.BF16 {
		return tir.F32
	}
	return t
}

// Cast converts e to type t, if it is of another type.
func Cast(e tir.Expr, t tir.DType) tir.Expr {
	if e.DType() == t {
		return e
	}
	return &tir.Cast{X: e, To: t}
}

// Limits returns the least and the greatest number of an integer type, and the latter as an int64 (of a uint64 its
// bits).
func Limits(t tir.DType) (lo, hi float64, most int64) {
	bits := t.Bits()
	switch {
	case t == tir.Bool:
		return 0, 1, 1
	case t == tir.U64:
		return 0, math.MaxUint64, -1
	case t.IsUnsigned():
		return 0, float64(int64(1)<<bits - 1), int64(1)<<bits - 1
	}
	most = math.MaxInt64 >> (64 - bits)
	return -math.Ldexp(1, bits-1), float64(most), most
}

// CastTo converts x, a number to compute with, to type t, as ONNX's Cast does.
func CastTo(x tir.Expr, t tir.DType) tir.Expr {
	if t == tir.Bool && x.DType() != t {
		return Ne(x, Num(x, 0))
	}
	if !x.DType().IsFloat() || !t.IsInt() {
		return Cast(Cast(x, Register(t)), t)
	}
	lo, hi, most := Limits(t)
	number := Sel(Eq(x, x), x, Num(x, 0))
	if t.Bits() <= 16 || t.Bits() <= 32 && x.DType() == tir.F64 { // the limits are numbers of x's type
		return Cast(MinOf(MaxOf(number, Num(x, lo)), Num(x, hi)), t)
	}
	if t == tir.I64 || t == tir.U64 {
		past := Num(x, math.Ldexp(1, t.Bits())) // the first number that is too large
		if t == tir.I64 {
			past = Num(x, 0x1p63)
		}
		inside := Sel(Lt(number, past), MaxOf(number, Num(x, lo)), Num(x, 0))
		return Sel(Lt(number, past), Cast(inside, t), &tir.IntImm{Value: most, Type: t})
	}
	// An int64 holds what a float clamped to 2^62 is, and the limits of t are exact there.
	wide := Cast(MinOf(MaxOf(number, Num(x, -0x1p62)), Num(x, 0x1p62)), tir.I64)
	return Cast(MinOf(MaxOf(wide, tir.Int(int64(lo))), tir.Int(most)), t)
}

// NarrowTo converts x, a number to compute with, to a narrow type: the low bits of an integer, the nearest of a float.
// What is beyond the greatest of floats becomes that, as long as it saturates, and else an infinity or NaN.
func NarrowTo(x tir.Expr, to *graph.Element, saturate bool) tir.Expr {
	if f := to.Float; f != nil {
		return Cast(narrowFloat(x, f, saturate), to.Type)
	}
	wide := CastTo(x, tir.I64)
	low := tir.Bin(tir.BitAnd, wide, tir.Int(1<<to.Bits-1))
	if to.Type == tir.I8 { // copies of the sign
		flip := tir.Int(1 << (to.Bits - 1))
		low = Sub(tir.Bin(tir.BitXor, low, flip), flip)
	}
	return Cast(low, to.Type)
}

// narrowFloat rounds x. Of a small number the integer nearest to its multiple of the smallest one is taken. Of another
// one, p = x*(2^k+1) has as many digits as x*2^k and the ones that stay: p+(x-p) is x rounded to them (Veltkamp).
func narrowFloat(x tir.Expr, f *graph.Float, saturate bool) tir.Expr {
	if x.DType() != tir.F64 {
		x = Cast(x, tir.F32)
	}
	k := 24 - f.Digits
	if x.DType() == tir.F64 {
		k = 53 - f.Digits
	}
	num := func(v float64) tir.Expr { return Num(x, v) }
	near := MinOf(MaxOf(x, num(-2*f.Most)), num(2*f.Most))
	p := Mul(near, num(math.Ldexp(1, k)+1))
	large := Add(p, Sub(near, p))
	small := Mul(Fn(tir.RoundEven, Mul(near, num(1/f.Smallest))), num(f.Smallest))
	size := MaxOf(near, Neg(near))
	y := Sel(Lt(size, num(math.Ldexp(f.Smallest, f.Digits-1))), small, large)
	if f.OneZero {
		y = Add(y, num(0))
	}
	most := num(f.Most)
	if saturate {
		return MinOf(MaxOf(y, num(-f.Most)), most)
	}
	over := num(math.NaN())
	if f.Infinite {
		over = Mul(near, num(math.Inf(1)))
	}
	return Sel(Gt(MaxOf(y, Neg(y)), most), over, y)
}

// Clamped converts x, a float, to an integer type of 16 bits or fewer, within limits. What is no number becomes the
// least one: so a processor has one instruction for the choice.
func Clamped(x tir.Expr, t tir.DType, lo, hi float64) tir.Expr {
	least := Num(x, lo)
	return Cast(MinOf(Sel(Gt(x, least), x, least), Num(x, hi)), t)
}

// Within returns the number of 0..n-1 that is nearest to e.
func Within(e tir.Expr, n int64) tir.Expr { return MaxOf(MinOf(e, tir.Int(n-1)), tir.Int(0)) }

// Plus returns e + c.
func Plus(e tir.Expr, c int64) tir.Expr {
	switch {
	case c == 0:
		return e
	case c < 0:
		return Sub(e, tir.Int(-c))
	}
	return Add(e, tir.Int(c))
}

// Times returns e * c.
func Times(e tir.Expr, c int64) tir.Expr {
	if c == 1 {
		return e
	}
	return Mul(e, tir.Int(c))
}

func Square(x tir.Expr) tir.Expr { return Mul(x, x) }
func Real(v float64) tir.Expr    { return tir.Float(tir.F64, v) }

// Whole64 converts a whole number, as far as an int64 holds it.
func Whole64(x tir.Expr) tir.Expr { return CastTo(x, tir.I64) }

func Zeros(n int) []tir.Expr {
	list := make([]tir.Expr, n)
	for i := range list {
		list[i] = tir.Int(0)
	}
	return list
}

var Zero = tir.Int(0)

func Floordiv(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorDiv, x, tir.Int(n)) }
func Floormod(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorMod, x, tir.Int(n)) }
