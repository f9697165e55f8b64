package classic

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
)

// A transform is what becomes of the scores of a row: post_transform.
type transform string

const (
	plain       transform = "NONE"
	softmax     transform = "SOFTMAX"
	logistic    transform = "LOGISTIC"
	softmaxZero transform = "SOFTMAX_ZERO"
	probit      transform = "PROBIT"
)

// transformNumbers has the transforms by the numbers of version 5.
var transformNumbers = []transform{plain, softmax, logistic, softmaxZero, probit}

func transformOf(n *graph.Node) (transform, error) {
	t := transform(n.Str("post_transform", string(plain)))
	if !slices.Contains(transformNumbers, t) {
		return t, fmt.Errorf("post_transform is %q", t)
	}
	return t, nil
}

// of returns what is done with so many scores a row: to a single one, ONNX Runtime does nothing but PROBIT.
func (t transform) of(width int64) transform {
	if width == 1 && t != probit {
		return plain
	}
	return t
}

// pair makes two scores of the one of the second of two classes.
func (t transform) pair(s float64) []float64 {
	if t == logistic {
		return []float64{array.Logistic(-s), array.Logistic(s)}
	}
	return []float64{1 - s, s}
}

// pairNodes is pair of a column.
func (t transform) pairNodes(d *op.Decomposer, s *graph.Value) *graph.Value {
	if t == logistic {
		return t.nodes(d, beside(d, apply(d, "Neg", s), s))
	}
	return beside(d, apply(d, "Sub", d.Number(s, 1), s), s)
}

// beside puts two columns beside each other.
func beside(d *op.Decomposer, x, y *graph.Value) *graph.Value {
	return d.Apply("Concat", []*graph.Value{x, y}, graph.IntAttr("axis", 1))
}

// smallScore is the score up to which SOFTMAX_ZERO takes one for 0.
const smallScore = 1e-7

// apply transforms the scores of a row in place.
func (t transform) apply(row []float64) []float64 {
	most, sum := array.LargestOf(row), 0.0
	t = t.of(int64(len(row)))
	for i, v := range row {
		switch t {
		case logistic:
			row[i] = array.Logistic(v)
		case probit:
			row[i] = probitOf(v)
		case softmax:
			row[i] = math.Exp(v - most)
			sum += row[i]
		case softmaxZero:
			if math.Abs(v) > smallScore {
				row[i] = math.Exp(v - most)
				sum += row[i]
			} else {
				row[i] = v * math.Exp(-most)
			}
		}
	}
	if t == softmax || t == softmaxZero {
		for i := range row {
			row[i] /= sum
		}
	}
	return row
}

// nodes transforms a matrix of scores.
func (t transform) nodes(d *op.Decomposer, y *graph.Value) *graph.Value {
	switch t.of(y.Shape[1]) {
	case logistic:
		return apply(d, "Sigmoid", y)
	case probit:
		return apply(d, "wmtune.Probit", y)
	case softmax:
		return d.Apply("Softmax", []*graph.Value{y}, graph.IntAttr("axis", 1))
	case softmaxZero:
		most := apply(d, "ReduceMax", y, d.Const(graph.Ints(1)))
		zero := apply(d, "Less", apply(d, "Abs", y), d.Number(y, smallScore))
		e := apply(d, "Exp", apply(d, "Sub", y, most))
		sum := apply(d, "ReduceSum", apply(d, "Where", zero, d.Number(y, 0), e), d.Const(graph.Ints(1)))
		return apply(d, "Div", apply(d, "Where", zero, apply(d, "Mul", y, apply(d, "Exp", apply(d, "Neg", most))), e), sum)
	}
	return y
}

// Transforms has the operators that transforms are made of.
var Transforms = []op.Row{
	{Op: "wmtune.Probit", Since: 1, In: "T:F", Infer: op.InferSame, Eval: evalProbit,
		Body: pointwise.UnaryOf(func(_ *graph.Node, y tir.Expr) tir.Expr {
			one := Num(y, 1)
			x := Sub(Mul(y, Num(y, 2)), one)
			log := Fn(tir.Log, Mul(Sub(one, x), Add(one, x)))
			v := Add(Mul(log, Num(y, 0.5)), Num(y, probitA))
			root := Fn(tir.Sqrt, Sub(Fn(tir.Sqrt, Sub(Mul(v, v), Mul(log, Num(y, probitB)))), v))
			return Mul(Sel(Lt(x, Num(y, 0)), Neg(root), root), Num(y, math.Sqrt2))
		})},
}

// Winitzki's approximation of the inverse error function, with the pi of ONNX Runtime.
const (
	probitA = 2 / (3.14159 * 0.147)
	probitB = 1 / 0.147
)

func probitOf(y float64) float64 {
	x := 2*y - 1
	log := math.Log((1 - x) * (1 + x))
	v := probitA + log/2
	return math.Sqrt2 * math.Copysign(math.Sqrt(math.Sqrt(v*v-log*probitB)-v), x)
}

func evalProbit(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(in[0].Type, in[0].Shape...)
	for i, v := range in[0].F {
		r.F[i] = probitOf(v)
	}
	return []*graph.Tensor{r}, nil
}
