package compact

import "strconv"

// maxPrime bounds the primes that numbers are taken apart into; what is left of
// one is written as it is.
const maxPrime = 997

// AppendNumber writes n as texts do: a product of prime powers.
func AppendNumber(b []byte, n int64) []byte {
	b, _ = appendNumber(b, n)
	return b
}

// appendNumber writes n as a product of prime powers: 448 is 2^6*7. Composite
// reports whether it is a product.
func appendNumber(b []byte, n int64) (text []byte, composite bool) {
	if n < 0 {
		return strconv.AppendInt(b, n, 10), false
	}
	if n < 4 {
		return strconv.AppendInt(b, n, 10), false
	}
	factors := 0
	power := func(p int64, exp int) {
		if factors > 0 {
			b = append(b, '*')
		}
		factors++
		b = strconv.AppendInt(b, p, 10)
		if exp > 1 {
			b = append(b, '^')
			b = strconv.AppendInt(b, int64(exp), 10)
		}
	}
	for p := int64(2); p <= maxPrime && p*p <= n; p++ {
		exp := 0
		for n%p == 0 {
			n /= p
			exp++
		}
		if exp > 0 {
			power(p, exp)
		}
	}
	if n > 1 {
		power(n, 1)
	}
	return b, factors > 1
}
