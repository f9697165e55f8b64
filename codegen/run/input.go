package run

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// Inputs are a function of the seed, the set, the tensor and the element, so
// that no two elements are related and no permutation of a tensor is another.
//
// Floats are odd multiples of 1/32 below 2 in magnitude, with random signs: none
// is zero, so every element counts; products of two have at most 12 significant
// bits, so that sums of products are exact in float32 whatever their order, as
// long as they have fewer than about a million terms. A program that merely adds
// in another order then gives the very same result, and one that leaves a term
// out does not. Signs keep sums of n terms near sqrt(n), far from overflow.
//
// Where such inputs give results that are not finite (a square root of a
// negative value, an exponential of a large one, nothing but masked elements), a
// gentler level is tried.
//
// The first set has peaks where a maximum or a minimum is taken of an input (peaks.go).

// A filling says which values an integer input may have: those from Low to High
// if Limited, else all of its type.
type filling struct {
	Low, High int64
	Limited   bool
	Index     bool // they serve as an index, whatever the level
}

// levels are the distributions of inputs, tried in order.
var levels = []struct {
	signed bool
	middle float64
	scale  float64        // of odd numbers below 64
	ints   arith.Interval // of integers that are no indices; of the first level: as they are filled
	truths uint64         // booleans of 64
}{
	{true, 0, 1.0 / 32, arith.Interval{}, 32},
	{true, 0, 1.0 / 256, arith.Between(1, 15), 60},
	{false, 0, 1.0 / 32, arith.Between(1, 15), 60},
	{true, 0, 1.0 / 2048, arith.Between(0, 3), 60},
	{false, 0, 1.0 / 256, arith.Between(0, 3), 64},
	{true, 1, 1.0 / 1024, arith.Between(1, 1), 64}, // a product of many neither vanishes nor grows
}

// fill writes the elements of tensor number index of a set of inputs.
func fill(data []byte, t tensor, seed uint64, set, index, level int) {
	key := mix(mix(mix(seed)+uint64(set)) + uint64(index))
	size := t.Type.Bytes()
	for i := range t.elems() {
		r := mix(key + uint64(i)*0x9e3779b97f4a7c15)
		at := data[i*int64(size):]
		if t.Type.IsFloat() {
			putFloat(at, t.Type, floatInput(r, level))
		} else {
			putInt(at, t.Type, intInput(r, t, level))
		}
	}
	if set == peakSet {
		t.Peaks.plant(data, t, key, level)
	}
}

func floatInput(r uint64, level int) float64 {
	l := levels[level]
	v := float64(r>>32&31*2+1) * l.scale
	if l.signed && r>>63 == 1 {
		v = -v
	}
	return l.middle + v
}

func intInput(r uint64, t tensor, level int) int64 {
	switch all := intsOf(t, level); {
	case t.Type == tir.Bool && r>>58 >= 64-levels[level].truths:
		return 1
	case t.Type == tir.Bool:
		return 0
	case t.Fill.Limited || level > 0:
		return all.Lo + int64((r>>1)%uint64(all.Hi-all.Lo+1))
	}
	return int64(r) // cut to the type when stored
}

// intsOf returns the integers that an input may have at a level.
func intsOf(t tensor, level int) arith.Interval {
	switch given := arith.Between(t.Fill.Low, t.Fill.High); {
	case t.Fill.Limited && (level == 0 || t.Fill.Index):
		return given
	case t.Fill.Limited:
		return given.And(levels[level].ints)
	case level > 0:
		return levels[level].ints
	}
	lo, hi, _ := t.Type.IntRange()
	return arith.Between(lo, hi)
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Operators that choose among their inputs (maxima, minima, the place of the largest) and compute nothing have
// infinities and NaNs among the second set of inputs: their results are exact, so they must be those of the
// definition. In others a NaN would be everywhere.

// specialSet is the set of inputs with special numbers.
const specialSet = 1

// chooses reports whether a DAG computes nothing with floats: they are moved, compared and folded by maximum,
// minimum or place of the largest.
func chooses(d *compute.DAG) bool {
	folds := false
	for _, op := range d.Ops {
		if c := op.Combine; c != nil {
			if c.Kind == compute.Sum || c.Kind == compute.Tuple {
				return false
			}
			folds = folds || slices.ContainsFunc(op.Body, func(e tir.Expr) bool { return e.DType().IsFloat() })
		}
		if !slices.ContainsFunc(op.Body, func(e tir.Expr) bool { return !moves(e) }) {
			continue
		}
		return false
	}
	return folds
}

func moves(e tir.Expr) bool {
	return !tir.HasExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Call, *tir.Bitcast:
			return true
		case *tir.Cast:
			return e.X.DType().IsFloat() && !e.To.IsFloat()
		case *tir.Binary:
			return e.X.DType().IsFloat() && e.Op != tir.Max && e.Op != tir.Min
		}
		return false
	})
}

