package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// elementwise has the operators that compute an element of the result from one of each operand.
var elementwise = []Row{
	{Op: "Add", Since: 7, Infer: inferBinary, Eval: evalBinary(func(x, y float64) float64 { return x + y },
		func(x, y int64) int64 { return x + y }), Body: binary(tir.Add)},
	{Op: "Relu", Since: 6, Infer: inferSame, Eval: evalUnary(func(x float64) float64 { return max(x, 0) }),
		Body: unary(func(x tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, tir.Const(x.DType(), 0)) })},
	{Op: "Sqrt", Since: 6, Infer: inferSame, Eval: evalUnary(math.Sqrt), Body: call(tir.Sqrt)},
}

// inferSame is Infer of operators whose result is like the first operand.
func inferSame(n *graph.Node) ([]Type, error) {
	return []Type{{DType: n.Inputs[0].Type, Shape: n.Inputs[0].Shape}}, nil
}

// inferBinary is Infer of arithmetic with two operands.
func inferBinary(n *graph.Node) ([]Type, error) {
	s, err := broadcast(n.Inputs[0].Shape, n.Inputs[1].Shape)
	return []Type{{DType: n.Inputs[0].Type, Shape: s}}, err
}

func evalUnary(f func(float64) float64) graph.EvalFunc {
	return func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		r := graph.NewTensor(in[0].Type, in[0].Shape...)
		for i := range r.Len() {
			if r.F != nil {
				r.F[i] = f(in[0].F[i])
			} else {
				r.I[i] = int64(f(float64(in[0].I[i])))
			}
		}
		return []*graph.Tensor{r}, nil
	}
}

func evalBinary(f func(x, y float64) float64, fi func(x, y int64) int64) graph.EvalFunc {
	return func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		x, y := in[0], in[1]
		shape, err := broadcast(x.Shape, y.Shape)
		if err != nil {
			return nil, err
		}
		r := graph.NewTensor(x.Type, shape...)
		walk(shape, func(i int, at []int64) {
			if r.F != nil {
				r.F[i] = f(x.F[at[0]], y.F[at[1]])
			} else {
				r.I[i] = Wrap(r.Type, fi(x.I[at[0]], y.I[at[1]]))
			}
		}, broadcastStrides(x.Shape, shape), broadcastStrides(y.Shape, shape))
		return []*graph.Tensor{r}, nil
	}
}

// Wrap returns the low bits of v as a number of integer type t.
func Wrap(t tir.DType, v int64) int64 {
	switch t {
	case tir.I8:
		return int64(int8(v))
	case tir.U8:
		return int64(uint8(v))
	case tir.I16:
		return int64(int16(v))
	case tir.U16:
		return int64(uint16(v))
	case tir.I32:
		return int64(int32(v))
	case tir.U32:
		return int64(uint32(v))
	case tir.Bool:
		if v != 0 {
			return 1
		}
		return 0
	}
	return v
}

// binary is the Body of arithmetic with two operands.
func binary(op tir.BinOp) func(b *Body) error {
	return func(b *Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr {
			return tir.Bin(op, b.ReadBroadcast(0, at...), b.ReadBroadcast(1, at...))
		})
		return nil
	}
}

// unary is the Body of a function of one operand.
func unary(f func(x tir.Expr) tir.Expr) func(b *Body) error {
	return func(b *Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr { return f(b.Read(0, at...)) })
		return nil
	}
}

// call is the Body of an intrinsic function.
func call(fn tir.Intrinsic) func(b *Body) error {
	return unary(func(x tir.Expr) tir.Expr { return &tir.Call{Fn: fn, Args: []tir.Expr{x}} })
}
