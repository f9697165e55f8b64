package llvm

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// Storage types. LLVM's own conversions are avoided: without the instructions
// they become calls of compiler-rt, and vcvtneps2bf16 flushes denormals.

// roundBrain rounds to the nearest bfloat16, ties to even.
func roundBrain(v float64) float64 {
	b := math.Float32bits(float32(v))
	if b&0x7FFFFFFF > 0x7F800000 {
		return float64(math.Float32frombits(b | 0x00400000))
	}
	b += 0x7FFF + b>>16&1
	return float64(math.Float32frombits(b &^ 0xFFFF))
}

// roundHalf rounds to the nearest binary16, ties to even, and once: not to a float before.
func roundHalf(v float64) float64 {
	half := tir.HalfToFloat(tir.F16, tir.HalfFromFloat(tir.F16, v))
	return float64(float32(half)) // of a NaN the bits that a float has, too
}

// brainFits reports whether e is a float of a byte, or of the difference of two of one type: bfloat16 holds whole
// numbers up to 256.
func brainFits(e tir.Expr) bool {
	c, ok := e.(*tir.Cast)
	if !ok || c.To != tir.F32 {
		return false
	}
	byteOf := func(e tir.Expr) tir.DType {
		if c, ok := e.(*tir.Cast); ok && c.X.DType().IsInt() && c.X.DType().Bytes() == 1 {
			return c.X.DType()
		}
		return tir.Invalid
	}
	if b, ok := c.X.(*tir.Binary); ok && b.Op == tir.Sub && b.DType() == tir.I32 {
		return byteOf(b.X) != tir.Invalid && byteOf(b.X) == byteOf(b.Y)
	}
	return byteOf(c) != tir.Invalid || byteOf(c.X) != tir.Invalid
}

// widen turns elements as loaded, of memoryType, into registers.
func (f *function) widen(t tir.DType, ref string, n int64) value {
	v := value{typ: t, ref: ref, n: n}
	i16, i32, flt := vectorType("i16", n), vectorType("i32", n), vectorType("float", n)
	switch t {
	case tir.Bool:
		v.ref = f.pure(fmt.Sprintf("icmp ne %s %s, %s", vectorType("i8", n), ref, f.immText(tir.I8, 0, n)))
	case tir.BF16:
		wide := f.pure(fmt.Sprintf("zext %s %s to %s", i16, ref, i32))
		wide = f.pure(fmt.Sprintf("shl %s %s, %s", i32, wide, f.immText(tir.I32, 16, n)))
		v.ref, v.fits = f.pure(fmt.Sprintf("bitcast %s %s to %s", i32, wide, flt)), true
	case tir.F16:
		if f.m.target.Has("f16c") || f.m.target.Has("avx512f") {
			half := f.pure(fmt.Sprintf("bitcast %s %s to %s", i16, ref, vectorType("half", n)))
			v.ref, v.half = f.pure(fmt.Sprintf("fpext %s %s to %s", vectorType("half", n), half, flt)), true
			break
		}
		v.ref = f.widenHalf(ref, n)
	}
	return v
}

// fenced returns v as a float of which LLVM does not know that it was made of binary16. Else it would compare binary16,
// lane by lane, since few processors have an instruction for that.
func (f *function) fenced(v value) value {
	if !v.half {
		return v
	}
	typ, name := f.typeOf(v), "@llvm.arithmetic.fence."+mangle("float", v.n)
	f.m.need(fmt.Sprintf("declare %s %s(%s)", typ, name, typ))
	return value{typ: v.typ, n: v.n, ref: f.pure(fmt.Sprintf("call %s %s(%s %s)", typ, name, typ, v.ref))}
}

// narrow is the reverse of widen. The value of an F16 or BF16 need not be
// representable; it is rounded to nearest, ties to even.
func (f *function) narrow(v value) string {
	i16, i32, flt := vectorType("i16", v.n), vectorType("i32", v.n), vectorType("float", v.n)
	switch v.typ {
	case tir.Bool:
		return f.pure(fmt.Sprintf("zext %s %s to %s", vectorType("i1", v.n), v.ref, vectorType("i8", v.n)))
	case tir.BF16:
		bits := f.pure(fmt.Sprintf("bitcast %s %s to %s", flt, v.ref, i32))
		if v.fits {
			return f.pure(fmt.Sprintf("trunc %s %s to %s", i32, ops{f, v.n}.do("lshr", bits, 16), i16))
		}
		return f.pure(fmt.Sprintf("trunc %s %s to %s", i32, f.narrowBrain(bits, v.ref, v.n), i16))
	case tir.F16:
		if f.m.target.Has("f16c") || f.m.target.Has("avx512f") {
			half := f.pure(fmt.Sprintf("fptrunc %s %s to %s", flt, v.ref, vectorType("half", v.n)))
			return f.pure(fmt.Sprintf("bitcast %s %s to %s", vectorType("half", v.n), half, i16))
		}
		return f.narrowHalf(v.ref, v.n)
	}
	return v.ref
}

// ops is a shorthand for chains of operations on vectors of i32.
type ops struct {
	f *function
	n int64
}

func (o ops) do(opcode, x string, c int64) string {
	return o.f.pure(fmt.Sprintf("%s %s %s, %s", opcode, vectorType("i32", o.n), x, o.f.immText(tir.I32, c, o.n)))
}

func (o ops) two(opcode, x, y string) string {
	return o.f.pure(fmt.Sprintf("%s %s %s, %s", opcode, vectorType("i32", o.n), x, y))
}

