package graph

import "github.com/wmtune/wmtune/tir"

// An Element is a type of elements that ONNX has (TensorProto.DataType).
type Element struct {
	Name string    // "" if ONNX has no such type
	Type tir.DType // Invalid if wmtune does not support it
}

// Elements has the types of elements by the numbers that ONNX gives them.
var Elements = []Element{
	1: {"float32", tir.F32}, 2: {"uint8", tir.U8}, 3: {"int8", tir.I8}, 4: {"uint16", tir.U16}, 5: {"int16", tir.I16},
	6: {"int32", tir.I32}, 7: {"int64", tir.I64}, 8: {Name: "string"}, 9: {"bool", tir.Bool}, 10: {"float16", tir.F16},
	11: {"float64", tir.F64}, 12: {"uint32", tir.U32}, 13: {"uint64", tir.U64}, 14: {Name: "complex64"},
	15: {Name: "complex128"}, 16: {"bfloat16", tir.BF16}, 17: {Name: "float8e4m3fn"}, 18: {Name: "float8e4m3fnuz"},
	19: {Name: "float8e5m2"}, 20: {Name: "float8e5m2fnuz"}, 21: {Name: "uint4"}, 22: {Name: "int4"},
	23: {Name: "float4e2m1"}, 24: {Name: "float8e8m0"}, 25: {Name: "uint2"}, 26: {Name: "int2"},
}

// ElementOf returns the type of a number, and whether ONNX has it.
func ElementOf(number int64) (Element, bool) {
	if number < 0 || number >= int64(len(Elements)) || Elements[number].Name == "" {
		return Element{}, false
	}
	return Elements[number], true
}
