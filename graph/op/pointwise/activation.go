package pointwise

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Activations has the functions of one operand that networks put between layers.
var Activations = []op.Row{
	{Op: "Relu", Since: 6, In: "T:N", Infer: op.InferSame, Eval: evalNumber(
		func(x float64) float64 { return max(x, 0) }, func(x int64) int64 { return max(x, 0) }),
		Body: unary(func(x tir.Expr) tir.Expr { return MaxOf(x, Num(x, 0)) })},
	{Op: "LeakyRelu", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha := n.Float("alpha", 0.01)
		return func(x float64) float64 {
			if x < 0 {
				return alpha * x
			}
			return x
		}
	}), Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		return Sel(Lt(x, Num(x, 0)), Mul(x, Num(x, n.Float("alpha", 0.01))), x)
	})},
	{Op: "PRelu", Since: 7, In: "T:N T:N", Infer: inferPRelu, Body: bodyPRelu,
		Eval: evalBinary(func(x, slope float64) float64 {
			if x < 0 {
				return slope * x
			}
			return x
		}, func(t tir.DType, x, slope int64) int64 {
			if x < 0 && !array.Unsigned(t) {
				return slope * x
			}
			return x
		})},
	{Op: "Elu", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		return elu(n.Float("alpha", 1), 1)
	}), Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		return bodyElu(x, n.Float("alpha", 1), 1)
	})},
	{Op: "Selu", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		return elu(seluConstants(n))
	}), Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		alpha, gamma := seluConstants(n)
		return bodyElu(x, alpha, gamma)
	})},
	{Op: "Celu", Since: 12, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha := n.Float("alpha", 1)
		return func(x float64) float64 {
			return array.Numpy(math.Max)(x, 0) + array.Numpy(math.Min)(0, alpha*math.Expm1(x/alpha))
		}
	}), Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		alpha, zero := Num(x, n.Float("alpha", 1)), Num(x, 0)
		e := Sub(Fn(tir.Exp, Quo(x, alpha)), Num(x, 1))
		return Add(MaxOf(x, zero), MinOf(Mul(alpha, e), zero))
	})},

	{Op: "Sigmoid", Since: 6, In: "T:F", Infer: op.InferSame, Body: intrinsic(tir.Sigmoid),
		Eval: evalFloat(array.Logistic)},
	{Op: "HardSigmoid", Since: 6, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha, beta := n.Float("alpha", 0.2), n.Float("beta", 0.5)
		return func(x float64) float64 { return max(0, min(1, alpha*x+beta)) }
	}), Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
		return ramp(x, n.Float("alpha", 0.2), n.Float("beta", 0.5))
	})},
	{Op: "HardSwish", Since: 14, In: "T:F", Infer: op.InferSame, Eval: evalFloat(
		func(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }),
		Body: unary(func(x tir.Expr) tir.Expr { return Mul(x, ramp(x, 1.0/6, 0.5)) })},
	{Op: "Swish", Since: 24, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(func(n *graph.Node) realFunc {
		alpha := n.Float("alpha", 1)
		return func(x float64) float64 { return x * array.Logistic(alpha*x) }
	}), Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr { return swish(x, n.Float("alpha", 1)) })},
	{Op: "SwiGLU", Since: 28, In: "T:F T:F", Infer: op.InferBroadcast, Eval: evalSwiGLU, Body: bodySwiGLU},
	{Op: "Gelu", Since: 20, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(evalGelu), Body: UnaryOf(bodyGelu)},
	{Op: "Mish", Since: 18, In: "T:F", Infer: op.InferSame, Body: unary(bodyMish), Eval: evalFloat(
		func(x float64) float64 { return x * math.Tanh(softplus(x)) })},
	{Op: "Softplus", Since: 1, In: "T:F", Infer: op.InferSame, Body: unary(bodySoftplus), Eval: evalFloat(softplus)},
	{Op: "Softsign", Since: 1, In: "T:F", Infer: op.InferSame, Eval: evalFloat(
		func(x float64) float64 { return x / (1 + math.Abs(x)) }),
		Body: unary(func(x tir.Expr) tir.Expr { return Quo(x, Add(Num(x, 1), Fn(tir.Abs, x))) })},
	{Op: "ThresholdedRelu", Since: 10, In: "T:F", Infer: op.InferSame, Eval: evalFloatOf(evalThreshold),
		Body: UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
			return Sel(Gt(x, Num(x, n.Float("alpha", 1))), x, Num(x, 0))
		})},
	{Op: "Shrink", Since: 9, In: "T:N", Infer: op.InferSame, Eval: evalShrink, Body: UnaryOf(bodyShrink)},
}

