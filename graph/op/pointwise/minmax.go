package pointwise

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Extremes has operators that take the smallest, the largest, the sum or the mean of any number of operands, and Clip.
var Extremes = []op.Row{
	{Op: "Max", Since: 6, In: "T:N*", Infer: op.InferBroadcast, Body: fold(MaxOf), Eval: evalFold(math.Max, LargerInt)},
	{Op: "Min", Since: 6, In: "T:N*", Infer: op.InferBroadcast, Body: fold(MinOf), Eval: evalFold(math.Min, SmallerInt)},
	{Op: "Sum", Since: 6, In: "T:F*", Infer: op.InferBroadcast, Body: fold(Add),
		Eval: evalFold(func(x, y float64) float64 { return x + y }, nil)},
	{Op: "Mean", Since: 6, In: "T:F*", Infer: op.InferBroadcast, Body: bodyMean, Eval: evalMean},

	{Op: "Clip", Since: 6, In: "T:F", Infer: op.InferSame, Body: bodyClipAttrs, Eval: evalClipAttrs},
	{Op: "Clip", Since: 11, In: "T:N T:N? T:N?", Infer: inferClip, Body: bodyClip, Eval: evalClip},
}

// evalFold is Eval of a function of two operands that is applied to any number of them. NaN is the result of math.Max
// and math.Min if an operand is NaN, as numpy has it.
func evalFold(f func(x, y float64) float64, fi func(t tir.DType, x, y int64) int64) graph.EvalFunc {
	return func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		r := in[0]
		for _, x := range in[1:] {
			var err error
			if r, err = combine(r, x, array.Numpy(f), fi); err != nil {
				return nil, err
			}
		}
		return []*graph.Tensor{r}, nil
	}
}

func LargerInt(t tir.DType, x, y int64) int64 {
	if CompareInts(t, x, y) < 0 {
		return y
	}
	return x
}

func SmallerInt(t tir.DType, x, y int64) int64 {
	if CompareInts(t, x, y) > 0 {
		return y
	}
	return x
}

// foldAll applies a function of two operands to all inputs of b's node.
func foldAll(b *op.Body, f func(x, y tir.Expr) tir.Expr, at []tir.Expr) tir.Expr {
	r := b.ReadBroadcast(0, at...)
	for i := range b.Node.Inputs[1:] {
		r = f(r, b.ReadBroadcast(i+1, at...))
	}
	return r
}

// fold is the Body of a function of two operands that is applied to any number of them.
func fold(f func(x, y tir.Expr) tir.Expr) func(b *op.Body) error {
	return func(b *op.Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr { return foldAll(b, f, at) })
		return nil
	}
}

func evalMean(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	out, err := evalFold(func(x, y float64) float64 { return x + y }, nil)(c, n, in)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(out[0].Type, out[0].Shape...)
	for i, sum := range out[0].F {
		r.F[i] = sum / float64(len(in))
	}
	return []*graph.Tensor{r}, nil
}

func bodyMean(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		sum := foldAll(b, Add, at)
		return Quo(sum, Num(sum, float64(len(b.Node.Inputs))))
	})
	return nil
}

// clipAttrs are the bounds before opset 11: where one is left out, it is float32's.
func clipAttrs(n *graph.Node) (lo, hi float64) {
	return n.Float("min", -math.MaxFloat32), n.Float("max", math.MaxFloat32)
}

func evalClipAttrs(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	lo, hi := clipAttrs(n)
	r := graph.NewTensor(in[0].Type, in[0].Shape...)
	for i, x := range in[0].F {
		r.F[i] = array.Numpy(math.Min)(array.Numpy(math.Max)(x, lo), hi)
	}
	return []*graph.Tensor{r}, nil
}

func bodyClipAttrs(b *op.Body) error {
	lo, hi := clipAttrs(b.Node)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x := b.Read(0, at...)
		return MinOf(MaxOf(x, Num(x, lo)), Num(x, hi))
	})
	return nil
}

func inferClip(n *graph.Node) ([]op.Type, error) {
	for i := 1; i < len(n.Inputs); i++ {
		if v := n.Inputs[i]; v != nil && v.Elems() != 1 {
			return nil, op.Unsupported("a bound of %d elements", v.Elems())
		}
	}
	return op.InferSame(n)
}

// clipBound is a bound that is left out: the largest or the smallest finite number of a type of floats.
func clipBound(t tir.DType, kind compute.CombineKind) float64 {
	return compute.NewCombiner(kind, t).Identity[0].(*tir.FloatImm).Value
}

// clipBounds are what stands for the bounds that are left out.
var clipBounds = []compute.CombineKind{compute.MaxOf, compute.MinOf}

// evalClip: where the bounds cross, the upper one is the result.
func evalClip(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := in[0]
	var err error
	for i, kind := range clipBounds {
		bound := array.Argument(in, i+1)
		if bound == nil && r.F == nil {
			continue
		}
		if bound == nil {
			bound = graph.Scalar(r.Type, clipBound(r.Type, kind))
		}
		limit := graph.Tensor{Type: bound.Type, F: bound.F, I: bound.I}
		if i == 0 {
			r, err = combine(r, &limit, array.Numpy(math.Max), LargerInt)
		} else {
			r, err = combine(r, &limit, array.Numpy(math.Min), SmallerInt)
		}
		if err != nil {
			return nil, err
		}
	}
	return []*graph.Tensor{r}, nil
}

func bodyClip(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x := b.Read(0, at...)
		for i, limit := range []func(x, y tir.Expr) tir.Expr{MaxOf, MinOf} {
			if v := b.Node.Input(i + 1); v != nil {
				x = limit(x, b.Read(i+1, Zeros(len(v.Shape))...))
			} else if x.DType().IsFloat() {
				x = limit(x, Num(x, clipBound(b.Node.Inputs[0].Type, clipBounds[i])))
			}
		}
		return x
	})
	return nil
}
