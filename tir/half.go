package tir

import "math"

// HalfToFloat returns the value of the bits of a float of 16 bits, F16 or BF16.
func HalfToFloat(t DType, bits uint16) float64 {
	if t == BF16 {
		return float64(math.Float32frombits(uint32(bits) << 16))
	}
	return halfValue(bits)
}

// Rounded returns the number of float type t nearest to v, ties to even.
func Rounded(t DType, v float64) float64 {
	if t == F32 {
		return float64(float32(v))
	}
	return roundedHalf(t, v)
}

func roundedHalf(t DType, v float64) float64 {
	if t == F16 || t == BF16 {
		return HalfToFloat(t, HalfFromFloat(t, v))
	}
	return v
}

// HalfFromFloat returns the bits of v rounded to F16 or BF16, halves to even. BF16 rounds by way of float32.
func HalfFromFloat(t DType, v float64) uint16 {
	if t == BF16 {
		return brainBits(float32(v))
	}
	return halfBits(v)
}

func brainBits(v float32) uint16 {
	bits := math.Float32bits(v)
	if v != v {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// halfSteps are how many halves there are up to infinity, zero included: their bits
// count them.
const halfSteps = 0x7c00

func halfBits(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	if v != v {
		return sign | 0x7e00
	}
	a := math.Abs(v)
	exp := max(math.Ilogb(max(a, 0x1p-24)), -14) // subnormal halves are as far apart as the smallest normal ones
	steps := math.RoundToEven(math.Ldexp(a, 10-exp)) + float64(exp+14)*1024
	return sign | uint16(min(steps, halfSteps))
}

func halfValue(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exp, mant := int(h>>10&31), float64(h&0x3ff)
	switch exp {
	case 0:
		return sign * math.Ldexp(mant, -24)
	case 31:
		if mant != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(mant+1024, exp-25)
}

// IsHalfSum reports whether an operator may be applied to a type of 16 bits: products of float16 are added up in that
// where a user allows it. A program may round such a sum to float16 at any step, or keep it in float32.
func IsHalfSum(op BinOp, t DType) bool { return t == F16 && (op == Add || op == Mul) }
