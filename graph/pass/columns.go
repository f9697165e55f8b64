package pass

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// joinsColumns reports whether an instruction makes the products of a convolution of 8 or 16 bits in fewer groups of
// steps if these go over all columns of a window, not over the channels of each.
func joinsColumns(n *graph.Node) bool {
	t, w := n.Inputs[0].Type, n.Inputs[1].Shape
	if t.Bytes() > 2 || n.Int("wide", 0) == 0 && !multipliesBytes(n) || !columnsLieTogether(n) || w[1] == 1 {
		return false
	}
	columns := w[len(w)-1]
	for group := int64(4 / t.Bytes()); group > 1; group /= 2 {
		if groups(columns*w[1], group) < columns*groups(w[1], group) {
			return true
		}
	}
	return false
}

func groups(steps, of int64) int64 { return (steps + of - 1) / of }

// leastUses is how often an element of an image must be multiplied for a copy of the image, in which lines are padded,
// to pay: at 144 times (3x3 windows, 2 apart, 32 channels) it took 3 times as long with bytes, at 784 times 0.7 of it.
var leastUses int64 = 256

// columnsLieTogether reports whether all channels of all columns of a window are side by side once channels are last,
// and multiplied often.
func columnsLieTogether(n *graph.Node) bool {
	d, x, w := n.Ints("dilations"), n.Inputs[0], n.Inputs[1]
	if first(n).Elems()*graph.Elems(w.Shape[1:]) < leastUses*x.Elems() {
		return false
	}
	return n.Int("group", 1) == 1 && x.Extents == nil && (d == nil || d[len(d)-1] == 1) &&
		slices.Contains([]string{"NOTSET", "VALID"}, n.Str("auto_pad", "NOTSET"))
}

// joinColumns has a convolution, whose channels are last, read an image of one channel, whose columns are those of all
// channels. It changes the inputs and returns the attributes:
//
//	wmtune.Conv(x: [1, 8, 8, 3], w: [5, 5, 3, 64]) strides=[2, 2] pads=[0, 1, 0, 1]
//	=>
//	wmtune.Conv(Reshape(x): [1, 8, 24, 1], Reshape(w): [5, 15, 1, 64]) strides=[2, 6] pads=[0, 3, 0, 3]
func (e *editor) joinColumns(n *graph.Node, inputs []*graph.Value) []graph.Attr {
	rank, channels := len(inputs[0].Shape), n.Inputs[1].Shape[1]
	for i, last := range []int{rank - 1, rank - 2} {
		shape := slices.Clone(inputs[i].Shape)
		shape[last-1], shape[last] = shape[last-1]*channels, 1
		inputs[i] = e.reshape(n, inputs[i], shape)
	}
	strides, pads := slices.Clone(n.Ints("strides")), slices.Clone(n.Ints("pads"))
	if strides == nil {
		strides = ones(rank - 2)
	}
	if pads == nil {
		pads = make([]int64, 2*(rank-2))
	}
	strides[rank-3] *= channels
	pads[rank-3] *= channels
	pads[len(pads)-1] *= channels
	k := &graph.Node{Attrs: slices.Clone(n.Attrs)}
	k.SetAttr(graph.IntsAttr("kernel_shape", inputs[1].Shape[:rank-2]...), graph.IntsAttr("strides", strides...),
		graph.IntsAttr("pads", pads...))
	return k.Attrs
}
