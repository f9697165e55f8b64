package pointwise

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Optimizers has steps of training. Inputs are a learning rate R, the number T of steps before, and then some lists of
// as many tensors each: parameters X, gradients G, and states. Outputs are the new parameters and states.
var Optimizers = []op.Row{
	optimizerRow("Adagrad", 1, adagradValue, bodyAdagrad),
	optimizerRow("Adam", 2, adamValue, bodyAdam),
	optimizerRow("Momentum", 1, momentumValue, bodyMomentum),
}

// optimizerRow returns the row of an optimizer with a number of states for each parameter. Value computes the new
// parameter and states of one element from the old ones (parameter, gradient, states); body adds their stages.
func optimizerRow(name string, states int, value func(n *graph.Node, r, t float64, x []float64) []float64,
	body func(s *optimizerStep) []compute.Tensor,
) op.Row {
	lists := 2 + states
	return op.Row{
		Op: "ai.onnx.preview.training." + name, Since: 1, In: "T1:F T2:I -:F*",
		Infer: func(n *graph.Node) ([]op.Type, error) { return inferOptimizer(n, lists) },
		Eval: func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
			return evalOptimizer(n, in, lists, value), nil
		},
		Body: func(b *op.Body) error {
			count := (len(b.Node.Inputs) - 2) / lists
			out := make([]compute.Tensor, count*(lists-1))
			for k := range count {
				s := &optimizerStep{Body: b, count: count, k: k}
				for i, t := range body(s) {
					out[i*count+k] = t
				}
			}
			b.Output(out...)
			return nil
		},
	}
}

func inferOptimizer(n *graph.Node, lists int) ([]op.Type, error) {
	count := (len(n.Inputs) - 2) / lists
	if count < 1 || len(n.Inputs) != 2+count*lists {
		return nil, fmt.Errorf("it has %d inputs: %s takes 2, and %d for each parameter", len(n.Inputs), n.Op, lists)
	}
	if r, t := n.Inputs[0], n.Inputs[1]; !r.Type.IsFloat() || r.Elems() != 1 || t.Type != tir.I64 || t.Elems() != 1 {
		return nil, op.Unsupported("a learning rate %s and a number of steps %s", r, t)
	}
	types := make([]op.Type, count*(lists-1))
	for k := range count {
		x := n.Inputs[2+k]
		for i := range lists {
			v := n.Inputs[2+i*count+k]
			if v.Type != x.Type || !v.Type.IsFloat() || !slices.Equal(v.Shape, x.Shape) {
				return nil, fmt.Errorf("input %s must be like %s", v, x)
			}
			if i > 0 {
				types[(i-1)*count+k] = op.Type{DType: x.Type, Shape: x.Shape}
			}
		}
	}
	return types, nil
}

func evalOptimizer(n *graph.Node, in []*graph.Tensor, lists int,
	value func(n *graph.Node, r, t float64, x []float64) []float64,
) []*graph.Tensor {
	count := (len(in) - 2) / lists
	out := make([]*graph.Tensor, count*(lists-1))
	for k := range count {
		for i := range lists - 1 {
			out[i*count+k] = graph.NewTensor(in[2+k].Type, in[2+k].Shape...)
		}
		for e := range in[2+k].F {
			var x []float64
			for i := range lists {
				x = append(x, in[2+i*count+k].F[e])
			}
			for i, v := range value(n, in[0].At(0), in[1].At(0), x) {
				out[i*count+k].F[e] = v
			}
		}
	}
	return out
}

func adagradValue(n *graph.Node, r, t float64, x []float64) []float64 {
	rate := r / (1 + t*n.Float("decay_factor", 0))
	g := n.Float("norm_coefficient", 0)*x[0] + x[1]
	h := x[2] + g*g
	return []float64{x[0] - rate*g/(math.Sqrt(h)+n.Float("epsilon", 1e-6)), h}
}

func adamValue(n *graph.Node, r, t float64, x []float64) []float64 {
	alpha, beta := n.Float("alpha", 0.9), n.Float("beta", 0.999)
	g := n.Float("norm_coefficient", 0)*x[0] + x[1]
	v, h := alpha*x[2]+(1-alpha)*g, beta*x[3]+(1-beta)*g*g
	if t > 0 {
		r *= math.Sqrt(1-math.Pow(beta, t)) / (1 - math.Pow(alpha, t))
	}
	moved := x[0] - r*v/(math.Sqrt(h)+n.Float("epsilon", 1e-6))
	return []float64{(1 - n.Float("norm_coefficient_post", 0)) * moved, v, h}
}

func momentumValue(n *graph.Node, r, t float64, x []float64) []float64 {
	alpha, beta := n.Float("alpha", 0), n.Float("beta", 0)
	if t <= 0 {
		beta = 1
	}
	g := n.Float("norm_coefficient", 0)*x[0] + x[1]
	v := alpha*x[2] + beta*g
	if n.Str("mode", "standard") == "standard" {
		return []float64{x[0] - r*v, v}
	}
	return []float64{x[0] - r*(g+alpha*v), v}
}

