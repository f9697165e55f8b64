package op

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// casts has conversions between types. A float becomes the integer that it is truncated to; beyond the integers of the
// type it becomes the nearest one, and NaN becomes 0 (ONNX leaves both open). Integers wrap around. What is not 0
// becomes true.
var casts = []Row{
	{Op: "Cast", Since: 6, In: "T1:A", Infer: inferCast, Eval: evalCast, Body: bodyCast},
	{Op: "CastLike", Since: 15, In: "T1:A T2:A", Infer: inferCastLike, Eval: evalCast, Body: bodyCast},
}

// elementType returns the type of a number of ONNX.
func elementType(number int64) (tir.DType, error) {
	e, ok := graph.ElementOf(number)
	switch {
	case !ok:
		return tir.Invalid, fmt.Errorf("ONNX has no type %d", number)
	case e.Type == tir.Invalid:
		return tir.Invalid, Unsupported("type %s", e.Name)
	}
	return e.Type, nil
}

// elementNumber returns the number that ONNX gives a type.
func elementNumber(t tir.DType) int64 {
	for i, e := range graph.Elements {
		if e.Type == t && t != tir.Invalid {
			return int64(i)
		}
	}
	panic(fmt.Sprintf("BUG: ONNX has no type %s", t))
}

func inferCast(n *graph.Node) ([]Type, error) {
	t, err := elementType(n.Int("to", 0))
	return []Type{{DType: t, Shape: n.Inputs[0].Shape}}, err
}

func inferCastLike(n *graph.Node) ([]Type, error) {
	return []Type{{DType: n.Inputs[1].Type, Shape: n.Inputs[0].Shape}}, nil
}

func evalCast(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	to := tir.Invalid
	if n.Op == "CastLike" {
		to = in[1].Type
	} else {
		var err error
		if to, err = elementType(n.Int("to", 0)); err != nil {
			return nil, err
		}
	}
	return []*graph.Tensor{convert(in[0], to)}, nil
}

// convert returns the numbers of x as another type.
func convert(x *graph.Tensor, to tir.DType) *graph.Tensor {
	if x.Type == to {
		return x
	}
	r := graph.NewTensor(to, x.Shape...)
	for i := range r.Len() {
		switch {
		case to.IsFloat():
			r.F[i] = round(to, x.At(i))
		case x.F == nil:
			r.I[i] = Wrap(to, x.I[i])
		case to == tir.Bool && x.F[i] != 0:
			r.I[i] = 1
		case to != tir.Bool:
			r.I[i] = truncate(to, x.F[i])
		}
	}
	return r
}

// round returns the number of float type t that is nearest to v.
func round(t tir.DType, v float64) float64 {
	switch t {
	case tir.F32:
		return float64(float32(v))
	case tir.F16, tir.BF16:
		return tir.HalfToFloat(t, tir.HalfFromFloat(t, v))
	}
	return v
}

// limits returns the least and the greatest number of an integer type, and the latter as an int64 (of a uint64 its
// bits).
func limits(t tir.DType) (lo, hi float64, most int64) {
	bits := t.Bits()
	switch {
	case t == tir.Bool:
		return 0, 1, 1
	case t == tir.U64:
		return 0, math.MaxUint64, -1
	case t.IsUnsigned():
		return 0, float64(int64(1)<<bits - 1), int64(1)<<bits - 1
	}
	most = math.MaxInt64 >> (64 - bits)
	return -math.Ldexp(1, bits-1), float64(most), most
}

// truncate returns the number of integer type t nearest to v truncated, and 0 for NaN.
func truncate(t tir.DType, v float64) int64 {
	lo, hi, most := limits(t)
	switch {
	case v != v:
		return 0
	case v <= lo:
		return int64(lo)
	case v >= hi:
		return most
	case t == tir.U64 && v >= 0x1p63:
		return int64(uint64(v))
	}
	return int64(v)
}

// bodyCast is that of CastLike too: no element of the second operand is read.
func bodyCast(b *Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr { return castTo(b.Read(0, at...), b.Node.Outputs[0].Type) })
	return nil
}

// castTo converts x, a number to compute with, to type t, as ONNX's Cast does.
func castTo(x tir.Expr, t tir.DType) tir.Expr {
	if t == tir.Bool && x.DType() != t {
		return ne(x, num(x, 0))
	}
	if !x.DType().IsFloat() || !t.IsInt() {
		return Cast(Cast(x, Register(t)), t)
	}
	lo, hi, most := limits(t)
	number := sel(eq(x, x), x, num(x, 0))
	if t.Bits() <= 16 || t.Bits() <= 32 && x.DType() == tir.F64 { // the limits are numbers of x's type
		return Cast(minOf(maxOf(number, num(x, lo)), num(x, hi)), t)
	}
	if t == tir.I64 || t == tir.U64 {
		past := num(x, math.Ldexp(1, t.Bits())) // the first number that is too large
		if t == tir.I64 {
			past = num(x, 0x1p63)
		}
		inside := sel(lt(number, past), maxOf(number, num(x, lo)), num(x, 0))
		return sel(lt(number, past), Cast(inside, t), &tir.IntImm{Value: most, Type: t})
	}
	// An int64 holds what a float clamped to 2^62 is, and the limits of t are exact there.
	wide := Cast(minOf(maxOf(number, num(x, -0x1p62)), num(x, 0x1p62)), tir.I64)
	return Cast(minOf(maxOf(wide, tir.Int(int64(lo))), tir.Int(most)), t)
}
