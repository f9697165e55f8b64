// Package pointwise has the operators that compute an element of the result from one element of each operand, random
// numbers, and window functions of signals.
package pointwise

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Elementwise has arithmetic on an element of each operand.
var Elementwise = []op.Row{
	{Op: "Add", Since: 7, In: "T:N T:N", Infer: op.InferBroadcast, Eval: evalBinary(
		func(x, y float64) float64 { return x + y },
		func(_ tir.DType, x, y int64) int64 { return x + y }), Body: binary(Add)},
	{Op: "Sub", Since: 7, In: "T:N T:N", Infer: op.InferBroadcast, Eval: evalBinary(
		func(x, y float64) float64 { return x - y },
		func(_ tir.DType, x, y int64) int64 { return x - y }), Body: binary(Sub)},
	{Op: "Mul", Since: 7, In: "T:N T:N", Infer: op.InferBroadcast, Eval: evalBinary(
		func(x, y float64) float64 { return x * y },
		func(_ tir.DType, x, y int64) int64 { return x * y }), Body: binary(Mul)},
	{Op: "Div", Since: 7, In: "T:N T:N", Infer: op.InferBroadcast, Eval: evalBinary(
		func(x, y float64) float64 { return x / y }, Divide), Body: binary(safeDiv)},
	{Op: "Mod", Since: 10, In: "T:N T:N", Infer: op.InferBroadcast, Eval: evalMod, Body: bodyMod},

	{Op: "Neg", Since: 6, In: "T:N", Infer: op.InferSame, Body: unary(Neg), Eval: evalNumber(
		func(x float64) float64 { return -x }, func(x int64) int64 { return -x })},
	{Op: "Abs", Since: 6, In: "T:N", Infer: op.InferSame, Body: unary(BodyAbs), Eval: evalAbs},
	{Op: "Sign", Since: 9, In: "T:N", Infer: op.InferSame, Body: unary(bodySign), Eval: evalSign},
	{Op: "Reciprocal", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(func(x float64) float64 { return 1 / x }),
		Body: unary(func(x tir.Expr) tir.Expr { return Quo(Num(x, 1), x) })},
	{Op: "Sqrt", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Sqrt), Body: intrinsic(tir.Sqrt)},
	{Op: "Exp", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Exp), Body: intrinsic(tir.Exp)},
	{Op: "Log", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Log), Body: intrinsic(tir.Log)},
	{Op: "Erf", Since: 9, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Erf), Body: intrinsic(tir.Erf)},
	{Op: "Floor", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Floor), Body: intrinsic(tir.Floor)},
	{Op: "Ceil", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Ceil), Body: intrinsic(tir.Ceil)},
	{Op: "Round", Since: 11, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.RoundToEven),
		Body: intrinsic(tir.RoundEven)},
	{Op: "Pow", Since: 7, In: "T:N T:N | 12 T:N T1:N", Infer: op.InferBroadcast, Eval: evalPow, Body: bodyPow,
		Opaque: &op.Function{Make: opaquePow, When: isIntPow}},

	{Op: "Identity", Since: 1, In: "T:A | 14 V:A", Traits: op.Alias, Infer: op.InferSame,
		Body: unary(func(x tir.Expr) tir.Expr { return x }),
		Eval: func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) { return in[:1], nil }},
}

// Divide truncates, as ONNX has it; x/0 is 0, which ONNX leaves open.
func Divide(t tir.DType, x, y int64) int64 {
	switch {
	case y == 0:
		return 0
	case array.Unsigned(t):
		return int64(uint64(x) / uint64(y))
	}
	return x / y
}

// safeDiv is the quotient of floats, or that of integers truncated, where x/0 is 0 and nothing traps: the smallest
// integer divided by -1 neither.
func safeDiv(x, y tir.Expr) tir.Expr {
	t := x.DType()
	if t.IsFloat() {
		return Quo(x, y)
	}
	zero, one := Num(y, 0), Num(y, 1)
	if c, ok := y.(*tir.IntImm); ok && c.Value != 0 && c.Value != -1 {
		return Quo(x, y)
	}
	if t.IsUnsigned() {
		return Sel(Eq(y, zero), zero, Quo(x, MaxOf(y, one)))
	}
	least := Num(y, -1)
	odd := Or(Eq(y, zero), Eq(y, least))
	q := Quo(x, Sel(odd, one, y))
	return Sel(odd, Sel(Eq(y, zero), zero, Sub(zero, x)), q)
}

