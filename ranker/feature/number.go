package feature

import "math"

// A Number is what extents, coefficients and features are made of: Float, or a
// number that carries its derivative. N is the type itself.
type Number[N any] interface {
	Const(v float64) N // a constant, whatever the receiver
	Value() float64    // which decides comparisons

	Plus(N) N
	Minus(N) N
	Times(N) N
	Over(N) N
	Floor() N
	Log2() N
}

// Float is a plain Number.
type Float float64

// Const returns v.
func (Float) Const(v float64) Float { return Float(v) }

// Value returns x.
func (x Float) Value() float64 { return float64(x) }

// Plus returns x + y.
func (x Float) Plus(y Float) Float { return x + y }

// Minus returns x - y.
func (x Float) Minus(y Float) Float { return x - y }

// Times returns x * y.
func (x Float) Times(y Float) Float { return x * y }

// Over returns x / y.
func (x Float) Over(y Float) Float { return x / y }

// Floor rounds down.
func (x Float) Floor() Float { return Float(math.Floor(float64(x))) }

// Log2 returns the binary logarithm.
func (x Float) Log2() Float { return Float(math.Log2(float64(x))) }

func least[N Number[N]](x, y N) N {
	if y.Value() < x.Value() {
		return y
	}
	return x
}

func most[N Number[N]](x, y N) N {
	if y.Value() > x.Value() {
		return y
	}
	return x
}

func absolute[N Number[N]](x N) N {
	if x.Value() < 0 {
		return x.Const(0).Minus(x)
	}
	return x
}
