package reduce

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
)

// moments returns the mean of the numbers at(0), ... at(n-1), and their variance.
func moments(n int, at func(i int) float64) (mean, variance float64) {
	for i := range n {
		mean += at(i)
	}
	mean /= float64(n)
	for i := range n {
		d := at(i) - mean
		variance += d * d
	}
	return mean, variance / float64(n)
}

// eval is the reference of LayerNormalization.
func (l *layerNorm) eval(call *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	y := graph.NewTensor(x.Type, x.Shape...)
	means, invs := graph.NewTensor(l.stash, l.statistics()...), graph.NewTensor(l.stash, l.statistics()...)
	size := int(graph.Elems(l.Row))
	err := array.Parallel(call.Context, means.Len(), func(r int) {
		row := x.F[r*size : (r+1)*size]
		mean, variance := moments(size, func(i int) float64 { return row[i] })
		means.F[r], invs.F[r] = mean, 1/math.Sqrt(variance+l.Epsilon)
		for i, v := range row {
			y.F[r*size+i] = (v - mean) * invs.F[r]
		}
	})
	scaleBy(y, in)
	return []*graph.Tensor{y, means, invs}, err
}

// scaleBy multiplies y by input 1, and adds input 2 if it is there; both broadcast.
func scaleBy(y *graph.Tensor, in []*graph.Tensor) {
	scale := in[1]
	if len(in) < 3 || in[2] == nil {
		array.Walk(y.Shape, func(i int, at []int64) { y.F[i] *= scale.F[at[0]] },
			array.BroadcastStrides(scale.Shape, y.Shape))
		return
	}
	bias := in[2]
	array.Walk(y.Shape, func(i int, at []int64) { y.F[i] = y.F[i]*scale.F[at[0]] + bias.F[at[1]] },
		array.BroadcastStrides(scale.Shape, y.Shape), array.BroadcastStrides(bias.Shape, y.Shape))
}

// evalRMS is the reference of RMSNormalization.
func (l *layerNorm) evalRMS(call *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	y := graph.NewTensor(in[1].Type, x.Shape...)
	size := int(graph.Elems(l.Row))
	err := array.Parallel(call.Context, int(graph.Elems(l.Rows.Rows)), func(r int) {
		squares := 0.0
		for _, v := range x.F[r*size : (r+1)*size] {
			squares += v * v
		}
		rms := math.Sqrt(squares/float64(size) + l.Epsilon)
		for i, v := range x.F[r*size : (r+1)*size] {
			y.F[r*size+i] = v / rms
		}
	})
	scaleBy(y, in[:2])
	return []*graph.Tensor{y}, err
}

// eval is the reference of GroupNormalization and InstanceNormalization.
func (g *groupNorm) eval(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	y := graph.NewTensor(x.Type, x.Shape...)
	if y.Len() == 0 {
		return []*graph.Tensor{y}, nil
	}
	pixels := int(graph.Elems(x.Shape[2:]))
	size := int(g.channels/g.groups) * pixels
	err := array.Parallel(call.Context, int(x.Shape[0]*g.groups), func(i int) {
		row := x.F[i*size : (i+1)*size]
		mean, variance := moments(size, func(k int) float64 { return row[k] })
		inv := 1 / math.Sqrt(variance+n.Float("epsilon", 1e-5))
		for k, v := range row {
			scale := int64(i) % g.groups
			if g.perChannel {
				scale = scale*g.channels/g.groups + int64(k/pixels)
			}
			y.F[i*size+k] = (v-mean)*inv*in[1].F[scale] + in[2].F[scale]
		}
	})
	return []*graph.Tensor{y}, err
}
