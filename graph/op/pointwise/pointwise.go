package pointwise

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// The functions of this file make Eval and Body of operators that compute an element of the result from one of each
// operand.

// A realFunc is a function of one number.
type realFunc = func(x float64) float64

// evalFloat is Eval of a function of one float.
func evalFloat(f realFunc) graph.EvalFunc {
	return evalFloatOf(func(*graph.Node) realFunc { return f })
}

// evalFloatOf is evalFloat of a function that attributes choose.
func evalFloatOf(of func(n *graph.Node) realFunc) graph.EvalFunc {
	return func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		f := of(n)
		r := graph.NewTensor(in[0].Type, in[0].Shape...)
		for i, x := range in[0].F {
			r.F[i] = f(x)
		}
		return []*graph.Tensor{r}, nil
	}
}

// evalNumber is Eval of a function of one float or integer.
func evalNumber(f func(x float64) float64, fi func(x int64) int64) graph.EvalFunc {
	return func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		r := graph.NewTensor(in[0].Type, in[0].Shape...)
		for i, x := range in[0].F {
			r.F[i] = f(x)
		}
		for i, x := range in[0].I {
			r.I[i] = array.Wrap(r.Type, fi(x))
		}
		return []*graph.Tensor{r}, nil
	}
}

// evalTest is Eval of a condition on a float.
func evalTest(of func(n *graph.Node) func(x float64) bool) graph.EvalFunc {
	return func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		f := of(n)
		r := graph.NewTensor(tir.Bool, in[0].Shape...)
		for i, x := range in[0].F {
			if f(x) {
				r.I[i] = 1
			}
		}
		return []*graph.Tensor{r}, nil
	}
}

// evalBinary is Eval of a function of two operands of one type, which broadcast; integers are told their type.
func evalBinary(f func(x, y float64) float64, fi func(t tir.DType, x, y int64) int64) graph.EvalFunc {
	return func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		r, err := combine(in[0], in[1], f, fi)
		return []*graph.Tensor{r}, err
	}
}

// combine applies a function to two tensors of one type, which broadcast.
func combine(x, y *graph.Tensor, f func(x, y float64) float64, fi func(t tir.DType, x, y int64) int64,
) (*graph.Tensor, error) {
	shape, err := array.Broadcast(x.Shape, y.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(x.Type, shape...)
	xs, ys, rows, n := array.BroadcastStrides(x.Shape, shape), array.BroadcastStrides(y.Shape, shape), shape, 1
	var xStep, yStep int64
	if last := len(shape) - 1; last >= 0 {
		rows, n, xStep, yStep, xs, ys = shape[:last], int(shape[last]), xs[last], ys[last], xs[:last], ys[:last]
	}
	array.Walk(rows, func(row int, at []int64) {
		a, b := at[0], at[1]
		for i := row * n; i < (row+1)*n; i++ {
			if r.F != nil {
				r.F[i] = f(x.F[a], y.F[b])
			} else {
				r.I[i] = array.Wrap(r.Type, fi(r.Type, x.I[a], y.I[b]))
			}
			a, b = a+xStep, b+yStep
		}
	}, xs, ys)
	return r, nil
}

// unary is the Body of a function of one operand.
func unary(f func(x tir.Expr) tir.Expr) func(b *op.Body) error {
	return UnaryOf(func(_ *graph.Node, x tir.Expr) tir.Expr { return f(x) })
}

// UnaryOf is unary of a function that depends on attributes.
func UnaryOf(f func(n *graph.Node, x tir.Expr) tir.Expr) func(b *op.Body) error {
	return func(b *op.Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr { return f(b.Node, b.Read(0, at...)) })
		return nil
	}
}

// intrinsic is the Body of an intrinsic function.
func intrinsic(f tir.Intrinsic) func(b *op.Body) error {
	return unary(func(x tir.Expr) tir.Expr { return Fn(f, x) })
}

// binary is the Body of a function of two operands, which broadcast.
func binary(f func(x, y tir.Expr) tir.Expr) func(b *op.Body) error {
	return func(b *op.Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr { return f(b.ReadBroadcast(0, at...), b.ReadBroadcast(1, at...)) })
		return nil
	}
}
