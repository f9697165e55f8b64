package product

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/window"
	"github.com/wmtune/wmtune/tir"
)

// evalIntegerProduct is the reference of MatMulInteger and ConvInteger.
func evalIntegerProduct(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	y, err := integerProduct(c, n, [2]quantizedTensor{{in[0], array.Argument(in, 2)}, {in[1], array.Argument(in, 3)}},
		array.Argument(in, 4))
	return []*graph.Tensor{y}, err
}

// evalQLinear is the reference of QLinearMatMul and QLinearConv. It rounds as float32 does, since a product that is
// halfway between two integers must come out on the same side. Where results are to be rounded, it does the same steps
// in another order: what is nearly halfway then comes out on either side, as it may in a kernel.
func evalQLinear(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, w := quantizedTensor{in[0], in[2]}, quantizedTensor{in[3], in[5]}
	product, err := integerProduct(c, n, [2]quantizedTensor{x, w}, array.Argument(in, 8))
	if err != nil {
		return nil, err
	}
	rank := len(product.Shape)
	rows, columns := max(rank-2, 0), max(rank-1, 0)
	if n.Op == "QLinearConv" {
		rows, columns = 1, 1
	}
	scaleX, err := placesOf(in[1], product.Shape, rows)
	if err != nil {
		return nil, err
	}
	scaleW, err := placesOf(in[4], product.Shape, columns)
	if err != nil {
		return nil, err
	}
	scaleY, zero := float32(in[6].F[0]), in[7]
	y := graph.NewTensor(zero.Type, product.Shape...)
	for i, v := range product.I {
		scale := float32(tir.Rounded(in[1].Type, in[1].F[scaleX[i]]*in[4].F[scaleW[i]]))
		q := float32(v) * float32(scale/scaleY)
		if c.Rounds() {
			q = float32(float32(v)*scale) / scaleY
		}
		y.I[i] = array.Truncate(y.Type, math.RoundToEven(float64(q))+zero.At(0))
	}
	return []*graph.Tensor{y}, nil
}

// A quantizedTensor is an operand of a product, and its zero point, which may be nil.
type quantizedTensor struct{ x, zero *graph.Tensor }

// shifted returns the operand less its zero point, which lies along a dimension if it is a vector, as int32.
func (q quantizedTensor) shifted(dimension int) (*graph.Tensor, error) {
	y := &graph.Tensor{Type: tir.I32, Shape: q.x.Shape, I: slices.Clone(q.x.I)}
	if q.zero == nil {
		return y, nil
	}
	places, err := placesOf(q.zero, y.Shape, dimension)
	for i, at := range places {
		y.I[i] -= q.zero.I[at]
	}
	return y, err
}

// integerProduct returns the product or the convolution of two operands, and of it and a bias that may be nil the sum.
func integerProduct(c *graph.Call, n *graph.Node, operands [2]quantizedTensor, bias *graph.Tensor) (*graph.Tensor,
	error) {
	conv := n.Op == "ConvInteger" || n.Op == "QLinearConv"
	dimensions := [2]int{max(len(operands[0].x.Shape)-2, 0), max(len(operands[1].x.Shape)-1, 0)}
	k, eval := &graph.Node{Op: "MatMul", Version: 13}, evalMatMul
	if conv {
		dimensions = [2]int{1, 0}
		k, eval = &graph.Node{Op: "Conv", Version: 13, Attrs: n.Attrs}, window.EvalConv
	}
	var in []*graph.Tensor
	for i, q := range operands {
		x, err := q.shifted(dimensions[i])
		if err != nil {
			return nil, err
		}
		in = append(in, x)
	}
	if bias != nil {
		in = append(in, bias)
	}
	for _, x := range in {
		k.Inputs = append(k.Inputs, &graph.Value{Type: x.Type, Shape: x.Shape, Ranked: true})
	}
	out, err := eval(c, k, in)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// placesOf returns, for each element of a tensor of a shape, the place of its scale or its zero point: there is one for
// all, or one for each index of a dimension, or as many as broadcast to the shape.
func placesOf(by *graph.Tensor, shape []int64, dimension int) ([]int64, error) {
	places := make([]int64, graph.Elems(shape))
	if by.Len() == 1 {
		return places, nil
	}
	s := by.Shape
	if len(s) == 1 {
		s = array.Ones(len(shape))
		s[dimension] = by.Shape[0]
	}
	if all, err := array.Broadcast(s, shape); err != nil || !slices.Equal(all, shape) {
		return nil, fmt.Errorf("a scale or zero point of shape %v does not fit the shape %v", by.Shape, shape)
	}
	array.Walk(shape, func(i int, at []int64) { places[i] = at[0] }, array.BroadcastStrides(s, shape))
	return places, nil
}