// An optimizerStep adds the stages of parameter k of count.
type optimizerStep struct {
	*op.Body
	count, k int
}

// element reads an element of the parameter (list 0), the gradient (1) or a state.
func (s *optimizerStep) element(list int, at []tir.Expr) tir.Expr {
	return s.Read(2+list*s.count+s.k, at...)
}

func (s *optimizerStep) value() *graph.Value { return s.Node.Inputs[2+s.k] }

// scalar reads the learning rate (input 0) or the number of steps (1) as a number of the parameter's type.
func (s *optimizerStep) scalar(input int) tir.Expr {
	return Cast(s.Read(input, Zeros(len(s.Node.Inputs[input].Shape))...), Register(s.value().Type))
}

// attr returns an attribute, or what stands for a missing one, as a number of the parameter's type.
func (s *optimizerStep) attr(name string, missing float64) tir.Expr {
	return tir.Float(Register(s.value().Type), s.Node.Float(name, missing))
}

// gradient is that of the loss and of a part of the parameter's square.
func (s *optimizerStep) gradient(at []tir.Expr) tir.Expr {
	g := s.element(1, at)
	if s.Node.Float("norm_coefficient", 0) == 0 {
		return g
	}
	return Add(Mul(s.element(0, at), s.attr("norm_coefficient", 0)), g)
}

// stage adds a stage with an element for each of the parameter.
func (s *optimizerStep) stage(name string, value func(at []tir.Expr) tir.Expr) compute.Tensor {
	axes, at := s.Axes(s.value().Shape)
	return s.Stage(name, s.value().Type, axes, value(at))
}

// rate adds a stage with a single number.
func (s *optimizerStep) rate(value tir.Expr) tir.Expr {
	return s.Stage("rate", Register(s.value().Type), nil, value).At()
}

func (s *optimizerStep) read(t compute.Tensor, at []tir.Expr) tir.Expr {
	return Cast(t.At(at...), Register(t.Type))
}

func bodyAdagrad(s *optimizerStep) []compute.Tensor {
	r := s.scalar(0)
	rate := s.rate(Quo(r, Add(Num(r, 1), Mul(s.scalar(1), s.attr("decay_factor", 0)))))
	h := s.stage("square", func(at []tir.Expr) tir.Expr { return Add(s.element(2, at), Square(s.gradient(at))) })
	x := s.stage("parameter", func(at []tir.Expr) tir.Expr {
		root := Add(Fn(tir.Sqrt, s.read(h, at)), s.attr("epsilon", 1e-6))
		return Sub(s.element(0, at), Quo(Mul(rate, s.gradient(at)), root))
	})
	return []compute.Tensor{x, h}
}

func bodyAdam(s *optimizerStep) []compute.Tensor {
	alpha, beta := s.attr("alpha", 0.9), s.attr("beta", 0.999)
	r, t := s.scalar(0), s.scalar(1)
	one := Num(r, 1)
	corrected := Quo(Fn(tir.Sqrt, Sub(one, Fn(tir.Pow, beta, t))), Sub(one, Fn(tir.Pow, alpha, t)))
	rate := s.rate(Sel(Gt(t, Num(t, 0)), Mul(r, corrected), r))
	v := s.stage("momentum", func(at []tir.Expr) tir.Expr {
		return Add(Mul(alpha, s.element(2, at)), Mul(Num(r, 1-s.Node.Float("alpha", 0.9)), s.gradient(at)))
	})
	h := s.stage("square", func(at []tir.Expr) tir.Expr {
		return Add(Mul(beta, s.element(3, at)), Mul(Num(r, 1-s.Node.Float("beta", 0.999)), Square(s.gradient(at))))
	})
	x := s.stage("parameter", func(at []tir.Expr) tir.Expr {
		root := Add(Fn(tir.Sqrt, s.read(h, at)), s.attr("epsilon", 1e-6))
		moved := Sub(s.element(0, at), Mul(rate, Quo(s.read(v, at), root)))
		if post := s.Node.Float("norm_coefficient_post", 0); post != 0 {
			return Mul(moved, Num(moved, 1-post))
		}
		return moved
	})
	return []compute.Tensor{x, v, h}
}

func bodyMomentum(s *optimizerStep) []compute.Tensor {
	alpha, t := s.attr("alpha", 0), s.scalar(1)
	beta := s.rate(Sel(Gt(t, Num(t, 0)), s.attr("beta", 0), Num(t, 1)))
	v := s.stage("momentum", func(at []tir.Expr) tir.Expr {
		return Add(Mul(alpha, s.element(2, at)), Mul(beta, s.gradient(at)))
	})
	x := s.stage("parameter", func(at []tir.Expr) tir.Expr {
		step := s.read(v, at)
		if s.Node.Str("mode", "standard") != "standard" {
			step = Add(s.gradient(at), Mul(alpha, step))
		}
		return Sub(s.element(0, at), Mul(s.scalar(0), step))
	})
	return []compute.Tensor{x, v}
}
