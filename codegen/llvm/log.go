package llvm

import "math"

// ln x is e*ln 2 + ln m with x = m * 2^e and m between sqrt(1/2) and sqrt(2).
// With f = m-1, s = f/(2+f) and z = s^2 (the series of the inverse hyperbolic
// tangent),
//
//	ln m = 2s + s*z*(2/3 + z*logTable(z))

// twoThirdsLow is what the double nearest to 2/3 lacks.
const twoThirdsLow = 0x1.5555555555555p-55

// mantissaExponent returns m and e of x = m * 2^e, both as floats, for positive
// finite x. Denormals are scaled first.
func (m floats) mantissaExponent(x string) (frac, exponent string) {
	tiny := m.is("olt", x, m.c(math.Ldexp(1, int(1-m.bias))))
	scaled := m.mul(x, m.c(math.Ldexp(1, int(m.mantissa))))
	x = m.pick(tiny, scaled, x)
	// Adding the distance from sqrt(1/2) to 1 makes the exponent that of x*sqrt(2).
	root := m.bitsOf(math.Sqrt2 / 2)
	bits := m.intOp("add", m.toBits(x), m.i(m.bitsOf(1)-root))
	low := m.intOp("and", bits, m.i(1<<m.mantissa-1))
	frac = m.toFloat(m.intOp("add", low, m.i(root)))
	// An integer in the lowest bits of 2^mantissa is that much more than it.
	big := math.Ldexp(1, int(m.mantissa))
	e := m.toFloat(m.intOp("or", m.intOp("lshr", bits, m.i(m.mantissa)), m.i(m.bitsOf(big))))
	zero := m.pick(tiny, m.c(big+float64(m.bias+m.mantissa)), m.c(big+float64(m.bias)))
	return frac, m.sub(e, zero)
}

// log returns the natural logarithm: minus infinity of 0, NaN of what is below.
// Its terms are added so that the first that rounds is the last (K. C. Ng's
// order in fdlibm).
func (m floats) log(x string) string {
	frac, e := m.mantissaExponent(x)
	f := m.sub(frac, m.c(1))
	s := m.div(f, m.add(f, m.c(2)))
	z := m.mul(s, s)
	t := m.fma(z, m.polynomial(z, choice(m, logSingle, logDouble)), m.c(2.0/3))
	half := m.mul(m.mul(f, f), m.c(0.5))
	// 2s = f - s*f = f - half + s*half
	tail := m.fma(s, m.fma(z, t, half), m.mul(e, m.c(choice(m, ln2Low[0], ln2Low[1]))))
	r := m.sub(f, m.sub(half, tail))
	r = m.fma(e, m.c(choice(m, ln2High[0], ln2High[1])), r)
	return m.logSpecial(x, r)
}

// logSpecial puts in what the logarithm of 0, infinity and negative numbers is.
func (m floats) logSpecial(x, r string) string {
	inf := m.c(math.Inf(1))
	r = m.pick(m.is("oeq", x, inf), inf, r)
	r = m.pick(m.is("oeq", x, m.c(0)), m.c(math.Inf(-1)), r)
	return m.pick(m.is("ult", x, m.c(0)), m.c(math.NaN()), r)
}

// logParts returns the natural logarithm of a positive finite x as the sum of
// two doubles, with some 64 bits that count. The terms 2s and (2/3)*s*z are
// products and sums of two parts each.
func (m floats) logParts(x string) (high, low string) {
	frac, e := m.mantissaExponent(x)
	f := m.sub(frac, m.c(1))
	d := m.add(frac, m.c(1))
	dLow := m.sub(frac, m.sub(d, m.c(1)))
	r := m.div(m.c(1), d)
	s := m.mul(f, r)
	p, pLow := m.twoProduct(s, d)
	sLow := m.mul(r, m.sub(m.sub(m.sub(f, p), pLow), m.mul(s, dLow)))

	z, zLow := m.twoProduct(s, s)
	zLow = m.fma(m.add(s, s), sLow, zLow)
	w, wLow := m.twoProduct(s, z)
	wLow = m.add(m.fma(s, zLow, wLow), m.mul(sLow, z))
	const third = 2.0 / 3
	t, tLow := m.twoProduct(w, m.c(third))
	rest := m.fma(z, m.polynomial(z, logDouble), m.c(twoThirdsLow))
	tLow = m.fma(w, rest, m.fma(wLow, m.c(third), tLow))

	first, firstLow := m.fastTwoSum(m.mul(e, m.c(ln2High[1])), m.add(s, s))
	sum, sumLow := m.fastTwoSum(first, t)
	small := m.add(tLow, m.fma(e, m.c(ln2Low[1]), m.add(sLow, sLow)))
	return m.fastTwoSum(sum, m.add(m.add(firstLow, sumLow), small))
}
