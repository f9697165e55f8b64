package pass

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// shuffled returns the image whose channels n, the last of three nodes, shuffles, and the number of groups, or nil:
//
//	a = Reshape(x) to [1, 2, 58, 28, 28]; b = Transpose(a) perm=[0, 2, 1, 3, 4]; y = Reshape(b) to [1, 116, 28, 28]
func (e *editor) shuffled(n *graph.Node) (x *graph.Value, groups int64) {
	if !isReshape(n) {
		return nil, 0
	}
	t := e.made[n.Inputs[0]]
	perm := permOf(t)
	if len(perm) < 5 {
		return nil, 0
	}
	swap := unchanged(len(perm))
	swap[1], swap[2] = 2, 1
	r := e.made[t.Inputs[0]]
	if !slices.Equal(perm, swap) || !isReshape(r) {
		return nil, 0
	}
	x = r.Inputs[0]
	apart := r.Outputs[0].Shape
	whole := slices.Concat(apart[:1], []int64{apart[1] * apart[2]}, apart[3:])
	if !slices.Equal(x.Shape, whole) || !slices.Equal(n.Outputs[0].Shape, whole) {
		return nil, 0
	}
	return x, apart[1]
}

// shuffleLast shuffles the channels of an image that has them last, between transposes.
func (e *editor) shuffleLast(n *graph.Node, x *graph.Value, groups int64) bool {
	rank := len(x.Shape)
	y := e.transpose(n, x, toLast(rank))
	shape, channels := y.Shape, y.Shape[rank-1]
	y = e.reshape(n, y, slices.Concat(shape[:rank-1], []int64{groups, channels / groups}))
	swap := unchanged(rank + 1)
	swap[rank-1], swap[rank] = int64(rank), int64(rank-1)
	y = e.reshape(n, e.transpose(n, y, swap), shape)
	return e.becomes(n, e.transpose(n, y, inverse(toLast(rank))))
}

// unchanged is the order of dimensions that changes nothing.
func unchanged(rank int) []int64 {
	perm := make([]int64, rank)
	for d := range perm {
		perm[d] = int64(d)
	}
	return perm
}
