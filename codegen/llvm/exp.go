package llvm

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// e^x is 2^n * e^r with n the integer nearest to x/ln 2 and |r| <= ln(2)/2, and
//
//	e^r = 1 + r + r^2 * expTable(r)

// ln2 in two parts, so that n times the first is exact (W. J. Cody, W. Waite,
// "Software Manual for the Elementary Functions", 1980).
var (
	ln2High = [2]float64{0.693359375, 0x1.62e42feep-1}
	ln2Low  = [2]float64{-0x1.bd0106p-13, 0x1.a39ef35793c76p-33}
)

// reduce returns r of e^x, and n plus bias as the lowest bits of an integer. x
// is so small that these are fewer than the type's mantissa has.
func (m floats) reduce(x string, bias int64) (r, n string) {
	// Adding 1.5 * 2^mantissa leaves the nearest integer in the lowest bits.
	shift := 1.5*math.Ldexp(1, int(m.mantissa)) + float64(bias)
	t := m.fma(x, m.c(math.Log2E), m.c(shift))
	k := m.sub(t, m.c(shift))
	r = m.fma(k, m.c(-choice(m, ln2High[0], ln2High[1])), x)
	return m.fma(k, m.c(-choice(m, ln2Low[0], ln2Low[1])), r), m.toBits(t)
}

// exp returns e^(x+dx), where dx, if not empty, is a small correction. Results
// below the smallest normal number are denormal, and those beyond the range 0
// or infinity. 2^n need not be a number of the type, so it is two factors. Where n
// is least, both are 0: a processor needs long for a product that is no normal
// number (BenchmarkFunctions), and masks of attention make half of the numbers of
// a softmax so small. Of a NaN the factors are anything, and the result is one.
func (m floats) exp(x, dx string) string {
	x = m.atMost(x, choice(m, 89.0, 710.0))
	r, n := m.reduce(m.atLeast(x, m.least(2*m.bias)), 2*m.bias)
	if dx != "" {
		r = m.add(r, dx)
	}
	p := m.expOf(r)
	half := m.intOp("lshr", n, m.i(1))
	rest := m.intOp("sub", n, half)
	p = m.mul(p, m.powerOf2(half))
	return m.mul(p, m.powerOf2(rest))
}

// expNegative is exp for x up to 0, where one factor can be constant.
func (m floats) expNegative(x string) string {
	up := (m.bias + 1) / 2
	r, n := m.reduce(m.atLeast(x, m.least(m.bias+up)), m.bias+up)
	return m.mul(m.mul(m.expOf(r), m.powerOf2(n)), m.c(math.Ldexp(1, -int(up))))
}

// normalExp matches the exponential of a float that is 0 wherever it would not be normal, as the weights of attention
// are: exp(select(x < least, -inf, x)) where e^least is normal. x must not divide: what is compared is divided exactly,
// other quotients may be products with a reciprocal.
func normalExp(e *tir.Call) (x tir.Expr, least float64, ok bool) {
	if e.Fn != tir.Exp || e.DType() != tir.F32 {
		return nil, 0, false
	}
	s, ok := e.Args[0].(*tir.Select)
	if !ok || s.Lazy {
		return nil, 0, false
	}
	less, ok := s.Cond.(*tir.Binary)
	if !ok || less.Op != tir.LT || !tir.EqualExpr(less.X, s.Else) {
		return nil, 0, false
	}
	bound, ok := less.Y.(*tir.FloatImm)
	other, ok2 := s.Then.(*tir.FloatImm)
	if !ok || !ok2 || !math.IsInf(other.Value, -1) || !(math.Exp(float64(float32(bound.Value))) >= 0x1p-126) {
		return nil, 0, false
	}
	divides := tir.HasExpr(s.Else, func(e tir.Expr) bool {
		b, ok := e.(*tir.Binary)
		return ok && b.Op == tir.Div
	})
	return s.Else, bound.Value, !divides
}

// expNormal is e^x, or 0 where x is below least, from which on e^x is normal. n is added to the exponent: that takes
// fewer instructions than the two factors of exp, and gives the same bits. The exponent would overflow above the last x
// whose e^x is a number: there the result is infinite.
func (m floats) expNormal(x string, least float64) string {
	const most = 0x1.62e42ep6
	r, n := m.reduce(x, 0)
	e := m.toFloat(m.intOp("add", m.toBits(m.expOf(r)), m.intOp("shl", n, m.i(m.mantissa))))
	e = m.pick(m.is("ole", x, m.c(most)), e, m.add(x, m.c(math.Inf(1))))
	return m.pick(m.is("olt", x, m.c(least)), m.c(0), e)
}

// least is the x whose n is -bias: with that bias it is 0, and as an exponent makes 0.
func (m floats) least(bias int64) float64 { return -float64(bias) * math.Ln2 }

// expOf is e^r for |r| <= ln(2)/2.
func (m floats) expOf(r string) string {
	p := m.fma(m.polynomial(r, choice(m, expSingle, expDouble)), r, m.c(1))
	return m.fma(p, r, m.c(1))
}

// powerOf2 takes the lowest bits of an integer as an exponent with its bias.
func (m floats) powerOf2(n string) string {
	return m.toFloat(m.intOp("shl", n, m.i(m.mantissa)))
}

// expm1 returns e^x - 1 for |x| below 80, with a small relative error also near 0.
func (m floats) expm1(x string) string {
	r, n := m.reduce(x, m.bias)
	p := m.fma(m.mul(r, r), m.polynomial(r, choice(m, expSingle, expDouble)), r)
	scale := m.powerOf2(n)
	return m.fma(scale, p, m.sub(scale, m.c(1)))
}

// tanh is e/(e+2) with e = e^(2|x|) - 1, and the sign of x. From 10, or 20, on
// it is 1.
func (m floats) tanh(x string) string {
	y := m.atMost(m.abs(x), choice(m, 10.0, 20.0))
	e := m.expm1(m.add(y, y))
	return m.copySign(m.div(e, m.add(e, m.c(2))), x)
}

// sigmoid is r = e/(1+e) for negative x and 1-r for positive, with e = e^-|x|, which does not overflow. So
// sigmoid(x) + sigmoid(-x) is 1.
func (m floats) sigmoid(x string) string {
	e := m.expNegative(m.neg(m.abs(x)))
	r := m.div(e, m.add(e, m.c(1)))
	return m.pick(m.is("olt", x, m.c(0)), r, m.sub(m.c(1), r))
}