// The rows of a tensor with special numbers: an eighth each are all -Inf, or have an Inf, an -Inf, a NaN, or two NaNs.
const (
	allLow = iota
	oneHigh
	oneLow
	oneNaN
	twoNaNs
	rowKinds = 8
)

// fillSpecial writes infinities and NaNs among the elements of an input of floats.
func fillSpecial(data []byte, t tensor, seed uint64, index int) {
	if !t.Type.IsFloat() || len(t.Shape) == 0 {
		return
	}
	size, row := int64(t.Type.Bytes()), t.Shape[len(t.Shape)-1]
	put := func(at int64, v float64) { putFloat(data[at*size:], t.Type, v) }
	for first := int64(0); first < t.elems(); first += row {
		r := mix(mix(seed+uint64(index)) + uint64(first))
		somewhere := func(k uint64) int64 { return first + int64(mix(r+k)%uint64(row)) }
		switch r % rowKinds {
		case allLow:
			for at := first; at < first+row; at++ {
				put(at, math.Inf(-1))
			}
		case oneHigh:
			put(somewhere(1), math.Inf(1))
		case oneLow:
			put(somewhere(1), math.Inf(-1))
		case twoNaNs:
			put(somewhere(2), math.NaN())
			fallthrough
		case oneNaN:
			put(somewhere(1), math.NaN())
		}
	}
}

// putInt stores an integer or boolean of type t, which cuts it to its width.
func putInt(at []byte, t tir.DType, v int64) {
	switch t.Bytes() {
	case 1:
		at[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(at, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(at, uint32(v))
	default:
		binary.LittleEndian.PutUint64(at, uint64(v))
	}
}

// getInt loads an integer or boolean of type t, of a uint64 the int64 of the same bits.
func getInt(at []byte, t tir.DType) int64 {
	switch t.Bytes() {
	case 1:
		return t.Wrap(int64(at[0]))
	case 2:
		return t.Wrap(int64(binary.LittleEndian.Uint16(at)))
	case 4:
		return t.Wrap(int64(binary.LittleEndian.Uint32(at)))
	}
	return int64(binary.LittleEndian.Uint64(at))
}

// putFloat stores the float of type t that is nearest to v, ties to even.
func putFloat(at []byte, t tir.DType, v float64) {
	switch t {
	case tir.F64:
		binary.LittleEndian.PutUint64(at, math.Float64bits(v))
	case tir.F32:
		binary.LittleEndian.PutUint32(at, math.Float32bits(float32(v)))
	case tir.BF16:
		binary.LittleEndian.PutUint16(at, tir.HalfFromFloat(t, v))
	case tir.F16:
		binary.LittleEndian.PutUint16(at, tir.HalfFromFloat(t, v))
	default:
		panic("BUG: run: a float of type " + t.String())
	}
}

// getFloat loads a float of type t.
func getFloat(at []byte, t tir.DType) float64 {
	switch t {
	case tir.F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(at))
	case tir.F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
	case tir.BF16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(at)) << 16))
	case tir.F16:
		return tir.HalfToFloat(t, binary.LittleEndian.Uint16(at))
	}
	panic("BUG: run: a float of type " + t.String())
}

// A poison fills outputs before a call, so that elements which are not written,
// or are read before they are written, show. A kernel that takes the maximum
// with what it finds is not stopped by NaN, so there are finite poisons as well.
type poison int

const (
	poisonNaN poison = iota
	poisonHigh
	poisonLow
	poisons
)

// poisonElem is the bytes of one poisoned element.
func (p poison) elem(t tir.DType) []byte {
	at := make([]byte, t.Bytes())
	if !t.IsFloat() {
		putInt(at, t, [poisons]int64{-0x5a5a5a5a5a5a5a5b, 0x5a5a5a5a5a5a5a5a, 0x7f7f7f7f7f7f7f7f}[p])
		return at
	}
	high := map[tir.DType]float64{tir.F16: 60000, tir.BF16: 1e30, tir.F32: 1e30, tir.F64: 1e300}[t]
	switch p {
	case poisonNaN: // with a payload that arithmetic does not make by itself
		bits := map[tir.DType]uint64{tir.F16: 0x7ea5, tir.BF16: 0x7fa5 | 0x40, tir.F32: 0x7fc0a5a5,
			tir.F64: 0x7ff8a5a5a5a5a5a5}[t]
		for i := range at {
			at[i] = byte(bits >> (8 * i))
		}
	case poisonHigh:
		putFloat(at, t, high)
	case poisonLow:
		putFloat(at, t, -high)
	}
	return at
}

// fill poisons a whole tensor.
func (p poison) fill(data []byte, t tir.DType) {
	const cached = 16 << 10 // bytes that are copied again and again
	if len(data) == 0 {
		return
	}
	n := copy(data, p.elem(t))
	for n < len(data) {
		n += copy(data[n:], data[:min(n, cached)])
	}
}
