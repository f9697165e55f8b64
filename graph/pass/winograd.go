package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/window"
	winograds "github.com/wmtune/wmtune/tir/winograd"
)

// winograd has convolutions of 3×3 weights and stride 1 multiply less, by Winograd's algorithm:
//
//	y = wmtune.Conv(x, w, bias)
//	=>
//	v = wmtune.WinogradInput(x); m = wmtune.WinogradProduct(v, u); y = wmtune.WinogradOutput(m, bias)
//
// The weights, whose last two spatial dimensions are 3×3, must be constant; u is made of them ahead of time. Rounding
// // errors grow with tiles (docs/design/models.md), so tiles are of 2 or 4, and taken only where the estimate says
// that they pay.
func winograd(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "winograd")
	return e.each(func(n *graph.Node) bool {
		tile := winogradTile(n, winograds.Gain)
		return tile > 0 && e.winograd(n, tile)
	})
}

// winogradTile returns the tile whose estimate is lowest, and lower by a factor of gain than the direct one, or 0.
func winogradTile(n *graph.Node, gain float64) int64 {
	if n.Op != "Conv" || n.Domain != "wmtune" || n.Int("group", 1) != 1 || n.Inputs[1].Const == nil ||
		!n.Outputs[0].Type.IsFloat() || n.Int("wide", 0) != 0 || n.Str("auto_pad", "NOTSET") != "NOTSET" {
		return 0
	}
	rank := len(n.Inputs[0].Shape) - 2
	if rank < 2 || rank > 5 {
		return 0
	}
	for d := rank - 2; d < rank; d++ {
		if n.Inputs[1].Shape[d] != 3 || at(n.Ints("strides"), d, 1) != 1 || at(n.Ints("dilations"), d, 1) != 1 {
			return 0
		}
	}
	return winogradEstimate(n).Tile(gain)
}

func at(list []int64, i int, otherwise int64) int64 {
	if i < len(list) {
		return list[i]
	}
	return otherwise
}

func winogradEstimate(n *graph.Node) winograds.Estimate {
	x, y, w := n.Inputs[0].Shape, n.Outputs[0].Shape, n.Inputs[1].Shape
	rank := len(y) - 2
	return winograds.Estimate{
		Out: [2]int64{y[rank-1], y[rank]}, In: graph.Elems(x[:rank-1]) * w[rank],
		Rest: graph.Elems(y[:rank-1]) * w[rank+1],
		Taps: graph.Elems(w[:rank-2]) * w[rank], Weights: graph.Elems(w[:rank-2]) * w[rank] * w[rank+1],
	}
}

func (e *editor) winograd(n *graph.Node, tile int64) bool {
	rank := len(n.Inputs[0].Shape) - 2
	u, err := window.WinogradWeights(n.Inputs[1].Const.Tensor(), tile)
	e.check(err)
	pads := n.Ints("pads")
	if len(pads) == 0 {
		pads = make([]int64, 2*rank)
	}
	// Margins of the dimensions before are the input's: the product then slides over them.
	v := e.apply(n, "wmtune.WinogradInput", n.Inputs[:1], graph.IntAttr("tile", tile), graph.IntsAttr("pads", pads...))
	var slide []graph.Attr
	for _, name := range []string{"strides", "dilations"} {
		if list := n.Ints(name); rank > 2 && len(list) == rank {
			slide = append(slide, graph.IntsAttr(name, list[:rank-2]...))
		}
	}
	weights := graph.Constant(n.Inputs[1].Name+".winograd", u)
	m := e.apply(n, "wmtune.WinogradProduct", []*graph.Value{v, weights}, slide...)
	inputs := append([]*graph.Value{m}, n.Inputs[2:]...)
	shape := slices.Clone(n.Outputs[0].Shape[:rank+1])
	return e.becomes(n, e.apply(n, "wmtune.WinogradOutput", inputs, graph.IntAttr("tile", tile),
		graph.IntsAttr("shape", shape...)))
}
