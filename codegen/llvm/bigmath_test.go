package llvm_test

import "math/big"

// Functions of arbitrary precision, by their series: what coefficients are
// computed from and results are compared with.

// prec is enough that 1 - erf(6), which is 2e-17, has 300 bits.
const prec = 400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func bigAdd(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Add(x, y) }
func bigSub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sub(x, y) }
func bigMul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(x, y) }
func bigDiv(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Quo(x, y) }

// negligible reports whether adding term to sum changes nothing.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-prec
}

// bigExp is e^x: the Taylor series of x/2^k, squared k times.
func bigExp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)+8)
	r := new(big.Float).SetPrec(prec).SetMantExp(x, -k)
	sum, term := bigOf(1), bigOf(1)
	for i := 1; !negligible(term, sum); i++ {
		term = bigDiv(bigMul(term, r), bigOf(float64(i)))
		sum = bigAdd(sum, term)
	}
	for range k {
		sum = bigMul(sum, sum)
	}
	return sum
}

// bigAtanh is the inverse hyperbolic tangent of s, |s| < 1/2.
func bigAtanh(s *big.Float) *big.Float {
	sum, power, z := bigOf(0), s, bigMul(s, s)
	for i := 1; ; i += 2 {
		term := bigDiv(power, bigOf(float64(i)))
		sum = bigAdd(sum, term)
		if negligible(term, sum) {
			return sum
		}
		power = bigMul(power, z)
	}
}

// bigLn2 is ln 2 = 2 atanh(1/3).
var bigLn2 = bigMul(bigOf(2), bigAtanh(bigDiv(bigOf(1), bigOf(3))))

// bigLog is the natural logarithm.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(prec)
	e := x.MantExp(m) // m in [1/2, 1)
	atanh := bigAtanh(bigDiv(bigSub(m, bigOf(1)), bigAdd(m, bigOf(1))))
	return bigAdd(bigMul(bigOf(2), atanh), bigMul(bigOf(float64(e)), bigLn2))
}

// bigErf is the error function: 2/sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!.
func bigErf(x *big.Float) *big.Float {
	z := bigMul(x, x)
	sum, term := x, x
	for i := 1; !negligible(term, sum); i++ {
		term = bigDiv(bigMul(term, bigMul(bigOf(2), z)), bigOf(float64(2*i+1)))
		sum = bigAdd(sum, term)
	}
	return bigMul(bigMul(twoOverRootPi, sum), bigExp(bigSub(bigOf(0), z)))
}

// bigPi is 16 atan(1/5) - 4 atan(1/239) (Machin).
var bigPi = bigSub(bigMul(bigOf(16), bigAtanInverse(5)), bigMul(bigOf(4), bigAtanInverse(239)))

// twoOverRootPi is 2/sqrt(pi).
var twoOverRootPi = bigDiv(bigOf(2), new(big.Float).SetPrec(prec).Sqrt(bigPi))

// bigSin is the sine: the Taylor series of what multiples of pi leave.
func bigSin(x *big.Float) *big.Float {
	turns := bigDiv(x, bigPi)
	half := 0.5
	if turns.Sign() < 0 {
		half = -half
	}
	n, _ := bigAdd(turns, bigOf(half)).Int(nil)
	r := bigSub(x, bigMul(new(big.Float).SetPrec(prec).SetInt(n), bigPi))
	sum, term := r, r
	for i := 2; !negligible(term, sum); i += 2 {
		term = bigDiv(bigMul(bigMul(term, r), r), bigOf(-float64(i*(i+1))))
		sum = bigAdd(sum, term)
	}
	if n.Bit(0) == 1 {
		return sum.Neg(sum)
	}
	return sum
}

func bigCos(x *big.Float) *big.Float { return bigSin(bigAdd(x, bigMul(bigPi, bigOf(0.5)))) }

// bigAtan is the inverse tangent: the series of an argument that is made that of half
// the angle until it is small.
func bigAtan(x *big.Float) *big.Float {
	halvings := 0
	for x.Sign() != 0 && x.MantExp(nil) > -8 {
		root := new(big.Float).SetPrec(prec).Sqrt(bigAdd(bigOf(1), bigMul(x, x)))
		x = bigDiv(x, bigAdd(bigOf(1), root))
		halvings++
	}
	sum, power, z := bigOf(0), x, bigMul(x, x)
	for i := 1; ; i += 2 {
		term := bigDiv(power, bigOf(float64(i)))
		if i%4 == 3 {
			term.Neg(term)
		}
		sum = bigAdd(sum, term)
		if negligible(term, sum) {
			return sum.SetMantExp(sum, halvings)
		}
		power = bigMul(power, z)
	}
}

// bigAtanInverse is the inverse tangent of 1/n.
func bigAtanInverse(n float64) *big.Float {
	sum, power := bigOf(0), bigDiv(bigOf(1), bigOf(n))
	for i := 1; ; i += 2 {
		term := bigDiv(power, bigOf(float64(i)))
		if i%4 == 3 {
			term.Neg(term)
		}
		sum = bigAdd(sum, term)
		if negligible(term, sum) {
			return sum
		}
		power = bigDiv(power, bigOf(n*n))
	}
}
