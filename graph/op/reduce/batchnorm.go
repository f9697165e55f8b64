package reduce

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
)

// training reports whether a BatchNormalization computes mean and variance from its input. Before version 14 it does if
// it has outputs for them.
func training(n *graph.Node) bool {
	if n.Version >= 14 {
		return n.Int("training_mode", 0) != 0
	}
	return slices.ContainsFunc(n.Outputs[1:], func(v *graph.Value) bool { return v != nil })
}

// batchNormOutputs is how many outputs there can be.
func batchNormOutputs(n *graph.Node) int {
	switch {
	case !training(n):
		return 1
	case n.Version >= 14:
		return 3
	}
	return 5
}

func inferBatchNorm(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	shape := []int64{1}
	if len(x.Shape) > 1 {
		shape[0] = x.Shape[1]
	}
	if n.Int("spatial", 1) == 0 {
		if len(x.Shape) == 0 {
			return nil, errors.New("input 0 is a scalar, which has no batch")
		}
		if shape = x.Shape[1:]; training(n) {
			return nil, op.Unsupported("BatchNormalization with spatial=0 in training")
		}
	}
	for i, v := range n.Inputs[1:] {
		if !v.Type.IsFloat() || !slices.Equal(v.Shape, shape) {
			return nil, fmt.Errorf("input %d is %s%v: it must be of floats and have shape %v", i+1, v.Type, v.Shape,
				shape)
		}
	}
	for i := batchNormOutputs(n); i < len(n.Outputs); i++ {
		if n.Outputs[i] != nil {
			return nil, fmt.Errorf("it has output %d, which is there in training only, or no longer in version %d", i, n.Version)
		}
	}
	stat := op.Type{DType: n.Inputs[3].Type, Shape: shape}
	return []op.Type{{DType: x.Type, Shape: x.Shape}, stat, stat, stat, stat}[:max(1, len(n.Outputs))], nil
}

// decomposeBatchNorm makes x*a + b, where a = scale/sqrt(var+epsilon) and b = bias - mean*a are constants if the
// operands are.
func decomposeBatchNorm(d *op.Decomposer) error {
	n := d.Node
	x := d.Input(0)
	rank := len(x.Shape)
	vectors := make([]*graph.Value, 4)
	for i := range vectors {
		if vectors[i] = d.Cast(d.Input(i+1), Register(x.Type)); n.Int("spatial", 1) != 0 {
			vectors[i] = channelVector(d, vectors[i], rank, Register(x.Type))
		}
	}
	scale, bias, mean, variance := vectors[0], vectors[1], vectors[2], vectors[3]
	wide := d.Cast(x, Register(x.Type))
	outputs := []*graph.Value{nil}
	if training(n) {
		mean, variance = batchMoments(d, wide)
		outputs = running(d, mean, variance)
	}
	root := d.Apply("Sqrt", []*graph.Value{d.Two("Add", variance, d.Number(variance, n.Float("epsilon", 1e-5)))})
	a := d.Two("Div", scale, root)
	var y *graph.Value
	if training(n) { // the mean may be all of x: take it off first
		y = d.Two("Add", d.Two("Mul", d.Two("Sub", wide, mean), a), bias)
	} else { // two constants
		y = d.Two("Add", d.Two("Mul", wide, a), d.Two("Sub", bias, d.Two("Mul", mean, a)))
	}
	outputs[0] = d.Cast(y, x.Type)
	outputs = append(outputs, make([]*graph.Value, len(n.Outputs))...) // those that are left out
	d.Output(outputs[:len(n.Outputs)]...)
	return nil
}

// batchMoments returns mean and variance of each channel of x, in a shape that broadcasts to x.
func batchMoments(d *op.Decomposer, x *graph.Value) (mean, variance *graph.Value) {
	axes := append([]int64{0}, BehindChannels(len(x.Shape))...)
	mean = reduce(d, "ReduceMean", x, axes...)
	diff := d.Two("Sub", x, mean)
	variance = reduce(d, "ReduceMean", d.Two("Mul", diff, diff), axes...)
	keep := append([]int64{d.Input(3).Elems()}, array.Ones(max(0, len(x.Shape)-2))...)
	return d.Reshape(mean, keep...), d.Reshape(variance, keep...)
}

// BehindChannels returns the dimensions behind batch and channels.
func BehindChannels(rank int) []int64 { return array.UpTo(int64(max(rank, 2)))[2:] }

// reduce applies a reduction that keeps dimensions.
func reduce(d *op.Decomposer, op string, x *graph.Value, axes ...int64) *graph.Value {
	if d.Node.Version < 18 {
		return d.Apply(op, []*graph.Value{x}, graph.IntsAttr("axes", axes...))
	}
	return d.Apply(op, []*graph.Value{x, d.Const(graph.Ints(axes...))})
}

// running returns the outputs of a BatchNormalization in training, but for the first: running and, before version 14,
// current mean and variance.
func running(d *op.Decomposer, mean, variance *graph.Value) []*graph.Value {
	n := d.Node
	momentum := n.Float("momentum", 0.9)
	list := []*graph.Value{nil}
	for i, v := range []*graph.Value{mean, variance} {
		old := d.Input(3 + i)
		v = d.Cast(d.Reshape(v, old.Shape...), old.Type)
		list = append(list, d.Two("Add", d.Two("Mul", old, d.Number(old, momentum)),
			d.Two("Mul", v, d.Number(v, 1-momentum))))
	}
	for i, v := range []*graph.Value{mean, variance} {
		list = append(list, d.Cast(d.Reshape(v, d.Input(3+i).Shape...), d.Input(3+i).Type))
	}
	return list
}

// evalBatchNorm is the reference of BatchNormalization.
func evalBatchNorm(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	y := graph.NewTensor(x.Type, x.Shape...)
	inner := int64(1) // elements that follow each other and share a scale
	count := int64(in[1].Len())
	if n.Int("spatial", 1) != 0 && len(x.Shape) > 2 {
		inner = graph.Elems(x.Shape[2:])
	}
	mean, variance := in[3], in[4]
	out := []*graph.Tensor{y}
	if training(n) {
		momentum := n.Float("momentum", 0.9)
		mean, variance = graph.NewTensor(in[3].Type, in[3].Shape...), graph.NewTensor(in[4].Type, in[4].Shape...)
		perChannel := x.Len() / max(1, int(count))
		for c := range count {
			mean.F[c], variance.F[c] = moments(perChannel, func(i int) float64 {
				return x.F[(int64(i)/inner*count+c)*inner+int64(i)%inner]
			})
		}
		for i, now := range []*graph.Tensor{mean, variance} {
			running := graph.NewTensor(now.Type, now.Shape...)
			for c := range running.F {
				running.F[c] = in[3+i].F[c]*momentum + now.F[c]*(1-momentum)
			}
			out = append(out, running)
		}
		out = append(out, mean, variance)
	}
	for i, v := range x.F {
		c := int64(i) / inner % count
		y.F[i] = (v-mean.F[c])/math.Sqrt(variance.F[c]+n.Float("epsilon", 1e-5))*in[1].F[c] + in[2].F[c]
	}
	return out, nil
}
