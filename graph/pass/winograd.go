package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// winograd has convolutions of 3×3 weights and stride 1 multiply less, by Winograd's algorithm:
//
//	y = wmtune.Conv(x, w, bias)
//	=>
//	v = wmtune.WinogradInput(x); m = wmtune.WinogradProduct(v, u); y = wmtune.WinogradOutput(m, bias)
//
// The weights, whose last two spatial dimensions are 3×3, must be constant; u is made of them ahead of time. Rounding
// errors grow with tiles (docs/models.md), so tiles are of 2 or 4, and taken only where the estimate of winogradCost
// says that they pay.
func winograd(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "winograd")
	return e.each(func(n *graph.Node) (bool, error) {
		tile := winogradTile(n, winogradGain)
		if tile == 0 {
			return false, nil
		}
		return true, e.winograd(n, tile)
	})
}

// winogradGain is by how much the estimate must fall.
const winogradGain = 1.15

// winogradTile returns the tile whose estimate is lowest, and lower by a factor of gain than the direct one, or 0.
func winogradTile(n *graph.Node, gain float64) int64 {
	if n.Op != "Conv" || n.Domain != "wmtune" || n.Int("group", 1) != 1 || n.Inputs[1].Const == nil ||
		!n.Outputs[0].Type.IsFloat() || n.Str("auto_pad", "NOTSET") != "NOTSET" {
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
	best, least := int64(0), directCost(n)/gain
	for _, tile := range []int64{2, 4} {
		if c := winogradCost(n, tile); c < least {
			best, least = tile, c
		}
	}
	return best
}

func at(list []int64, i int, otherwise int64) int64 {
	if i < len(list) {
		return list[i]
	}
	return otherwise
}

// What moving a byte costs, in floating-point operations: one of a value between two kernels, which caches often hold,
// and one of a weight, which comes from memory. Two cores of AVX2 multiply at 200 GFLOP/s and read 20 GB/s from memory.
const valueByte, weightByte = 5, 10

// directCost estimates a convolution in operations.
func directCost(n *graph.Node) float64 {
	y, w := n.Outputs[0].Shape, n.Inputs[1].Shape
	elems := float64(graph.Elems(w))
	return 2*float64(graph.Elems(y[:len(y)-1]))*elems + elems*4*weightByte
}

// winogradCost estimates it by tiles.
func winogradCost(n *graph.Node, tile int64) float64 {
	y, w := n.Outputs[0].Shape, n.Inputs[1].Shape
	rank := len(y) - 2
	side, t := float64(tile+2), float64(tile)
	tiles := float64(((y[rank-1] + tile - 1) / tile) * ((y[rank] + tile - 1) / tile))
	tilesIn, tilesOut := tiles*float64(n.Inputs[0].Shape[0]), tiles*float64(y[0])
	for d := 1; d < rank-1; d++ {
		tilesIn *= float64(n.Inputs[0].Shape[d])
		tilesOut *= float64(y[d])
	}
	ci, co := float64(w[rank]), float64(w[rank+1])
	taps := float64(graph.Elems(w[:rank-2]))
	product := 2 * side * side * taps * tilesOut * ci * co
	weights := side * side * taps * ci * co * 4 * weightByte
	// A transform adds 4 terms of 6 in each direction, as if in one step.
	terms := .66 * .66 * side * side * 2
	transforms := terms * (side*side*tilesIn*ci + t*t*tilesOut*co)
	values := 2 * 4 * valueByte * side * side * (tilesIn*ci + tilesOut*co)
	return product + weights + transforms + values
}

func (e *editor) winograd(n *graph.Node, tile int64) error {
	rank := len(n.Inputs[0].Shape) - 2
	u, err := op.WinogradWeights(n.Inputs[1].Const.Tensor(), tile)
	if err != nil {
		return err
	}
	weights := &graph.Value{Name: n.Inputs[1].Name + ".winograd", Type: u.Type, Shape: u.Shape, Ranked: true,
		Const: u.Const()}
	pads := n.Ints("pads")
	if len(pads) == 0 {
		pads = make([]int64, 2*rank)
	}
	// Margins of the dimensions before are the input's: the product then slides over them.
	v, err := e.apply(n, "wmtune.WinogradInput", n.Inputs[:1], graph.IntAttr("tile", tile),
		graph.IntsAttr("pads", pads...))
	if err != nil {
		return err
	}
	var slide []graph.Attr
	for _, name := range []string{"strides", "dilations"} {
		if list := n.Ints(name); rank > 2 && len(list) == rank {
			slide = append(slide, graph.IntsAttr(name, list[:rank-2]...))
		}
	}
	m, err := e.apply(n, "wmtune.WinogradProduct", []*graph.Value{v, weights}, slide...)
	if err != nil {
		return err
	}
	inputs := append([]*graph.Value{m}, n.Inputs[2:]...)
	shape := slices.Clone(n.Outputs[0].Shape[:rank+1])
	y, err := e.apply(n, "wmtune.WinogradOutput", inputs, graph.IntAttr("tile", tile), graph.IntsAttr("shape", shape...))
	if err == nil {
		e.replace(n.Outputs[0], y)
	}
	return err
}
