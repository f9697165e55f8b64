package tir

import "fmt"

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

// DTypes lists every valid type, in order.
func DTypes() []DType { return []DType{Bool, I8, U8, I32, I64, F16, BF16, F32, F64} }

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
	for _, t := range DTypes() {
		if t.String() == name {
			return t, nil
		}
	}
	return Invalid, fmt.Errorf("unknown type %q: known are bool int8 uint8 int32 int64 float16 bfloat16 float32 float64",
		name)
}
