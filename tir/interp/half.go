package interp

import "math"

// f16Bits rounds v to the nearest IEEE half, ties to even.
func f16Bits(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return sign | 0x7e00
	case a >= 65520: // halfway between the largest half, 65504, and the next step
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	frac, exp := math.Frexp(a) // a = frac * 2^exp, frac in [0.5, 1)
	m := math.RoundToEven(frac * 0x1p11)
	if m == 0x1p11 {
		m, exp = 0x1p10, exp+1
	}
	return sign | uint16(exp+14)<<10 | (uint16(m) & 0x3ff)
}

// f16Value returns the number that the bits of an IEEE half stand for.
func f16Value(b uint16) float64 {
	exp, m := int(b>>10&0x1f), float64(b&0x3ff)
	var v float64
	switch {
	case exp == 0:
		v = m * 0x1p-24
	case exp == 31 && m == 0:
		v = math.Inf(1)
	case exp == 31:
		v = math.NaN()
	default:
		v = math.Ldexp(1+m/1024, exp-15)
	}
	if b&0x8000 != 0 {
		v = -v
	}
	return v
}

// bf16Bits rounds v to the nearest bfloat16, ties to even. Programs cast from
// float32, so v is one.
func bf16Bits(v float64) uint16 {
	b := math.Float32bits(float32(v))
	if v != v {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + (b >> 16 & 1)) >> 16)
}

// bf16Value returns the number that the bits of a bfloat16 stand for.
func bf16Value(b uint16) float64 { return float64(math.Float32frombits(uint32(b) << 16)) }
