package arith

// floorDiv returns a/n rounded down, for n > 0.
func floorDiv(a, n int64) int64 {
	q := a / n
	if a%n < 0 {
		q--
	}
	return q
}

// gcd returns the greatest common divisor of a and b, which is not negative; a
// 0 divides nothing but is divided by all.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}
