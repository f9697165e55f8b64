package llvm

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// pow returns x^y as e^(y*ln|x|) with the sign and the special cases of C's.
func (m floats) pow(x, y string) string {
	a := m.abs(x)
	power := ""
	if m.typ == tir.F32 {
		power = m.powWide(a, y)
	} else {
		power = m.powDouble(a, y)
	}
	odd := m.logic("and", m.isInteger(y), m.not(m.isInteger(m.mul(y, m.c(0.5)))))
	r := m.pick(odd, m.copySign(power, x), power)
	negative := m.logic("and", m.is("olt", x, m.c(0)), m.is("ogt", x, m.c(math.Inf(-1))))
	r = m.pick(m.logic("and", negative, m.not(m.isInteger(y))), m.c(math.NaN()), r)
	one := m.logic("or", m.is("oeq", y, m.c(0)), m.is("oeq", x, m.c(1)))
	return m.pick(one, m.c(1), r)
}

// isInteger reports whether x is a whole number, or infinite.
func (m floats) isInteger(x string) string {
	big := m.c(math.Ldexp(1, int(m.mantissa)))
	a := m.abs(x)
	return m.logic("or", m.is("oge", a, big), m.is("oeq", m.sub(m.add(a, big), big), a))
}

// powWide is a^y of floats a >= 0 in double precision, rounded once.
func (m floats) powWide(a, y string) string {
	w := m.wide()
	a, y = m.widened(a), m.widened(y)
	// 1 to an infinite power is 1, though 0 times infinity is not 0.
	p := w.pick(w.is("oeq", a, w.c(1)), w.c(0), w.mul(y, w.log(a)))
	return m.narrowed(w.exp(p, ""))
}

// powDouble is a^y of doubles a >= 0. An error of the exponent is one of the
// result, so that the logarithm has two parts, and so has its product with y.
func (m floats) powDouble(a, y string) string {
	high, low := m.logParts(a)
	_, pLow := m.twoProduct(y, high)
	pLow = m.fma(y, low, pLow)
	// What is left out of a product so large that the power is 0 or infinite,
	// or of one that is no number, may be anything.
	pLow = m.pick(m.is("olt", m.abs(pLow), m.c(0x1p-20)), pLow, m.c(0))
	p := m.pick(m.is("oeq", a, m.c(1)), m.c(0), m.mul(y, m.logSpecial(a, high)))
	return m.exp(p, pLow)
}
