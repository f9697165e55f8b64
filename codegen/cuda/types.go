package cuda

import "github.com/wmtune/wmtune/tir"

// types holds what the types of TensorIR are in CUDA C. Float16 and bfloat16
// are storage types, and stored as their bits.
var types = [...]struct {
	name     string
	unsigned string // in which arithmetic wraps around; "" if an int holds the results
	wide     map[int64]string
}{
	tir.Bool: {name: "bool"},
	tir.I8:   {name: "signed char"},
	tir.U8:   {name: "unsigned char"},
	tir.I32:  {name: "int", unsigned: "unsigned", wide: map[int64]string{2: "int2", 4: "int4"}},
	tir.I64:  {name: "long long", unsigned: "unsigned long long"},
	tir.F16:  {name: "unsigned short", wide: map[int64]string{2: "ushort2", 4: "ushort4", copyOnly: "uint4"}},
	tir.BF16: {name: "unsigned short", wide: map[int64]string{2: "ushort2", 4: "ushort4", copyOnly: "uint4"}},
	tir.F32:  {name: "float", wide: map[int64]string{2: "float2", 4: "float4"}},
	tir.F64:  {name: "double", wide: map[int64]string{2: "double2"}},
	tir.I16:  {name: "short", wide: map[int64]string{2: "short2", 4: "short4"}},
	tir.U16:  {name: "unsigned short", unsigned: "unsigned", wide: map[int64]string{2: "ushort2", 4: "ushort4"}},
	tir.U32:  {name: "unsigned", unsigned: "unsigned", wide: map[int64]string{2: "uint2", 4: "uint4"}},
	tir.U64:  {name: "unsigned long long", unsigned: "unsigned long long"},
}

// copyOnly is the number of elements in a vector that has no names for them: it is moved as a
// whole, or zero.
const copyOnly = 8

// typeName returns the type of one element.
func typeName(t tir.DType) string { return types[t].name }

// vectorName returns the type of n elements, or "" if there is none.
func vectorName(t tir.DType, n int64) string { return types[t].wide[n] }