func (o ops) pick(cond, x, y string) string {
	return o.f.choose(cond, o.n, vectorType("i32", o.n), x, y)
}

// toOdd corrects single, the float nearest to wide, to the one next to wide
// toward zero with its last bit set, if wide is no float. Rounding that to
// binary16 is the same as rounding wide at once (Boldo and Melquiond, "When
// double rounding is odd", 2005).
func (f *function) toOdd(wide, single value) string {
	o := ops{f, wide.n}
	dbl, flt, i32 := f.typeOf(wide), vectorType("float", wide.n), vectorType("i32", wide.n)
	back := f.pure(fmt.Sprintf("fpext %s %s to %s", flt, single.ref, dbl))
	abs := func(ref string) string { return f.apply(tir.Abs, []value{f.result(wide, ref)}).ref }
	away := f.pure(fmt.Sprintf("fcmp ogt %s %s, %s", dbl, abs(back), abs(wide.ref)))
	inexact := f.pure(fmt.Sprintf("fcmp one %s %s, %s", dbl, back, wide.ref))
	bits := f.pure(fmt.Sprintf("bitcast %s %s to %s", flt, single.ref, i32))
	bits = o.pick(away, o.do("sub", bits, 1), bits)
	bits = o.pick(inexact, o.do("or", bits, 1), bits)
	return f.pure(fmt.Sprintf("bitcast %s %s to %s", i32, bits, flt))
}

// narrowBrain returns the rounded upper halves in the lower 16 bits of i32s.
func (f *function) narrowBrain(bits, ref string, n int64) string {
	o := ops{f, n}
	odd := o.do("and", o.do("lshr", bits, 16), 1)
	rounded := o.do("lshr", o.two("add", o.do("add", bits, 0x7FFF), odd), 16)
	quiet := o.do("lshr", o.do("or", bits, 0x00400000), 16)
	flt := vectorType("float", n)
	nan := f.pure(fmt.Sprintf("fcmp uno %s %s, %s", flt, ref, ref))
	return o.pick(nan, quiet, rounded)
}

// widenHalf converts binary16 to float with integer operations and one exact
// multiplication for the denormals.
func (f *function) widenHalf(ref string, n int64) string {
	o := ops{f, n}
	i32, flt := vectorType("i32", n), vectorType("float", n)
	wide := f.pure(fmt.Sprintf("zext %s %s to %s", vectorType("i16", n), ref, i32))
	sign := o.do("shl", o.do("and", wide, 0x8000), 16)
	magnitude := o.do("shl", o.do("and", wide, 0x7FFF), 13)
	// The exponent is off by 112, which the factor 2^112 corrects; denormals
	// normalise in the multiplication. Infinities and NaNs are set apart.
	small := f.pure(fmt.Sprintf("bitcast %s %s to %s", i32, magnitude, flt))
	factor := floatValue(tir.F32, math.Ldexp(1, 112)).ref
	if n > 1 {
		factor = splatText("float", factor, n)
	}
	scaled := f.pure(fmt.Sprintf("fmul %s %s, %s", flt, small, factor))
	finite := f.pure(fmt.Sprintf("bitcast %s %s to %s", flt, scaled, i32))
	special := o.do("icmp uge", magnitude, 0x7C00<<13)
	nan := o.do("icmp ugt", magnitude, 0x7C00<<13)
	inf := o.do("or", magnitude, 0x7F800000)
	inf = o.pick(nan, o.do("or", inf, 0x00400000), inf)
	bits := o.two("or", o.pick(special, inf, finite), sign)
	return f.pure(fmt.Sprintf("bitcast %s %s to %s", i32, bits, flt))
}

// narrowHalf converts float to binary16 with integer operations; ties to even.
func (f *function) narrowHalf(ref string, n int64) string {
	o := ops{f, n}
	i32, flt := vectorType("i32", n), vectorType("float", n)
	bits := f.pure(fmt.Sprintf("bitcast %s %s to %s", flt, ref, i32))
	sign := o.do("and", o.do("lshr", bits, 16), 0x8000)
	mag := o.do("and", bits, 0x7FFFFFFF)
	// Normal results: rebias and round the 13 dropped bits.
	odd := o.do("and", o.do("lshr", mag, 13), 1)
	normal := o.do("lshr", o.two("add", o.do("add", mag, 0xFFF-112<<23), odd), 13)
	// Denormal results: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
	abs := f.pure(fmt.Sprintf("bitcast %s %s to %s", i32, mag, flt))
	half := floatValue(tir.F32, 0.5).ref
	if n > 1 {
		half = splatText("float", half, n)
	}
	sum := f.pure(fmt.Sprintf("fadd %s %s, %s", flt, abs, half))
	low := o.do("sub", f.pure(fmt.Sprintf("bitcast %s %s to %s", flt, sum, i32)), 0x3F000000)
	r := o.pick(o.do("icmp ult", mag, 113<<23), low, normal)
	r = o.pick(o.do("icmp uge", mag, 0x477FF000), f.immText(tir.I32, 0x7C00, n), r)
	quiet := o.do("or", o.do("and", o.do("lshr", mag, 13), 0x3FF), 0x7E00)
	r = o.pick(o.do("icmp ugt", mag, 0x7F800000), quiet, r)
	return f.pure(fmt.Sprintf("trunc %s %s to %s", i32, o.two("or", r, sign), vectorType("i16", n)))
}
