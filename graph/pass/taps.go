package pass

import (
	"context"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// cutTaps cuts from the weights of a convolution what only ever meets padding: the edge of a window that is as wide as
// the image and more.
//
//	y = Conv(x, w) dilations=[36] pads=[36, 36], of 14 elements    =>    y = Conv(x, w[1:2]) dilations=[36] pads=[0, 0]
func cutTaps(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "taps")
	return e.each(func(n *graph.Node) (bool, error) {
		if n.Domain != "" || n.Op != "Conv" || n.Inputs[1].Const == nil {
			return false, nil
		}
		t, fewer, err := op.TapsOf(n)
		if err != nil || !fewer {
			return false, err
		}
		w, err := e.cut(n, n.Inputs[1], t.From, t.To)
		if err != nil {
			return false, err
		}
		inputs := append([]*graph.Value{n.Inputs[0], w}, n.Inputs[2:]...)
		y, err := e.like(n, inputs, graph.IntsAttr("kernel_shape", w.Shape[2:]...), graph.IntsAttr("pads", t.Pads...),
			graph.StrAttr("auto_pad", "NOTSET"))
		if err == nil {
			e.replace(n.Outputs[0], y)
		}
		return true, err
	})
}

// cut cuts the spatial dimensions of a convolution's weights.
func (e *editor) cut(like *graph.Node, w *graph.Value, from, to []int64) (*graph.Value, error) {
	axes := make([]int64, len(from))
	for d := range axes {
		axes[d] = int64(2 + d)
	}
	return e.apply(like, "Slice", []*graph.Value{w, e.ints(w.Name, from), e.ints(w.Name, to), e.ints(w.Name, axes)})
}
