package llvm

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// With x = n*pi/2 + r, n the nearest integer, sin x and cos x are sin r or cos r, or the negative of one of them, as
// the last two bits of n say. With z = r^2
//
//	sin r = r + r*z*sinTable(z)
//	cos r = 1 - z/2 + z^2*cosTable(z)

// sine returns the sine of x, or of x + pi/2, the cosine, if turns is 1. Floats compute in double precision.
func (m floats) sine(x string, turns int64) string {
	if m.typ == tir.F64 {
		r, low, n := m.quartersOfDouble(m.abs(x))
		return m.turned(x, m.sinOf(r, low, sinDouble), m.cosOf(r, low, cosDouble), n, turns)
	}
	w := m.wide()
	x = m.widened(x)
	r, n := w.quartersOfSingle(w.abs(x))
	return m.narrowed(w.turned(x, w.sinOf(r, "", sinSingle), w.cosOf(r, "", cosSingle), n, turns))
}

// turned picks one of sin r and cos r and its sign. Of an infinity it is NaN.
func (m floats) turned(x, sin, cos, n string, turns int64) string {
	if turns != 0 {
		n = m.intOp("add", n, m.i(turns))
	}
	v := m.pick(m.isOdd(n), cos, sin)
	signBit := m.i(math.MinInt64)
	sign := m.intOp("and", m.intOp("shl", n, m.i(m.bits-2)), signBit)
	if turns == 0 { // of an odd function
		sign = m.intOp("xor", sign, m.intOp("and", m.toBits(x), signBit))
	}
	v = m.toFloat(m.intOp("xor", m.toBits(v), sign))
	zero := m.sub(x, x)
	return m.pick(m.is("oeq", zero, m.c(0)), v, zero)
}

// sinOf returns sin(r + low), where low, if not empty, is less than the last bit of r.
func (m floats) sinOf(r, low string, table []float64) string {
	z := m.mul(r, r)
	p, v := m.polynomial(z, table), m.mul(z, r)
	if low == "" {
		return m.fma(v, p, r)
	}
	tail := m.fma(m.mul(z, m.c(-0.5)), low, low)
	return m.add(r, m.fma(v, p, tail))
}

// cosOf returns cos(r + low).
func (m floats) cosOf(r, low string, table []float64) string {
	z := m.mul(r, r)
	half := m.mul(z, m.c(0.5))
	head := m.sub(m.c(1), half)
	p, square := m.polynomial(z, table), m.mul(z, z)
	if low == "" {
		return m.fma(square, p, head)
	}
	lost := m.sub(m.sub(m.c(1), head), half)
	tail := m.fma(square, p, m.neg(m.mul(r, low)))
	return m.add(head, m.add(lost, tail))
}

// twoOverPi is 2/pi in parts of 29 bits: the product of one and a float is a double. That of the last one and the
// largest float is 2^-45, and what follows adds 2^-75.
var twoOverPi = [7]float64{
	0x1.45f306dp-1, 0x1.9391054p-30, 0x1.4fe13abp-59, 0x1.d1f534dp-88, 0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175,
}

// quartersOfSingle returns r and the last bits of n for a number from 0 on that is a float, in double precision. The
// multiples of 4 are taken out of each product with a part of 2/pi (M. Payne and R. Hanek, "Radian reduction for
// trigonometric functions", 1983), which leaves room for the bits behind the point.
func (m floats) quartersOfSingle(a string) (r, n string) {
	const partBits, floatBits = 29, 24
	shift := m.c(0x1.8p52) // leaves the nearest integer in the lowest bits
	var parts []string
	for i, part := range twoOverPi {
		p := m.mul(a, m.c(part))
		if multiple := float64(partBits*(i+1) + floatBits + 1); multiple < 128 { // from 2 to this on it is one of 4
			p = m.pick(m.is("olt", a, m.c(math.Exp2(multiple))), p, m.c(0))
		}
		if 128-partBits*i > 0 {
			fours := m.sub(m.fma(p, m.c(0.25), shift), shift)
			p = m.fma(fours, m.c(-4), p)
		}
		parts = append(parts, p)
	}
	sum := parts[0]
	for _, p := range parts[1:] {
		sum = m.add(sum, p)
	}
	t := m.add(sum, shift)
	// Sums are exact until what is left is less than 1: only parts below the last bit of it come after that.
	u := m.sub(parts[0], m.sub(t, shift))
	for _, p := range parts[1:] {
		u = m.add(u, p)
	}
	return m.mul(u, m.c(math.Pi/2)), m.toBits(t)
}

// halfPi is pi/2 in three parts.
var halfPi = [3]float64{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}

// farDouble is beyond the numbers whose n is near enough to a/(pi/2).
const farDouble = 0x1p45

// quartersOfDouble returns r in two parts, and the last bits of n, for a number from 0 on. From farDouble on it takes 0
// for it.
func (m floats) quartersOfDouble(a string) (r, low, n string) {
	a = m.pick(m.is("olt", a, m.c(farDouble)), a, m.c(0))
	shift := m.c(0x1.8p52)
	t := m.fma(a, m.c(2/math.Pi), shift)
	k := m.sub(t, shift)
	p, pLow := m.twoProduct(k, m.c(halfPi[0]))
	q, qLow := m.twoProduct(k, m.c(halfPi[1]))
	high, rest := m.twoSum(m.sub(a, p), m.neg(pLow)) // a and p are so near that their difference is exact
	high, more := m.twoSum(high, m.neg(q))
	rest = m.sub(m.add(rest, more), qLow)
	rest = m.fma(k, m.c(-halfPi[2]), rest)
	r, low = m.fastTwoSum(high, rest)
	return r, low, m.toBits(t)
}

// The inverse tangent of x is that of y and a multiple of pi/4, with |y| <= tan(pi/8):
//
//	atan x = atan y             y = x              x up to tan(pi/8)
//	atan x = atan y + pi/4      y = (x-1)/(x+1)    x up to tan(3*pi/8)
//	atan x = atan y + pi/2      y = -1/x           above
//
// and atan y = y + y^3*atanTable(y^2).

// atan returns the inverse tangent.
func (m floats) atan(x string) string {
	const tan8, tan38 = math.Sqrt2 - 1, math.Sqrt2 + 1
	a := m.abs(x)
	middle, far := m.is("ogt", a, m.c(tan8)), m.is("ogt", a, m.c(tan38))
	of := func(near, mid, distant string) string { return m.pick(far, distant, m.pick(middle, mid, near)) }
	one := m.c(1)
	y := m.div(of(a, m.sub(a, one), m.c(-1)), of(one, m.add(a, one), a))
	z := m.mul(y, y)
	low := choice(m, -0x1.777a5cp-26, 0x1.1a62633145c07p-55) // what pi/4 is more than the number of the type
	high := choice(m, float64(float32(math.Pi/4)), math.Pi/4)
	tail := m.fma(m.mul(z, y), m.polynomial(z, choice(m, atanSingle, atanDouble)), of(m.c(0), m.c(low), m.c(2*low)))
	return m.copySign(m.add(of(m.c(0), m.c(high), m.c(2*high)), m.add(y, tail)), x)
}
