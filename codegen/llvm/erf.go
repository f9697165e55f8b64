package llvm

import "math"

// erfHead is the slope of the error function at 0.
const erfHead = 2 / math.SqrtPi

// erf returns the error function. It is
//
//	erf(|x|) = 1 - e^-y,  y = -ln(erfc |x|) = |x| * (erfHead + erfTable(|x|))
//
// which is well conditioned everywhere: y is nearly linear where erf is, and
// where erf is near 1 an error of y counts little. y/|x| is smooth, so that one
// polynomial will do up to where erf is 1. Its constant term, 2/sqrt(pi), is in
// two parts, so that small x have a small relative error.
func (m floats) erf(x string) string {
	a := m.atMost(m.abs(x), choice(m, 4.0, 6.0))
	rest := m.polynomial(a, choice(m, erfSingle, erfDouble))
	y := m.fma(a, m.c(erfHead), m.mul(a, rest))
	return m.copySign(m.expm1(m.neg(y)), x)
}
