package tir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A DType is the type of a scalar value or of the elements of a buffer.
type DType uint8

// The element types of TensorIR. Index is the type of loop variables and of
// index arithmetic.
const (
	Invalid DType = iota
	Bool
	I8
	U8
	I32
	I64
	F16
	BF16
	F32
	F64
	I16
	U16
	U32
	U64

	Index = I64
)

var dtypes = [...]struct {
	name  string
	bytes int
	float bool
}{
	Bool: {"bool", 1, false},
	I8:   {"int8", 1, false},
	U8:   {"uint8", 1, false},
	I32:  {"int32", 4, false},
	I64:  {"int64", 8, false},
	F16:  {"float16", 2, true},
	BF16: {"bfloat16", 2, true},
	F32:  {"float32", 4, true},
	F64:  {"float64", 8, true},
	I16:  {"int16", 2, false},
	U16:  {"uint16", 2, false},
	U32:  {"uint32", 4, false},
	U64:  {"uint64", 8, false},
}

// DTypes lists every valid type, in the order of the constants.
func DTypes() []DType {
	return []DType{Bool, I8, U8, I32, I64, F16, BF16, F32, F64, I16, U16, U32, U64}
}

func (t DType) String() string {
	if t == Invalid || int(t) >= len(dtypes) {
		return fmt.Sprintf("dtype(%d)", uint8(t))
	}
	return dtypes[t].name
}

// Bytes returns the storage size of one element.
func (t DType) Bytes() int { return dtypes[t].bytes }

// Bits returns the width of one element in bits; a Bool is 8 bits in memory.
func (t DType) Bits() int { return 8 * t.Bytes() }

// RegisterBytes returns the size of a value in a processor's register: floats of 16 bits are computed as 32.
func (t DType) RegisterBytes() int {
	if t == F16 || t == BF16 {
		return 4
	}
	return t.Bytes()
}

// IsFloat reports whether t is a floating-point type.
func (t DType) IsFloat() bool { return dtypes[t].float }

// IsInt reports whether t is an integer type; Bool is not one.
func (t DType) IsInt() bool { return !t.IsFloat() && t != Bool && t != Invalid }

// IsUnsigned reports whether t is an integer type without negative numbers.
func (t DType) IsUnsigned() bool { return t == U8 || t == U16 || t == U32 || t == U64 }

// ParseDType returns the type with the given name, such as "float32".
func ParseDType(name string) (DType, error) {
	var known []string
	for _, t := range DTypes() {
		if t.String() == name {
			return t, nil
		}
		known = append(known, t.String())
	}
	return Invalid, fmt.Errorf("unknown type %q: known are %s", name, strings.Join(known, " "))
}

// A value of an integer type or Bool is held as an int64: the number itself, but of a U64 the int64 of the same bits.

// Wrap returns the value of integer type t with the low bits of v; v itself if t is Bool.
func (t DType) Wrap(v int64) int64 {
	switch t {
	case I8:
		return int64(int8(v))
	case U8:
		return int64(uint8(v))
	case I16:
		return int64(int16(v))
	case U16:
		return int64(uint16(v))
	case I32:
		return int64(int32(v))
	case U32:
		return int64(uint32(v))
	}
	return v
}

// Number returns the number that a value of integer type t stands for.
func (t DType) Number(v int64) float64 {
	if t == U64 {
		return float64(uint64(v))
	}
	return float64(v)
}

// Truncate returns the value of integer type t for v rounded toward zero: it wraps around. Beyond what 64 bits hold,
// with or without a sign, it is anything.
func (t DType) Truncate(v float64) int64 {
	if v >= 0x1p63 {
		return t.Wrap(int64(uint64(v)))
	}
	return t.Wrap(int64(v))
}

// IntRange returns the least and the greatest number of integer type t or Bool, or ok=false for a U64, whose numbers an
// int64 does not hold.
func (t DType) IntRange() (lo, hi int64, ok bool) {
	switch t {
	case Bool:
		return 0, 1, true
	case U64:
		return 0, 0, false
	}
	if !t.IsInt() {
		return 0, 0, false
	}
	if t.IsUnsigned() {
		return 0, 1<<t.Bits() - 1, true
	}
	hi = math.MaxInt64 >> (64 - t.Bits())
	return -hi - 1, hi, true
}

// FormatInt returns the digits of a value of integer type t.
func (t DType) FormatInt(v int64) string {
	if t == U64 {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}