// evalMod: with fmod the result has the sign of x, else that of y. An integer modulo 0 is 0, which ONNX leaves open.
func evalMod(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c := n.Int("fmod", 0) != 0
	r, err := combine(in[0], in[1], func(x, y float64) float64 {
		m := math.Mod(x, y)
		if !c && m != 0 && m < 0 != (y < 0) {
			m += y
		}
		return m
	}, func(t tir.DType, x, y int64) int64 {
		if y == 0 {
			return 0
		}
		if array.Unsigned(t) {
			return int64(uint64(x) % uint64(y))
		}
		m := x % y
		if !c && m != 0 && m < 0 != (y < 0) {
			m += y
		}
		return m
	})
	return []*graph.Tensor{r}, err
}

// bodyMod computes floats in float64: the remainder of float32 numbers is exact where the quotient is below 2^29.
// Of float64 numbers it may be off by y where the quotient is within rounding of a whole number.
func bodyMod(b *op.Body) error {
	c := b.Node.Int("fmod", 0) != 0
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x, y := b.ReadBroadcast(0, at...), b.ReadBroadcast(1, at...)
		t := x.DType()
		var m tir.Expr
		if t.IsFloat() {
			x, y = Cast(x, tir.F64), Cast(y, tir.F64)
			m = remainder(x, y)
		} else {
			q := safeDiv(x, y)
			m = Sel(Eq(y, Num(y, 0)), Num(y, 0), Sub(x, Mul(q, y)))
		}
		if !c && !t.IsUnsigned() {
			zero := Num(y, 0)
			other := And(Ne(m, zero), Ne(Lt(m, zero), Lt(y, zero)))
			m = Sel(other, Add(m, y), m)
		}
		return Cast(m, t)
	})
	return nil
}

// remainder is C's fmod of float64 numbers.
func remainder(x, y tir.Expr) tir.Expr {
	q := Quo(x, y)
	whole := Sel(Lt(q, Num(q, 0)), Fn(tir.Ceil, q), Fn(tir.Floor, q))
	m := Sub(x, Mul(whole, y))
	inf := Num(y, math.Inf(1))
	return Sel(And(Eq(Fn(tir.Abs, y), inf), Ne(Fn(tir.Abs, x), inf)), x, m)
}

func evalAbs(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(in[0].Type, in[0].Shape...)
	for i, x := range in[0].F {
		r.F[i] = math.Abs(x)
	}
	for i, x := range in[0].I {
		r.I[i] = x
		if x < 0 && !array.Unsigned(r.Type) {
			r.I[i] = array.Wrap(r.Type, -x)
		}
	}
	return []*graph.Tensor{r}, nil
}

func BodyAbs(x tir.Expr) tir.Expr {
	switch t := x.DType(); {
	case t.IsFloat():
		return Fn(tir.Abs, x)
	case t.IsUnsigned():
		return x
	}
	return Sel(Lt(x, Num(x, 0)), Neg(x), x)
}

func evalSign(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(in[0].Type, in[0].Shape...)
	for i, x := range in[0].F {
		switch {
		case x > 0:
			r.F[i] = 1
		case x < 0:
			r.F[i] = -1
		default:
			r.F[i] = x // 0, or NaN as numpy has it
		}
	}
	for i, x := range in[0].I {
		switch {
		case x > 0 || array.Unsigned(r.Type) && x != 0:
			r.I[i] = 1
		case x < 0:
			r.I[i] = -1
		}
	}
	return []*graph.Tensor{r}, nil
}

func bodySign(x tir.Expr) tir.Expr {
	zero, one := Num(x, 0), Num(x, 1)
	if x.DType().IsUnsigned() {
		return MinOf(x, one)
	}
	return Sel(Gt(x, zero), one, Sel(Lt(x, zero), Num(x, -1), x))
}