// inferPRelu: the slopes broadcast to the first operand, not the other way round.
func inferPRelu(n *graph.Node) ([]op.Type, error) {
	t, err := op.InferBroadcast(n)
	if err == nil && len(t[0].Shape) != len(n.Inputs[0].Shape) {
		return nil, op.Unsupported("a slope of more dimensions than the operand")
	}
	return t, err
}

func bodyPRelu(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x := b.ReadBroadcast(0, at...)
		if x.DType().IsUnsigned() {
			return x
		}
		return Sel(Lt(x, Num(x, 0)), Mul(x, b.ReadBroadcast(1, at...)), x)
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
	e := Sub(Fn(tir.Exp, x), Num(x, 1))
	below, above := Mul(e, Num(x, alpha*gamma)), x
	if gamma != 1 {
		above = Mul(x, Num(x, gamma))
	}
	return Sel(Lt(x, Num(x, 0)), below, above)
}

// seluConstants are float32 numbers where the file leaves them out.
func seluConstants(n *graph.Node) (alpha, gamma float64) {
	return n.Float("alpha", 1.67326319217681884765625), n.Float("gamma", 1.05070102214813232421875)
}

// ramp is alpha*x+beta between 0 and 1.
func ramp(x tir.Expr, alpha, beta float64) tir.Expr {
	line := Add(Mul(x, Num(x, alpha)), Num(x, beta))
	return MinOf(MaxOf(line, Num(x, 0)), Num(x, 1))
}

func swish(x tir.Expr, alpha float64) tir.Expr {
	if alpha == 1 {
		return Mul(x, Fn(tir.Sigmoid, x))
	}
	return Mul(x, Fn(tir.Sigmoid, Mul(x, Num(x, alpha))))
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
	half := Num(x, 0.5)
	if n.Str("approximate", "none") == "tanh" {
		root := math.Sqrt(2 / math.Pi)
		square := Mul(x, x)
		inner := Mul(x, Add(Num(x, root), Mul(square, Num(x, root*0.044715))))
		return Mul(x, Add(half, Mul(Fn(tir.Tanh, inner), half)))
	}
	erf := Fn(tir.Erf, Mul(x, Num(x, math.Sqrt2/2)))
	return Mul(x, Add(half, Mul(erf, half)))
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func bodySoftplus(x tir.Expr) tir.Expr {
	return Add(MaxOf(x, Num(x, 0)), array.Log1p(Fn(tir.Exp, Neg(Fn(tir.Abs, x)))))
}

// bodyMish: tanh(ln(1+n)) is w/(w+2) where w = n(n+2); for n = e^20 that is 1.
func bodyMish(x tir.Expr) tir.Expr {
	n := Fn(tir.Exp, MinOf(x, Num(x, 20)))
	w := Mul(n, Add(n, Num(x, 2)))
	return Mul(x, Quo(w, Add(w, Num(x, 2))))
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
	r, err := combine(in[0], in[1], func(x, y float64) float64 { return x * array.Logistic(alpha*x) * y }, nil)
	return []*graph.Tensor{r}, err
}

func bodySwiGLU(b *op.Body) error {
	alpha := b.Node.Float("alpha", 1)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return Mul(swish(b.ReadBroadcast(0, at...), alpha), b.ReadBroadcast(1, at...))
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
			r.I[i] = array.Truncate(r.Type, v)
		}
	}
	return []*graph.Tensor{r}, nil
}

func bodyShrink(n *graph.Node, x tir.Expr) tir.Expr {
	t := x.DType()
	if !t.IsFloat() {
		x = Cast(x, tir.F64)
	}
	lambda, bias := n.Float("lambd", 0.5), Num(x, n.Float("bias", 0))
	r := Sel(Lt(x, Num(x, -lambda)), Add(x, bias), Sel(Gt(x, Num(x, lambda)), Sub(x, bias), Num(x, 0)))
	return CastTo(r, t)
}
