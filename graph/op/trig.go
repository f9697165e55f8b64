package op

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// trigonometric has the trigonometric and the hyperbolic functions, and their inverses. Go's own tan, asin and acos
// lose digits where the result is small.
var trigonometric = []Row{
	{Op: "Sin", Since: 7, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Sin), Body: intrinsic(tir.Sin)},
	{Op: "Cos", Since: 7, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Cos), Body: intrinsic(tir.Cos)},
	{Op: "Tan", Since: 7, In: "T:F", Infer: inferSame, Body: unary(tan), Eval: evalFloat(
		func(x float64) float64 { return math.Sin(x) / math.Cos(x) })},
	{Op: "Asin", Since: 7, In: "T:F", Infer: inferSame, Body: unary(asin), Eval: evalFloat(
		func(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) })},
	{Op: "Acos", Since: 7, In: "T:F", Infer: inferSame, Body: unary(acos), Eval: evalFloat(
		func(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) })},
	{Op: "Atan", Since: 7, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Atan), Body: intrinsic(tir.Atan)},
	{Op: "Tanh", Since: 6, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Tanh), Body: intrinsic(tir.Tanh)},
	{Op: "Sinh", Since: 9, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Sinh), Body: unary(sinh)},
	{Op: "Cosh", Since: 9, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Cosh), Body: unary(cosh)},
	{Op: "Asinh", Since: 9, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Asinh), Body: unary(asinh)},
	{Op: "Acosh", Since: 9, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Acosh), Body: unary(acosh)},
	{Op: "Atanh", Since: 9, In: "T:F", Infer: inferSame, Eval: evalFloat(math.Atanh), Body: unary(atanh)},
}

func tan(x tir.Expr) tir.Expr { return quo(fn(tir.Sin, x), fn(tir.Cos, x)) }

// asin is the angle whose sine is x: at 1 the quotient is infinite.
func asin(x tir.Expr) tir.Expr {
	one := num(x, 1)
	cosine := fn(tir.Sqrt, mul(sub(one, x), add(one, x)))
	return fn(tir.Atan, quo(x, cosine))
}

// acos is twice the angle that has half the cosine's distance from 1: it does not cancel near 1.
func acos(x tir.Expr) tir.Expr {
	one := num(x, 1)
	half := fn(tir.Atan, fn(tir.Sqrt, quo(sub(one, x), add(one, x))))
	return add(half, half)
}

// withSign gives y, which is not negative, the sign of x. It is NaN if x is.
func withSign(y, x tir.Expr) tir.Expr { return sel(lt(x, num(x, 0)), neg(y), y) }

// expm1 is e^x-1 without cancellation where x is small: what e^x rounds away is missing from its logarithm as well
// (W. Kahan). It is for x that is not negative.
func expm1(x tir.Expr) tir.Expr {
	one := num(x, 1)
	u := fn(tir.Exp, x)
	exact := or(eq(u, one), eq(u, num(x, math.Inf(1))))
	return sel(eq(u, one), x, sel(exact, u, quo(mul(sub(u, one), x), fn(tir.Log, u))))
}

// sinh takes e^(x/2) twice where e^x is large, which overflows before the result does.
func sinh(x tir.Expr) tir.Expr {
	a, half := fn(tir.Abs, x), num(x, 0.5)
	e := expm1(minOf(a, num(x, 8)))
	small := mul(half, add(e, quo(e, add(e, num(x, 1)))))
	root := fn(tir.Exp, mul(a, half))
	large := sub(mul(mul(root, half), root), quo(half, mul(root, root)))
	return withSign(sel(lt(a, num(x, 8)), small, large), x)
}

func cosh(x tir.Expr) tir.Expr {
	half := num(x, 0.5)
	root := fn(tir.Exp, mul(fn(tir.Abs, x), half))
	return add(mul(mul(root, half), root), quo(half, mul(root, root)))
}

// large is where the square of a number no longer needs the 1 that is added to it.
const large = 0x1p30

// asinh is ln(x+sqrt(x^2+1)), of the absolute value and without cancellation.
func asinh(x tir.Expr) tir.Expr {
	a, one := fn(tir.Abs, x), num(x, 1)
	s := minOf(a, num(x, large))
	square := mul(s, s)
	near := log1p(add(s, quo(square, add(one, fn(tir.Sqrt, add(square, one))))))
	far := add(fn(tir.Log, a), num(x, math.Ln2))
	return withSign(sel(lt(a, num(x, large)), near, far), x)
}

// acosh is ln(x+sqrt(x^2-1)) without cancellation; below 1 it is NaN.
func acosh(x tir.Expr) tir.Expr {
	t := sub(minOf(x, num(x, large)), num(x, 1))
	near := log1p(add(t, mul(fn(tir.Sqrt, t), fn(tir.Sqrt, add(t, num(x, 2))))))
	far := add(fn(tir.Log, x), num(x, math.Ln2))
	return sel(lt(x, num(x, large)), near, far)
}

// atanh is ln((1+x)/(1-x))/2 without cancellation.
func atanh(x tir.Expr) tir.Expr {
	a := fn(tir.Abs, x)
	r := mul(log1p(quo(add(a, a), sub(num(x, 1), a))), num(x, 0.5))
	return withSign(r, x)
}
