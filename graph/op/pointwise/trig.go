package pointwise

import (
	"math"

	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Trigonometric has the trigonometric and the hyperbolic functions, and their inverses. Go's own tan, asin and acos
// lose digits where the result is small.
var Trigonometric = []op.Row{
	{Op: "Sin", Since: 7, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Sin), Body: intrinsic(tir.Sin)},
	{Op: "Cos", Since: 7, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Cos), Body: intrinsic(tir.Cos)},
	{Op: "Tan", Since: 7, In: "T:F", Infer: op.InferSame, Body: unary(tan), Eval: evalFloat(
		func(x float64) float64 { return math.Sin(x) / math.Cos(x) })},
	{Op: "Asin", Since: 7, In: "T:F", Infer: op.InferSame, Body: unary(asin), Eval: evalFloat(
		func(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) })},
	{Op: "Acos", Since: 7, In: "T:F", Infer: op.InferSame, Body: unary(acos), Eval: evalFloat(
		func(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) })},
	{Op: "Atan", Since: 7, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Atan), Body: intrinsic(tir.Atan)},
	{Op: "Tanh", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Tanh), Body: intrinsic(tir.Tanh)},
	{Op: "Sinh", Since: 9, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Sinh), Body: unary(sinh)},
	{Op: "Cosh", Since: 9, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Cosh), Body: unary(cosh)},
	{Op: "Asinh", Since: 9, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Asinh), Body: unary(asinh)},
	{Op: "Acosh", Since: 9, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Acosh), Body: unary(acosh)},
	{Op: "Atanh", Since: 9, In: "T:F", Infer: op.InferSame, Eval: evalFloat(math.Atanh), Body: unary(atanh)},
}

func tan(x tir.Expr) tir.Expr { return Quo(Fn(tir.Sin, x), Fn(tir.Cos, x)) }

// asin is the angle whose sine is x: at 1 the quotient is infinite.
func asin(x tir.Expr) tir.Expr {
	one := Num(x, 1)
	cosine := Fn(tir.Sqrt, Mul(Sub(one, x), Add(one, x)))
	return Fn(tir.Atan, Quo(x, cosine))
}

// acos is twice the angle that has half the cosine's distance from 1: it does not cancel near 1.
func acos(x tir.Expr) tir.Expr {
	one := Num(x, 1)
	half := Fn(tir.Atan, Fn(tir.Sqrt, Quo(Sub(one, x), Add(one, x))))
	return Add(half, half)
}

// withSign gives y, which is not negative, the sign of x. It is NaN if x is.
func withSign(y, x tir.Expr) tir.Expr { return Sel(Lt(x, Num(x, 0)), Neg(y), y) }

// expm1 is e^x-1 without cancellation where x is small: what e^x rounds away is missing from its logarithm as well
// (W. Kahan). It is for x that is not negative.
func expm1(x tir.Expr) tir.Expr {
	one := Num(x, 1)
	u := Fn(tir.Exp, x)
	exact := Or(Eq(u, one), Eq(u, Num(x, math.Inf(1))))
	return Sel(Eq(u, one), x, Sel(exact, u, Quo(Mul(Sub(u, one), x), Fn(tir.Log, u))))
}

// sinh takes e^(x/2) twice where e^x is large, which overflows before the result does.
func sinh(x tir.Expr) tir.Expr {
	a, half := Fn(tir.Abs, x), Num(x, 0.5)
	e := expm1(MinOf(a, Num(x, 8)))
	small := Mul(half, Add(e, Quo(e, Add(e, Num(x, 1)))))
	root := Fn(tir.Exp, Mul(a, half))
	large := Sub(Mul(Mul(root, half), root), Quo(half, Mul(root, root)))
	return withSign(Sel(Lt(a, Num(x, 8)), small, large), x)
}

func cosh(x tir.Expr) tir.Expr {
	half := Num(x, 0.5)
	root := Fn(tir.Exp, Mul(Fn(tir.Abs, x), half))
	return Add(Mul(Mul(root, half), root), Quo(half, Mul(root, root)))
}

// large is where the square of a number no longer needs the 1 that is added to it.
const large = 0x1p30

// asinh is ln(x+sqrt(x^2+1)), of the absolute value and without cancellation.
func asinh(x tir.Expr) tir.Expr {
	a, one := Fn(tir.Abs, x), Num(x, 1)
	s := MinOf(a, Num(x, large))
	square := Mul(s, s)
	near := array.Log1p(Add(s, Quo(square, Add(one, Fn(tir.Sqrt, Add(square, one))))))
	far := Add(Fn(tir.Log, a), Num(x, math.Ln2))
	return withSign(Sel(Lt(a, Num(x, large)), near, far), x)
}

// acosh is ln(x+sqrt(x^2-1)) without cancellation; below 1 it is NaN.
func acosh(x tir.Expr) tir.Expr {
	t := Sub(MinOf(x, Num(x, large)), Num(x, 1))
	near := array.Log1p(Add(t, Mul(Fn(tir.Sqrt, t), Fn(tir.Sqrt, Add(t, Num(x, 2))))))
	far := Add(Fn(tir.Log, x), Num(x, math.Ln2))
	return Sel(Lt(x, Num(x, large)), near, far)
}

// atanh is ln((1+x)/(1-x))/2 without cancellation.
func atanh(x tir.Expr) tir.Expr {
	a := Fn(tir.Abs, x)
	r := Mul(array.Log1p(Quo(Add(a, a), Sub(Num(x, 1), a))), Num(x, 0.5))
	return withSign(r, x)
}
