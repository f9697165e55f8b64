package graph

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// An Element is a type of elements that ONNX has (TensorProto.DataType).
type Element struct {
	Name string    // "" if ONNX has no such type
	Type tir.DType // that holds the numbers; Invalid if wmtune does not support it

	// Of a narrow type, whose numbers are some of those of Type:
	Bits  int64  // of an element in a file, where elements lie packed; 0: the type is not narrow
	Float *Float // nil: an integer
}

// A Float says which numbers a narrow type of floats has.
type Float struct {
	Digits   int     // binary digits of a number that is not small, the first 1 included
	Smallest float64 // distance of small numbers
	Most     float64 // the greatest number
	Infinite bool    // it has infinities
	OneZero  bool    // no -0, whose code stands for NaN
}

// Elements has the types of elements by the numbers that ONNX gives them. What is narrow is held as int8, uint8 or
// float16, one number an element; passes pack constants again.
var Elements = []Element{
	1: {Name: "float32", Type: tir.F32}, 2: {Name: "uint8", Type: tir.U8}, 3: {Name: "int8", Type: tir.I8},
	4: {Name: "uint16", Type: tir.U16}, 5: {Name: "int16", Type: tir.I16}, 6: {Name: "int32", Type: tir.I32},
	7: {Name: "int64", Type: tir.I64}, 8: {Name: "string"}, 9: {Name: "bool", Type: tir.Bool},
	10: {Name: "float16", Type: tir.F16}, 11: {Name: "float64", Type: tir.F64}, 12: {Name: "uint32", Type: tir.U32},
	13: {Name: "uint64", Type: tir.U64}, 14: {Name: "complex64"}, 15: {Name: "complex128"},
	16: {Name: "bfloat16", Type: tir.BF16},
	17: {"float8e4m3fn", tir.F16, 8, &Float{4, 0x1p-9, 448, false, false}},
	18: {"float8e4m3fnuz", tir.F16, 8, &Float{4, 0x1p-10, 240, false, true}},
	19: {"float8e5m2", tir.F16, 8, &Float{3, 0x1p-16, 57344, true, false}},
	20: {"float8e5m2fnuz", tir.F16, 8, &Float{3, 0x1p-17, 57344, false, true}},
	21: {"uint4", tir.U8, 4, nil}, 22: {"int4", tir.I8, 4, nil},
	23: {Name: "float4e2m1"}, 24: {Name: "float8e8m0"},
	25: {"uint2", tir.U8, 2, nil}, 26: {"int2", tir.I8, 2, nil},
}

// ElementOf returns the type of a number, and whether ONNX has it.
func ElementOf(number int64) (Element, bool) {
	if number < 0 || number >= int64(len(Elements)) || Elements[number].Name == "" {
		return Element{}, false
	}
	return Elements[number], true
}

// Narrow returns e if it is a narrow type, else nil.
func (e Element) Narrow() *Element {
	if e.Bits == 0 {
		return nil
	}
	return &e
}

// Range returns the least and the greatest number of a narrow type of integers.
func (e *Element) Range() (low, high int64) {
	if e.Type == tir.U8 {
		return 0, 1<<e.Bits - 1
	}
	return -1 << (e.Bits - 1), 1<<(e.Bits-1) - 1
}

// Number returns what a code of a narrow type stands for.
func (e *Element) Number(code int64) float64 {
	sign := code >> (e.Bits - 1)
	if e.Float == nil {
		if e.Type == tir.I8 {
			code -= sign << e.Bits
		}
		return float64(code)
	}
	f, mantissa := e.Float, int64(e.Float.Digits-1)
	code -= sign << (e.Bits - 1)
	exponent, rest := code>>mantissa, code&(1<<mantissa-1)
	v := float64(rest) * f.Smallest
	if exponent > 0 {
		v = math.Ldexp(float64(rest+1<<mantissa)*f.Smallest, int(exponent-1))
	}
	switch {
	case f.OneZero && sign == 1 && code == 0 || v > f.Most && (!f.Infinite || rest != 0):
		return math.NaN()
	case v > f.Most:
		v = math.Inf(1)
	}
	return math.Copysign(v, float64(1-2*sign))
}

// Round returns the number of a narrow type that is nearest to v, to an even code if two are. What is beyond the
// greatest becomes that, as long as it saturates; a type of floats has infinities or NaN for it otherwise.
func (e *Element) Round(v float64, saturate bool) float64 {
	if e.Float == nil {
		low, high := e.Range()
		return max(float64(low), min(float64(high), v))
	}
	f := e.Float
	if v == 0 || v != v {
		if f.OneZero {
			v += 0
		}
		return v
	}
	step := f.Smallest
	if _, exponent := math.Frexp(v); !math.IsInf(v, 0) {
		step = max(step, math.Ldexp(1, exponent-f.Digits))
		v = math.RoundToEven(v/step) * step
	}
	if beyond := math.Abs(v) > f.Most; beyond && saturate {
		v = math.Copysign(f.Most, v)
	} else if beyond && f.Infinite {
		v = math.Inf(int(math.Copysign(1, v)))
	} else if beyond {
		v = math.NaN()
	}
	if f.OneZero {
		v += 0
	}
	return v
}
