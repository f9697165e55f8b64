package llvm

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// erfHead is the slope of the error function at 0.
const erfHead = 2 / math.SqrtPi

// erf returns the error function.
func (m floats) erf(x string) string {
	if m.typ == tir.F32 {
		return m.erfCubic(x)
	}
	return m.erfExponential(x)
}

// erfEnd is where the error function of floats is 1.
const erfEnd = 3.92

// erfCubic is
//
//	erf(|x|) = t - t^3*4/27,  t = |x| * (1 + z*above(z))/below(z),  z = x^2
//
// The cubic is flat where it is 1, at t = 3/2, so that errors of t do not count
// there. Near 0 the sums begin with |x| and t, which are exact, and the cubic makes
// up for what below(0) has lost as a float. The two polynomials do not wait for
// each other: the chain is half as long as with an exponential.
func (m floats) erfCubic(x string) string {
	a := m.atMost(m.abs(x), erfEnd)
	z := m.mul(a, a)
	above := m.fma(m.mul(a, z), m.polynomial(z, erfSingleAbove), a)
	t := m.div(above, m.polynomial(z, erfSingleBelow))
	lost := erfSingleBelow[0]*erfHead - 1
	y := m.fma(t, m.fma(m.mul(t, t), m.c(-4.0/27), m.c(lost)), t)
	sign := m.intOp("and", m.toBits(x), m.i(math.MinInt32)) // y has none
	return m.toFloat(m.intOp("or", m.toBits(y), sign))
}

// erfExponential is
//
//	erf(|x|) = 1 - e^-y,  y = -ln(erfc |x|) = |x| * (erfHead + erfTable(|x|))
//
// which is well conditioned everywhere: y is nearly linear where erf is, and
// where erf is near 1 an error of y counts little. y/|x| is smooth, so that one
// polynomial will do up to where erf is 1. Its constant term, 2/sqrt(pi), is in
// two parts, so that small x have a small relative error.
func (m floats) erfExponential(x string) string {
	a := m.atMost(m.abs(x), 6)
	y := m.fma(a, m.c(erfHead), m.mul(a, m.polynomial(a, erfDouble)))
	return m.copySign(m.expm1(m.neg(y)), x)
}
