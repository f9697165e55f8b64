package pointwise

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Casts has conversions between types. A float becomes the integer that it is truncated to; beyond the integers of the
// type it becomes the nearest one, and NaN becomes 0 (ONNX leaves both open). Integers wrap around. What is not 0
// becomes true.
var Casts = []op.Row{
	{Op: "Cast", Since: 6, In: "T1:A", Infer: inferCast, Eval: evalCast, Body: bodyCast},
	{Op: "CastLike", Since: 15, In: "T1:A T2:A", Infer: inferCastLike, Eval: evalCast, Body: bodyCast},
}

func inferCast(n *graph.Node) ([]op.Type, error) {
	t, err := op.ElementType(n.Int("to", 0))
	return []op.Type{{DType: t, Shape: n.Inputs[0].Shape}}, err
}

func inferCastLike(n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: n.Inputs[1].Type, Shape: n.Inputs[0].Shape}}, nil
}

func evalCast(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	to := tir.Invalid
	if n.Op == "CastLike" {
		to = in[1].Type
	} else {
		var err error
		if to, err = op.ElementType(n.Int("to", 0)); err != nil {
			return nil, err
		}
	}
	return []*graph.Tensor{array.Convert(in[0], to)}, nil
}

// bodyCast is that of CastLike too: no element of the second operand is read.
func bodyCast(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr { return CastTo(b.Read(0, at...), b.Node.Outputs[0].Type) })
	return nil
}
