package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// activations has the functions of one operand that networks put between layers.
var activations = []Row{
	{Op: "Relu", Since: 6, In: "T:N", Infer: inferSame, Eval: evalNumber(
		func(x float64) float64 { return max(x, 0) }, func(x int64) int64 { return max(x, 0) }),
		Body: unary(func(x tir.Expr) tir.Expr { return maxOf(x, num(x, 0)) })},
	{Op: "LeakyRelu", Since: 6, In: "T:F", Infer: inferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha := n.Float("alpha", 0.01)
		return func(x float64) float64 {
			if x < 0 {
				return alpha * x
			}
			return x
		}
	}), Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		return sel(lt(x, num(x, 0)), mul(x, num(x, n.Float("alpha", 0.01))), x)
	})},
	{Op: "PRelu", Since: 7, In: "T:N T:N", Infer: inferPRelu, Body: bodyPRelu,
		Eval: evalBinary(func(x, slope float64) float64 {
			if x < 0 {
				return slope * x
			}
			return x
		}, func(t tir.DType, x, slope int64) int64 {
			if x < 0 && !unsigned(t) {
				return slope * x
			}
			return x
		})},
	{Op: "Elu", Since: 6, In: "T:F", Infer: inferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		return elu(n.Float("alpha", 1), 1)
	}), Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		return bodyElu(x, n.Float("alpha", 1), 1)
	})},
	{Op: "Selu", Since: 6, In: "T:F", Infer: inferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		return elu(seluConstants(n))
	}), Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		alpha, gamma := seluConstants(n)
		return bodyElu(x, alpha, gamma)
	})},
	{Op: "Celu", Since: 12, In: "T:F", Infer: inferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha := n.Float("alpha", 1)
		return func(x float64) float64 {
			return numpy(math.Max)(x, 0) + numpy(math.Min)(0, alpha*math.Expm1(x/alpha))
		}
	}), Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		alpha, zero := num(x, n.Float("alpha", 1)), num(x, 0)
		e := sub(fn(tir.Exp, quo(x, alpha)), num(x, 1))
		return add(maxOf(x, zero), minOf(mul(alpha, e), zero))
	})},

	{Op: "Sigmoid", Since: 6, In: "T:F", Infer: inferSame, Body: intrinsic(tir.Sigmoid), Eval: evalFloat(logistic)},
	{Op: "HardSigmoid", Since: 6, In: "T:F", Infer: inferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha, beta := n.Float("alpha", 0.2), n.Float("beta", 0.5)
		return func(x float64) float64 { return max(0, min(1, alpha*x+beta)) }
	}), Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		return ramp(x, n.Float("alpha", 0.2), n.Float("beta", 0.5))
	})},
	{Op: "HardSwish", Since: 14, In: "T:F", Infer: inferSame, Eval: evalFloat(
		func(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }),
		Body: unary(func(x tir.Expr) tir.Expr { return mul(x, ramp(x, 1.0/6, 0.5)) })},
	{Op: "Swish", Since: 24, In: "T:F", Infer: inferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha := n.Float("alpha", 1)
		return func(x float64) float64 { return x * logistic(alpha*x) }
	}), Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr { return swish(x, n.Float("alpha", 1)) })},
	{Op: "SwiGLU", Since: 28, In: "T:F T:F", Infer: inferBroadcast, Eval: evalSwiGLU, Body: bodySwiGLU},
	{Op: "Gelu", Since: 20, In: "T:F", Infer: inferSame, Eval: evalFloatOf(evalGelu), Body: unaryOf(bodyGelu)},
	{Op: "Mish", Since: 18, In: "T:F", Infer: inferSame, Body: unary(bodyMish), Eval: evalFloat(
		func(x float64) float64 { return x * math.Tanh(softplus(x)) })},
	{Op: "Softplus", Since: 1, In: "T:F", Infer: inferSame, Body: unary(bodySoftplus), Eval: evalFloat(softplus)},
	{Op: "Softsign", Since: 1, In: "T:F", Infer: inferSame, Eval: evalFloat(
		func(x float64) float64 { return x / (1 + math.Abs(x)) }),
		Body: unary(func(x tir.Expr) tir.Expr { return quo(x, add(num(x, 1), fn(tir.Abs, x))) })},
	{Op: "ThresholdedRelu", Since: 10, In: "T:F", Infer: inferSame, Eval: evalFloatOf(evalThreshold),
		Body: unaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
			return sel(gt(x, num(x, n.Float("alpha", 1))), x, num(x, 0))
		})},
	{Op: "Shrink", Since: 9, In: "T:N", Infer: inferSame, Eval: evalShrink, Body: unaryOf(bodyShrink)},
}

// inferPRelu: the slopes broadcast to the first operand, not the other way round.
func inferPRelu(n *graph.Node) ([]Type, error) {
	t, err := inferBroadcast(n)
	if err == nil && len(t[0].Shape) != len(n.Inputs[0].Shape) {
		return nil, Unsupported("a slope of more dimensions than the operand")
	}
	return t, err
}

