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
	tiles, _ := ctx.Value(tilesKey{}).(Tiles)
	return e.each(func(n *graph.Node) bool {
		tile := tiles.of(n)
		return tile > 0 && e.winograd(n, tile)
	})
}

// Tiles are those of Winograd convolutions by the hash of their weights; 0 is none.
type Tiles map[string]int64

type tilesKey struct{}

// of returns the tile of a convolution: the one that its weights have already, or the one with the lowest estimate.
func (t Tiles) of(n *graph.Node) int64 {
	if t == nil || n.Op != "Conv" || n.Domain != "wmtune" || n.Inputs[1].Const == nil {
		return winogradTile(n, winograds.Gain)
	}
	key := n.Inputs[1].Const.Hash()
	if tile, ok := t[key]; ok {
		if _, possible := winogradEstimate(n, n.Inputs[0].Shape, n.Outputs[0].Shape, n.Inputs[1].Shape); !possible {
			return 0
		}
		return tile
	}
	t[key] = winogradTile(n, winograds.Gain)
	return t[key]
}

// winogradTile returns the tile whose estimate is lowest, and lower by a factor of gain than the direct one, or 0.
func winogradTile(n *graph.Node, gain float64) int64 {
	if n.Op != "Conv" || n.Domain != "wmtune" || n.Int("wide", 0) != 0 {
		return 0
	}
	e, ok := winogradEstimate(n, n.Inputs[0].Shape, n.Outputs[0].Shape, n.Inputs[1].Shape)
	if !ok {
		return 0
	}
	return e.Tile(gain)
}

// isFasterInTiles reports whether Winograd's algorithm computes a convolution of ONNX, in float32, in less time than
// products of 16 bits take that a processor makes at a rate.
func isFasterInTiles(n *graph.Node, rate float64) bool {
	if rate == 0 || n.Op != "Conv" || n.Domain != "" {
		return false
	}
	x, y, w := n.Inputs[0].Shape, n.Outputs[0].Shape, n.Inputs[1].Shape
	last := func(shape []int64) []int64 { return append(append(slices.Clone(shape[:1]), shape[2:]...), shape[1]) }
	e, ok := winogradEstimate(n, last(x), last(y), append(slices.Clone(w[2:]), w[1], w[0]))
	tile := e.Tile(winograds.Gain)
	return ok && tile > 0 && e.InTiles(tile) < e.DirectAt(rate, 2)
}

func at(list []int64, i int, otherwise int64) int64 {
	if i < len(list) {
		return list[i]
	}
	return otherwise
}

// winogradEstimate returns what a convolution costs whose shapes, with the channels last, are these; ok is false for
// one that the algorithm cannot compute.
func winogradEstimate(n *graph.Node, x, y, w []int64) (e winograds.Estimate, ok bool) {
	rank := len(x) - 2
	if n.Int("group", 1) != 1 || n.Inputs[1].Const == nil || !n.Outputs[0].Type.IsFloat() ||
		n.Str("auto_pad", "NOTSET") != "NOTSET" || rank < 2 || rank > 5 {
		return e, false
	}
	for d := rank - 2; d < rank; d++ {
		if w[d] != 3 || at(n.Ints("strides"), d, 1) != 1 || at(n.Ints("dilations"), d, 1) != 1 {
			return e, false
		}
	}
	return winograds.Estimate{
		Out: [2]int64{y[rank-1], y[rank]}, In: graph.Elems(x[:rank-1]) * w[rank],
		Rest: graph.Elems(y[:rank-1]) * w[rank+1],
		Taps: graph.Elems(w[:rank-2]) * w[rank], Weights: graph.Elems(w[:rank-2]) * w[rank] * w[rank+1],
	}, true
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
