package window

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Causal has CausalConvWithState: a depthwise convolution of sequences that looks back only, with the last elements of
// the sequence before as an input and those of this one as an output.
var Causal = []op.Row{
	{Op: "CausalConvWithState", Since: 27, In: "T:F T:F T:F? T:F?", Class: op.ComplexOut, Infer: inferCausal,
		Eval:      evalCausal,
		Decompose: decomposeCausal},
}

func inferCausal(n *graph.Node) ([]op.Type, error) {
	x, w := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) != 3 || len(w) != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1 {
		return nil, fmt.Errorf("sequences of shape %v and weights of shape %v: they must be [batch, channels, length] "+
			"and [channels, 1, size]", x, w)
	}
	state := []int64{x[0], x[1], w[2] - 1}
	if b := n.Input(2); b != nil && !slices.Equal(b.Shape, []int64{x[1]}) {
		return nil, fmt.Errorf("a bias of shape %v for %d channels", b.Shape, x[1])
	}
	if s := n.Input(3); s != nil && !slices.Equal(s.Shape, state) {
		return nil, fmt.Errorf("a state of shape %v: it must be %v", s.Shape, state)
	}
	switch a := n.Str("activation", "none"); a {
	case "none", "silu", "swish":
	default:
		return nil, fmt.Errorf("attribute activation is %q: known are none silu swish", a)
	}
	t := n.Inputs[0].Type
	return []op.Type{{DType: t, Shape: x}, {DType: t, Shape: state}}, nil
}

func decomposeCausal(d *op.Decomposer) error {
	x, w := d.Input(0), d.Input(1)
	past := w.Shape[2] - 1
	padded := x
	if past > 0 {
		state := d.Input(3)
		if state == nil {
			state = d.Const(graph.NewTensor(x.Type, x.Shape[0], x.Shape[1], past))
		}
		padded = d.Apply("Concat", []*graph.Value{state, x}, graph.IntAttr("axis", 2))
	}
	inputs := []*graph.Value{padded, w}
	if b := d.Input(2); b != nil {
		inputs = append(inputs, b)
	}
	y := d.Apply("Conv", inputs, graph.IntAttr("group", x.Shape[1]))
	if d.Node.Str("activation", "none") != "none" {
		y = d.Two("Mul", y, d.Apply("Sigmoid", []*graph.Value{y}))
	}
	var present *graph.Value
	if d.Node.Output(1) != nil {
		present = d.Cut(padded, 2, padded.Shape[2]-past, padded.Shape[2])
	}
	d.Output([]*graph.Value{y, present}[:len(d.Node.Outputs)]...)
	return nil
}

func evalCausal(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, w := in[0], in[1]
	length, size := x.Shape[2], w.Shape[2]
	y, present := graph.NewTensor(x.Type, x.Shape...), graph.NewTensor(x.Type, x.Shape[0], x.Shape[1], size-1)
	err := array.Parallel(call.Context, int(x.Shape[0]*x.Shape[1]), func(i int) {
		c := i % int(x.Shape[1])
		element := func(t int64) float64 { // of the sequence, which begins at -(size-1) with the state
			switch {
			case t >= 0:
				return x.F[int64(i)*length+t]
			case len(in) > 3 && in[3] != nil:
				return in[3].F[int64(i)*(size-1)+t+size-1]
			}
			return 0
		}
		for t := range length {
			sum := 0.0
			if len(in) > 2 && in[2] != nil {
				sum = in[2].F[c]
			}
			for r := range size {
				sum += w.F[int64(c)*size+r] * element(t-size+1+r)
			}
			if n.Str("activation", "none") != "none" {
				sum *= array.Logistic(sum)
			}
			y.F[int64(i)*length+t] = sum
		}
		for r := range size - 1 {
			present.F[int64(i)*(size-1)+r] = element(length - size + 1 + r)
		}
	})
	return []*graph.Tensor{y, present}, err
}
