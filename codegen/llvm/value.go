package llvm

import (
	"fmt"
	"math"
	"strconv"

	"github.com/wmtune/wmtune/tir"
)

// A value is a scalar, equal in all lanes, or a vector of one per lane. A
// value of type F16 or BF16 is held as the float that it stands for, and a
// Bool as i1.
type value struct {
	typ     tir.DType
	ref     string // operand without type
	n       int64  // lanes; 1: scalar
	isConst bool   // ref is a constant; only for n == 1
	half    bool   // LLVM sees that it was made of a binary16
	fits    bool   // a BF16 that needs no rounding
}

// isNumber reports whether v is known not to be a NaN, as a constant.
func (v value) isNumber() bool {
	bits, err := strconv.ParseUint(v.ref, 0, 64)
	return v.isConst && (err != nil || !math.IsNaN(math.Float64frombits(bits)))
}

const floatZero = "0x0000000000000000"

// scalarType is the type of a value in a register.
func scalarType(t tir.DType) string {
	switch t {
	case tir.Bool:
		return "i1"
	case tir.I8, tir.U8:
		return "i8"
	case tir.I16, tir.U16:
		return "i16"
	case tir.I32, tir.U32:
		return "i32"
	case tir.I64, tir.U64:
		return "i64"
	case tir.F16, tir.BF16, tir.F32:
		return "float"
	case tir.F64:
		return "double"
	}
	panic(fmt.Sprintf("BUG: llvm: type %s", t))
}

// memoryType is the type of an element of a buffer.
func memoryType(t tir.DType) string {
	switch t {
	case tir.Bool:
		return "i8"
	case tir.F16, tir.BF16:
		return "i16"
	}
	return scalarType(t)
}

func (f *function) typeOf(v value) string { return vectorType(scalarType(v.typ), v.n) }

// result is a value like x with another name.
func (f *function) result(x value, ref string) value {
	return value{typ: x.typ, ref: ref, n: x.n}
}

// immText returns an integer constant for n lanes.
func (f *function) immText(t tir.DType, c, n int64) string {
	text := strconv.FormatInt(c, 10)
	if n == 1 {
		return text
	}
	return splatText(scalarType(t), text, n)
}

func intValue(t tir.DType, c int64) value {
	if t == tir.Bool {
		text := "false"
		if c != 0 {
			text = "true"
		}
		return value{typ: t, ref: text, n: 1, isConst: true}
	}
	return value{typ: t, ref: strconv.FormatInt(t.Wrap(c), 10), n: 1, isConst: true}
}

// floatValue returns a constant rounded to t.
func floatValue(t tir.DType, c float64) value {
	switch t {
	case tir.F32:
		c = float64(float32(c))
	case tir.F16:
		c = roundHalf(c)
	case tir.BF16:
		c = roundBrain(c)
	}
	return value{typ: t, ref: fmt.Sprintf("0x%016X", math.Float64bits(c)), n: 1, isConst: true}
}

// spread returns v for n lanes.
func (f *function) spread(v value, n int64) value {
	if v.n == n {
		return v
	}
	if v.n != 1 || f.lane == nil || f.lane.n != n {
		panic("BUG: llvm: spreading a vector")
	}
	return value{typ: v.typ, ref: f.splatRef(scalarType(v.typ), v.ref, v.isConst), n: n, half: v.half, fits: v.fits}
}

// match makes x and y have equally many lanes.
func (f *function) match(x, y value) (value, value) {
	n := max(x.n, y.n)
	return f.spread(x, n), f.spread(y, n)
}

// laneOf returns element l of v.
func (f *function) laneOf(v value, l int64) value {
	if v.n == 1 {
		return v
	}
	return value{typ: v.typ, n: 1, ref: f.pure(fmt.Sprintf("extractelement %s %s, i64 %d", f.typeOf(v), v.ref, l))}
}

// collect makes a vector of scalars, one per lane that counts.
func (f *function) collect(list []value) value {
	v := value{typ: list[0].typ, n: f.lane.n, ref: "poison", fits: true}
	if f.lane.partial() {
		v.ref = "zeroinitializer"
	}
	for i, e := range list {
		v.fits = v.fits && e.fits
		v.ref = f.pure(fmt.Sprintf("insertelement %s %s, %s %s, i64 %d", f.typeOf(v), v.ref, scalarType(e.typ), e.ref, i))
	}
	return v
}

// both returns the conjunction of two conditions.
func (f *function) both(x, y value) value {
	x, y = f.match(x, y)
	return f.result(x, f.pure(fmt.Sprintf("and %s %s, %s", f.typeOf(x), x.ref, y.ref)))
}

// choose emits a select between operands of type typ, which has n lanes if
// cond has.
func (f *function) choose(cond string, n int64, typ, then, els string) string {
	return f.pure(fmt.Sprintf("select %s %s, %s %s, %s %s", vectorType("i1", n), cond, typ, then, typ, els))
}
