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
// becomes true. A narrow type of integers has the low bits of an integer, and of floats the number nearest to one.
var Casts = []op.Row{
	{Op: "Cast", Since: 6, In: "T1:A", Infer: inferCast, Eval: evalCast, Body: bodyCast},
	{Op: "CastLike", Since: 15, In: "T1:A T2:A", Infer: inferCastLike, Eval: evalCast, Body: bodyCast},
}

func inferCast(n *graph.Node) ([]op.Type, error) {
	t, err := op.ElementAttr(n, "to", tir.Invalid)
	if err == nil && t.DType == tir.Invalid {
		_, err = op.ElementType(0)
	}
	t.Shape = n.Inputs[0].Shape
	return []op.Type{t}, err
}

func inferCastLike(n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: n.Inputs[1].Type, Narrow: n.Inputs[1].Narrow, Shape: n.Inputs[0].Shape}}, nil
}

func evalCast(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	to, err := op.ElementAttr(n, "to", tir.Invalid)
	if n.Op == "CastLike" {
		to = op.Type{DType: in[1].Type, Narrow: in[1].Narrow}
	}
	if err != nil || to.Narrow == nil {
		return []*graph.Tensor{array.Convert(in[0], to.DType)}, err
	}
	y := array.Convert(in[0], tir.F64)
	if to.Narrow.Float == nil {
		y = array.Convert(in[0], tir.I64)
	}
	return []*graph.Tensor{array.Narrowed(y, to.Narrow, n.Int("saturate", 1) != 0)}, nil
}

// bodyCast is that of CastLike too: no element of the second operand is read.
func bodyCast(b *op.Body) error {
	y := b.Node.Outputs[0]
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		if y.Narrow != nil {
			return NarrowTo(b.Read(0, at...), y.Narrow, b.Node.Int("saturate", 1) != 0)
		}
		return CastTo(b.Read(0, at...), y.Type)
	})
	return nil
}
