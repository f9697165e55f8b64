package compute

import (
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Bounds: what programs of a DAG may get for an element, which round where the definition computes in
// real numbers, and so may come out on the other side of a step (a floor, a comparison, a conversion to
// an integer or to 16 bits).
//
// This is interval arithmetic with the roundings of a running error analysis (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.3), but for sums: the errors of terms are as good as
// independent, so they add up in quadrature, and a share that all terms have in common is that of the sum.
//
// An operation whose operands are certain, and whose result the type holds, is exact: no rounding. A sum
// is exact in any order if its type holds the sum of the magnitudes to the last bit of every term.

// How many units of rounding an operation counts: two roundings, since a candidate may have another
// expression for it, or a function of the run-time, which is off by some units in the last place.
const (
	unitsOfOp   = 4
	unitsOfCall = 16
)

// Unit is half a unit in the last place of 1, for arithmetic whose results are
// stored in float type t.
func Unit(t tir.DType) float64 {
	switch t {
	case tir.F16:
		return 0x1p-11
	case tir.BF16:
		return 0x1p-8
	case tir.F64:
		return 0x1p-53
	}
	return 0x1p-24
}

// Largest is the largest number of float type t.
func Largest(t tir.DType) float64 {
	switch t {
	case tir.F16:
		return 65504
	case tir.BF16:
		return 0x1.fep127
	case tir.F64:
		return math.MaxFloat64
	}
	return math.MaxFloat32
}

// Smallest is the smallest normal number of float type t. What is below is rounded to fewer bits, or to 0.
func Smallest(t tir.DType) float64 {
	switch t {
	case tir.F16:
		return 0x1p-14
	case tir.F64:
		return 0x1p-1022
	}
	return 0x1p-126
}

// A Range is what programs that round may get for an element: a number from Lo to Hi. If it is infinite, as where a
// divisor may be 0, every such number has a magnitude of at least Away; 0 means that nothing is known.
type Range struct{ Lo, Hi, Away float64 }

// IsSure reports whether all programs get the same number.
func (r Range) IsSure() bool { return r.Lo == r.Hi }

// IsInfinite reports whether programs may get numbers of any size.
func (r Range) IsInfinite() bool { return math.IsInf(r.Hi-r.Lo, 1) }

// Holds reports whether a program may get v, within a tolerance. In an infinite range that is an infinity, or a number
// that is known to be large enough: any number would be no check at all.
func (r Range) Holds(v, tolerance float64) bool {
	if !(v >= r.Lo-tolerance && v <= r.Hi+tolerance) {
		return false
	}
	return !r.IsInfinite() || math.IsInf(v, 0) || r.Away > 0 && math.Abs(v) >= r.Away-tolerance
}

// Bounds returns in which range an element of a tensor of the DAG lies in a program that
// computes it as defined and rounds. The arithmetic must be Bounded. Errors are those of At, and an
// index that may be any of many.
func (e *Evaluator) Bounds(b *tir.Buffer, index []int64) (Range, error) {
	s, err := e.at(b, index)
	return Range{s.lo, s.hi, s.least()}, err
}

func sureFloat(v float64) scalar { return scalar{f: v, lo: v, hi: v} }
func sureInt(v int64) scalar     { return sureOf(v, tir.Index) }

// sureOf returns a value of an integer type that all programs have.
func sureOf(v int64, t tir.DType) scalar {
	n := t.Number(v)
	return scalar{i: v, lo: n, hi: n}
}

// isSure reports whether all programs have the same value.
func (s scalar) isSure() bool { return !(s.lo < s.hi) }

// least and most return between which values its magnitude lies.
func (s scalar) least() float64 {
	switch {
	case s.lo > 0:
		return s.lo
	case s.hi < 0:
		return -s.hi
	}
	return s.away
}

func (s scalar) most() float64 { return max(math.Abs(s.lo), math.Abs(s.hi)) }

// or returns s, which may be x as well.
func (s scalar) or(x scalar) scalar {
	away := min(s.least(), x.least())
	s.lo, s.hi, s.away = min(s.lo, x.lo), max(s.hi, x.hi), away
	return s
}

// widened adds a rounding by at most so much of the value, in a type.
func (s scalar) widened(share float64, t tir.DType) scalar {
	least := Smallest(t)
	if t == tir.F16 { // never computed in: it is rounded to, and that keeps the numbers below
		least *= Unit(t)
	}
	if !math.IsInf(s.lo, 0) { // the difference of two infinities is no number
		s.lo -= max(share*math.Abs(s.lo), least)
	}
	if !math.IsInf(s.hi, 0) {
		s.hi += max(share*math.Abs(s.hi), least)
	}
	s.away = max(s.away-max(share*s.away, least), 0)
	return s
}

// narrowed rounds what is stored in 16 bits.
func (s scalar) narrowed(t tir.DType) scalar {
	return scalar{f: narrowed(s.f, t), i: s.i, lo: narrowed(s.lo, t), hi: narrowed(s.hi, t), away: narrowed(s.away, t)}
}

// bounded returns a float value with bounds; a bound that is no number is none.
func bounded(v, lo, hi float64) scalar {
	if v != v {
		return sureFloat(v)
	}
	if lo != lo {
		lo = math.Inf(-1)
	}
	if hi != hi {
		hi = math.Inf(1)
	}
	return scalar{f: v, lo: min(lo, v), hi: max(hi, v)}
}

// rounding finishes an operation of a type: v and its bounds, from certain operands or not.
func (e *Evaluator) rounding(v, lo, hi float64, certain bool, units float64, t tir.DType) scalar {
	switch {
	case e.Arithmetic == InTypes:
		return sureFloat(tir.Rounded(t, v))
	case e.Arithmetic == Exactly || certain && tir.Rounded(t, v) == v:
		return sureFloat(v)
	}
	return bounded(v, lo, hi).widened(units*Unit(t), t)
}

func (e *Evaluator) floatOp(op tir.BinOp, a, b scalar, t tir.DType) scalar {
	v := floatOp(op, a.f, b.f)
	switch {
	case e.Arithmetic != Bounded:
		return e.rounding(v, v, v, true, 0, t)
	case op == tir.Min || op == tir.Max:
		return bounded(v, floatOp(op, a.lo, b.lo), floatOp(op, a.hi, b.hi))
	}
	lo, hi := corners(a, b, func(x, y float64) float64 { return floatOp(op, x, y) })
	if op == tir.Div && b.lo <= 0 && b.hi >= 0 && !b.isSure() {
		hi = a.most() / b.away // infinite, unless b is known not to be near 0
		lo = -hi
	}
	return e.rounding(v, lo, hi, a.isSure() && b.isSure(), unitsOfOp, t).atLeast(leastOf(op, a, b), unitsOfOp, t)
}

// atLeast returns s with what else is known of its magnitude, before it is rounded.
func (s scalar) atLeast(away, units float64, t tir.DType) scalar {
	s.away = max(away*(1-units*Unit(t))-Smallest(t), 0)
	return s
}

// leastOf returns what the result of an operation is at least in magnitude, 0 if that is not known:
// of a quotient whose divisor may be 0 it is all that is known.
func leastOf(op tir.BinOp, a, b scalar) float64 {
	v := 0.0
	switch op {
	case tir.Add, tir.Sub:
		v = max(a.least()-b.most(), b.least()-a.most())
	case tir.Mul:
		v = a.least() * b.least()
	case tir.Div:
		v = a.least() / b.most()
	}
	if v > 0 {
		return v
	}
	return 0 // where it is no number, too
}

// corners returns the least and the greatest value of a function that is monotone in each operand.
func corners(a, b scalar, f func(x, y float64) float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range []float64{a.lo, a.hi} {
		for _, y := range []float64{b.lo, b.hi} {
			v := f(x, y)
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

func (e *Evaluator) call(x *tir.Call, args []scalar) scalar {
	a, t := args[0], x.DType()
	if x.Fn == tir.Pow {
		return e.power(a, args[1], t)
	}
	f := unaryFunctions[x.Fn]
	v, lo, hi := f(a.f), f(a.lo), f(a.hi)
	switch x.Fn {
	case tir.Floor, tir.Ceil, tir.Round, tir.RoundEven:
		if e.Frozen {
			return sureFloat(v)
		}
		return bounded(v, lo, hi)
	case tir.Abs:
		if a.lo < 0 && a.hi > 0 {
			return bounded(v, a.away, max(lo, hi))
		}
		return bounded(v, min(lo, hi), max(lo, hi))
	case tir.Sin, tir.Cos: // slopes are at most 1
		far := max(a.f-a.lo, a.hi-a.f)
		lo, hi = max(v-far, -1), min(v+far, 1)
	case tir.Rsqrt:
		lo, hi = hi, lo
	case tir.Sqrt:
		if lo != lo {
			lo = 0
		}
	}
	return e.rounding(v, lo, hi, x.Fn == tir.Sqrt && a.isSure(), unitsOfCall, t)
}

// power computes a to the power of b.
func (e *Evaluator) power(a, b scalar, t tir.DType) scalar {
	lo, hi := powerBounds(a, b)
	// An error of the exponent of e is a share of the result. A base of 0 has a power without an error.
	exponent := 0.0
	for _, x := range []float64{a.f, a.lo, a.hi} {
		if l := math.Abs(math.Log(math.Abs(x))); !math.IsInf(l, 0) {
			exponent = max(exponent, l*b.most())
		}
	}
	units := unitsOfCall * (1 + exponent)
	s := e.rounding(math.Pow(a.f, b.f), lo, hi, false, units, t)
	if b.isSure() && b.lo < 0 {
		s = s.atLeast(math.Pow(a.most(), b.lo), units, t)
	}
	return s
}

// powerBounds returns between which values a to the power of b lies, where it is a number.
func powerBounds(a, b scalar) (lo, hi float64) {
	whole := b.isSure() && b.lo == math.Trunc(b.lo)
	odd := whole && math.Mod(b.lo, 2) != 0
	switch {
	case a.lo > 0 || whole && a.hi < 0 || odd && b.lo > 0: // monotone
		return corners(a, b, math.Pow)
	case odd: // it changes its sign at infinity
		return math.Inf(-1), math.Inf(1)
	}
	size := scalar{lo: max(a.lo, 0), hi: a.hi} // powers of other numbers are none
	if whole || !b.isSure() {
		size = scalar{hi: a.most()}
	}
	lo, hi = corners(size, b, math.Pow)
	if !b.isSure() && a.lo < 0 { // even in some programs, and odd in others
		lo = -hi
	}
	return lo, hi
}

// compare compares values of a type: any answer that bounds allow.
func (e *Evaluator) compare(op tir.BinOp, a, b scalar, t tir.DType) scalar {
	v := sureInt(0)
	if t.IsFloat() && arith.Compare(op, a.f, b.f) || !t.IsFloat() && intOp(op, a.i, b.i, t) != 0 {
		v = sureInt(1)
	}
	if e.Frozen || a.isSure() && b.isSure() || a.hi < b.lo || b.hi < a.lo {
		return v
	}
	return scalar{i: v.i, lo: 0, hi: 1}
}

// intOp computes with integers or booleans. What their bounds may become is followed through sums,
// products and choices; a quotient, a remainder or an overflow of what is uncertain is anything.
func (e *Evaluator) intOp(op tir.BinOp, a, b scalar, t tir.DType) scalar {
	v := sureOf(intOp(op, a.i, b.i, t), t)
	if a.isSure() && b.isSure() {
		return v
	}
	switch op {
	case tir.Min, tir.And:
		v.lo, v.hi = min(a.lo, b.lo), min(a.hi, b.hi)
	case tir.Max, tir.Or:
		v.lo, v.hi = max(a.lo, b.lo), max(a.hi, b.hi)
	case tir.Add, tir.Sub, tir.Mul:
		v.lo, v.hi = corners(a, b, func(x, y float64) float64 { return floatOp(op, x, y) })
	case tir.FloorDiv:
		v.lo, v.hi = corners(a, b, func(x, y float64) float64 { return math.Floor(x / y) })
	default:
		v.lo, v.hi = math.Inf(-1), math.Inf(1)
	}
	return v.within(t)
}

// within bounds an integer by its type, around the ends of which it wraps.
func (s scalar) within(t tir.DType) scalar {
	lo, hi := 0.0, 0x1p64
	if least, most, ok := t.IntRange(); ok {
		lo, hi = float64(least), float64(most)
	}
	if !(s.lo >= lo && s.hi <= hi) {
		s.lo, s.hi = lo, hi
	}
	return s
}

// cast converts between types. What is rounded in the type of the DAG is
// not, as all floats are float64 here, unless to 16 bits.
func (e *Evaluator) cast(v scalar, from, to tir.DType) scalar {
	switch {
	case from.IsFloat() && to.IsFloat():
		if v = v.narrowed(to); to == tir.F32 && from == tir.F64 {
			return e.rounding(v.f, v.lo, v.hi, v.isSure(), unitsOfOp, to).atLeast(v.away, unitsOfOp, to)
		}
		return v
	case to == tir.Bool:
		return e.compare(tir.NE, v, sureFloat(0), from)
	case to.IsFloat():
		x := scalar{f: from.Number(v.i), lo: v.lo, hi: v.hi}
		return e.rounding(x.f, x.lo, x.hi, x.isSure(), unitsOfOp, to).narrowed(to)
	case from.IsFloat():
		t := math.Trunc(v.f)
		if !(t >= -0x1p63 && (t < 0x1p63 || to == tir.U64 && t < 0x1p64)) {
			evalFail("cast of %v to %s", v.f, to)
		}
		i := int64(t)
		if t >= 0x1p63 {
			i = int64(uint64(t))
		}
		if i = to.Wrap(i); v.isSure() || e.Frozen {
			return sureOf(i, to)
		}
		return scalar{i: i, lo: math.Trunc(v.lo), hi: math.Trunc(v.hi)}.within(to)
	}
	if v.isSure() {
		return sureOf(to.Wrap(v.i), to)
	}
	return scalar{i: to.Wrap(v.i), lo: v.lo, hi: v.hi}.within(to)
}

// bitcast reads the bits of a value as another type. Of one that is not certain they may be anything, unless its sign
// is: numbers of one sign and their bits are in the same order, or in the opposite one.
func bitcast(v scalar, from, to tir.DType) scalar {
	bits := v.i
	switch {
	case from == tir.F32:
		bits = int64(math.Float32bits(float32(v.f)))
	case from == tir.F64:
		bits = int64(math.Float64bits(v.f))
	case from.IsFloat():
		bits = int64(tir.HalfFromFloat(from, v.f))
	}
	r := sureOf(to.Wrap(bits), to)
	switch {
	case to == tir.F32:
		r = sureFloat(float64(math.Float32frombits(uint32(bits))))
	case to == tir.F64:
		r = sureFloat(math.Float64frombits(uint64(bits)))
	case to.IsFloat():
		r = sureFloat(tir.HalfToFloat(to, uint16(bits)))
	}
	if v.isSure() {
		return r
	}
	r.lo, r.hi = math.Inf(-1), math.Inf(1)
	if v.hasSign(from) {
		x, y := bitcast(v.end(v.lo, from), from, to), bitcast(v.end(v.hi, from), from, to)
		if lo, hi := min(x.lo, y.lo), max(x.lo, y.lo); lo <= hi { // not of a NaN
			r.lo, r.hi = lo, hi
		}
	}
	if !to.IsFloat() {
		r = r.within(to)
	}
	return r
}

// hasSign reports whether the highest bit of a value of a type is certain. Of integers of 64 bits float64 does not say
// which others are.
func (s scalar) hasSign(t tir.DType) bool {
	if t.IsFloat() || !t.IsUnsigned() && t.Bits() < 64 {
		return s.lo > 0 || s.hi < 0
	}
	half := math.Ldexp(1, t.Bits()-1)
	return t.Bits() < 64 && (s.lo >= 0 && s.hi < half || s.lo >= half)
}

// end returns one of the bounds of s, as a value that all programs have.
func (scalar) end(v float64, t tir.DType) scalar {
	if t.IsFloat() {
		return sureFloat(v)
	}
	return sureOf(int64(v), t)
}

// A summation adds up terms of a float type, in any order.
type summation struct {
	t                          tir.DType
	n                          float64
	sum, magnitude, squares    float64
	below, above               float64 // how far the bounds of terms lie from them, in all
	belowSquares, aboveSquares float64
	grain                      float64 // the last bit of any term; 0 if they are not certain
	poles                      float64 // terms of infinite bounds
	pole, rest                 float64 // the least magnitude of one of them, and the most of all others
}

func (s *summation) add(x scalar) {
	if s.n == 0 {
		s.grain = math.Inf(1)
	}
	s.n++
	s.sum += x.f
	s.magnitude += math.Abs(x.f)
	s.squares += x.f * x.f
	below, above := x.f-x.lo, x.hi-x.f
	s.below, s.above = s.below+below, s.above+above
	s.belowSquares, s.aboveSquares = s.belowSquares+below*below, s.aboveSquares+above*above
	if !x.isSure() {
		s.grain = 0
	}
	s.grain = min(s.grain, lastBit(x.f))
	if math.IsInf(x.hi-x.lo, 1) {
		s.poles, s.pole = s.poles+1, x.least()
	} else {
		s.rest += x.most()
	}
}

// total returns the sum and what programs may get for it, whose errors are larger by a factor of growth, if that is
// above 1.
func (s *summation) total(growth float64) scalar {
	if growth <= 1 && s.magnitude*Unit(s.t) <= s.grain && !math.IsInf(s.magnitude, 0) || s.sum != s.sum {
		return sureFloat(s.sum)
	}
	spread := func(all, squares float64) float64 {
		if common := all / max(s.magnitude, math.SmallestNonzeroFloat64) * math.Abs(s.sum); !math.IsInf(all, 0) {
			return min(all, unitsOfOp*math.Sqrt(squares)+common)
		}
		return all
	}
	size := max(math.Abs(s.sum), math.Sqrt(s.squares))
	units := max(growth, 1) * unitsOfOp * math.Sqrt(s.n)
	error := max(units*Unit(s.t)*size, Smallest(s.t))
	lo, hi := s.sum-spread(s.below, s.belowSquares), s.sum+spread(s.above, s.aboveSquares)
	r := bounded(s.sum, lo-error, hi+error)
	if s.poles == 1 { // two may cancel
		r = r.atLeast(s.pole-s.rest, units, s.t)
	}
	return r
}

// lastBit returns the value of the last bit of v that is set, infinite for 0.
func lastBit(v float64) float64 {
	if v == 0 {
		return math.Inf(1)
	}
	frac, exp := math.Frexp(math.Abs(v))
	m := int64(frac * (1 << 53))
	return math.Ldexp(float64(m&-m), exp-53)
}
