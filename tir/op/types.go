package op

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// dtypeNames are the element types that operators take, under the names used in
// workload notation.
var dtypeNames = []struct {
	name string
	t    tir.DType
}{
	{"f32", tir.F32}, {"f64", tir.F64}, {"f16", tir.F16}, {"bf16", tir.BF16},
	{"i8", tir.I8}, {"u8", tir.U8}, {"i32", tir.I32}, {"i64", tir.I64},
}

// parseDType reads a short name, or the long one that DType.String gives.
func parseDType(name string) (tir.DType, error) {
	var known string
	for _, d := range dtypeNames {
		if name == d.name || name == d.t.String() {
			return d.t, nil
		}
		known += " " + d.name
	}
	return tir.Invalid, fmt.Errorf("unknown type %q: known are%s", name, known)
}

func dtypeName(t tir.DType) string {
	for _, d := range dtypeNames {
		if d.t == t {
			return d.name
		}
	}
	panic("BUG: op: no operator takes " + t.String())
}

// types are the types of one workload.
//
//	elements   store  arith  result
//	f32 f64    same   same   same
//	f16 bf16   same   f32    same
//	i8 u8      same   i32    i32, or the same where an operator only picks elements
//	i32 i64    same   same   same
type types struct {
	store  tir.DType // of inputs
	arith  tir.DType // of what is computed
	result tir.DType // of the output and of the operands of epilogues
}

func typesOf(store tir.DType) types {
	switch store {
	case tir.F16, tir.BF16:
		return types{store, tir.F32, store}
	case tir.I8, tir.U8:
		return types{store, tir.I32, tir.I32}
	}
	return types{store, store, store}
}

// cast converts e to t where that is not its type.
func cast(t tir.DType, e tir.Expr) tir.Expr {
	if e.DType() == t {
		return e
	}
	return &tir.Cast{X: e, To: t}
}

// constant returns v as a constant of type t, rounded to what t can hold, so
// that every emitter has the same value.
func constant(t tir.DType, v float64) tir.Expr {
	if t == tir.F32 {
		v = float64(float32(v))
	}
	return tir.Const(t, v)
}