func bodyPRelu(b *Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x := b.ReadBroadcast(0, at...)
		if x.DType().IsUnsigned() {
			return x
		}
		return sel(lt(x, num(x, 0)), mul(x, b.ReadBroadcast(1, at...)), x)
	})
	return nil
}

// elu returns the function that is gamma*x above 0, and gamma*alpha*(e^x-1) below.
func elu(alpha, gamma float64) realFunc {
	return func(x float64) float64 {
		if x < 0 {
			return gamma * alpha * math.Expm1(x)
		}
		return gamma * x
	}
}

func bodyElu(x tir.Expr, alpha, gamma float64) tir.Expr {
	e := sub(fn(tir.Exp, x), num(x, 1))
	below, above := mul(e, num(x, alpha*gamma)), x
	if gamma != 1 {
		above = mul(x, num(x, gamma))
	}
	return sel(lt(x, num(x, 0)), below, above)
}

// seluConstants are float32 numbers where the file leaves them out.
func seluConstants(n *graph.Node) (alpha, gamma float64) {
	return n.Float("alpha", 1.67326319217681884765625), n.Float("gamma", 1.05070102214813232421875)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// ramp is alpha*x+beta between 0 and 1.
func ramp(x tir.Expr, alpha, beta float64) tir.Expr {
	line := add(mul(x, num(x, alpha)), num(x, beta))
	return minOf(maxOf(line, num(x, 0)), num(x, 1))
}

func swish(x tir.Expr, alpha float64) tir.Expr {
	if alpha == 1 {
		return mul(x, fn(tir.Sigmoid, x))
	}
	return mul(x, fn(tir.Sigmoid, mul(x, num(x, alpha))))
}

func evalGelu(n *graph.Node) realFunc {
	if n.Str("approximate", "none") == "tanh" {
		return func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}
	}
	return func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
}

// bodyGelu has the form of tir/op's epilogue, which the search was trained on.
func bodyGelu(n *graph.Node, x tir.Expr) tir.Expr {
	half := num(x, 0.5)
	if n.Str("approximate", "none") == "tanh" {
		root := math.Sqrt(2 / math.Pi)
		square := mul(x, x)
		inner := mul(x, add(num(x, root), mul(square, num(x, root*0.044715))))
		return mul(x, add(half, mul(fn(tir.Tanh, inner), half)))
	}
	erf := fn(tir.Erf, mul(x, num(x, math.Sqrt2/2)))
	return mul(x, add(half, mul(erf, half)))
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func bodySoftplus(x tir.Expr) tir.Expr {
	return add(maxOf(x, num(x, 0)), log1p(fn(tir.Exp, neg(fn(tir.Abs, x)))))
}

// bodyMish: tanh(ln(1+n)) is w/(w+2) where w = n(n+2); for n = e^20 that is 1.
func bodyMish(x tir.Expr) tir.Expr {
	n := fn(tir.Exp, minOf(x, num(x, 20)))
	w := mul(n, add(n, num(x, 2)))
	return mul(x, quo(w, add(w, num(x, 2))))
}

// log1p is ln(1+y) without cancellation where y is small: what 1+y rounds away is missing from y in the quotient as
// well.
func log1p(y tir.Expr) tir.Expr {
	one := num(y, 1)
	u := add(one, y)
	exact := or(eq(u, one), eq(u, num(y, math.Inf(1))))
	return sel(exact, y, mul(fn(tir.Log, u), quo(y, sub(u, one))))
}

func evalThreshold(n *graph.Node) realFunc {
	alpha := n.Float("alpha", 1)
	return func(x float64) float64 {
		if x > alpha {
			return x
		}
		return 0
	}
}

// evalSwiGLU: swish of the first operand times the second.
func evalSwiGLU(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	alpha := n.Float("alpha", 1)
	r, err := combine(in[0], in[1], func(x, y float64) float64 { return x * logistic(alpha*x) * y }, nil)
	return []*graph.Tensor{r}, err
}

func bodySwiGLU(b *Body) error {
	alpha := b.Node.Float("alpha", 1)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return mul(swish(b.ReadBroadcast(0, at...), alpha), b.ReadBroadcast(1, at...))
	})
	return nil
}

func evalShrink(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	lambda, bias := n.Float("lambd", 0.5), n.Float("bias", 0)
	x := in[0]
	r := graph.NewTensor(x.Type, x.Shape...)
	for i := range r.Len() {
		v := 0.0
		switch a := x.At(i); {
		case a < -lambda:
			v = a + bias
		case a > lambda:
			v = a - bias
		case a != a:
			v = 0
		}
		if r.F != nil {
			r.F[i] = v
		} else {
			r.I[i] = truncate(r.Type, v)
		}
	}
	return []*graph.Tensor{r}, nil
}

func bodyShrink(n *graph.Node, x tir.Expr) tir.Expr {
	t := x.DType()
	if !t.IsFloat() {
		x = Cast(x, tir.F64)
	}
	lambda, bias := n.Float("lambd", 0.5), num(x, n.Float("bias", 0))
	r := sel(lt(x, num(x, -lambda)), add(x, bias), sel(gt(x, num(x, lambda)), sub(x, bias), num(x, 0)))
	return castTo(r, t)
}
