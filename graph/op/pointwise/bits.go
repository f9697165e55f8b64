package pointwise

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Bitwise has operators on the bits of integers, and BitCast, which reads the bits of a number as another type's.
var Bitwise = []op.Row{
	{Op: "BitShift", Since: 11, In: "T:I T:I", Infer: inferBitShift, Eval: evalBitShift, Body: bodyBitShift},
	{Op: "BitwiseAnd", Since: 18, In: "T:I T:I", Infer: op.InferBroadcast, Body: binary(bitOp(tir.BitAnd)),
		Eval: evalBinary(nil, func(_ tir.DType, x, y int64) int64 { return x & y })},
	{Op: "BitwiseOr", Since: 18, In: "T:I T:I", Infer: op.InferBroadcast, Body: binary(bitOp(tir.BitOr)),
		Eval: evalBinary(nil, func(_ tir.DType, x, y int64) int64 { return x | y })},
	{Op: "BitwiseXor", Since: 18, In: "T:I T:I", Infer: op.InferBroadcast, Body: binary(bitOp(tir.BitXor)),
		Eval: evalBinary(nil, func(_ tir.DType, x, y int64) int64 { return x ^ y })},
	{Op: "BitwiseNot", Since: 18, In: "T:I", Infer: op.InferSame,
		Eval: evalNumber(nil, func(x int64) int64 { return ^x }),
		Body: unary(func(x tir.Expr) tir.Expr {
			return tir.Bin(tir.BitXor, x, &tir.IntImm{Value: array.Wrap(x.DType(), -1), Type: x.DType()})
		})},
	{Op: "BitCast", Since: 26, In: "T1:A", Traits: op.Alias, Infer: inferBitCast, Eval: evalBitCast},
}

func bitOp(op tir.BinOp) func(x, y tir.Expr) tir.Expr {
	return func(x, y tir.Expr) tir.Expr { return tir.Bin(op, x, y) }
}

func direction(n *graph.Node) (left bool, err error) {
	switch d := n.Str("direction", ""); d {
	case "LEFT":
		return true, nil
	case "RIGHT":
		return false, nil
	default:
		return false, fmt.Errorf("attribute direction is %q: it must be LEFT or RIGHT", d)
	}
}

func inferBitShift(n *graph.Node) ([]op.Type, error) {
	if _, err := direction(n); err != nil {
		return nil, err
	}
	return op.InferBroadcast(n)
}

// evalBitShift leaves nothing but copies of the sign when it shifts by as many bits as a number has, or by less than 0.
func evalBitShift(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	left, err := direction(n)
	if err != nil {
		return nil, err
	}
	r, err := combine(in[0], in[1], nil, func(t tir.DType, x, y int64) int64 {
		far := y < 0 || y >= int64(t.Bits())
		switch {
		case left && far:
			return 0
		case left:
			return x << y
		case array.Unsigned(t) && far:
			return 0
		case array.Unsigned(t):
			return int64(uint64(x) >> y)
		case far:
			return x >> 63
		}
		return x >> y
	})
	return []*graph.Tensor{r}, err
}

func bodyBitShift(b *op.Body) error {
	left, err := direction(b.Node)
	if err != nil {
		return err
	}
	op := tir.Shr
	if left {
		op = tir.Shl
	}
	return binary(bitOp(op))(b)
}

func inferBitCast(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	t, err := op.ElementType(n.Int("to", 0))
	if err == nil && t.Bytes() != x.Type.Bytes() {
		err = fmt.Errorf("%s has another number of bits than %s", t, x.Type)
	}
	return []op.Type{{DType: t, Shape: x.Shape}}, err
}

func evalBitCast(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t, err := op.ElementType(n.Int("to", 0))
	if err != nil {
		return nil, err
	}
	c := *in[0].Const()
	c.Type = t
	return []*graph.Tensor{c.Tensor()}, nil
}
