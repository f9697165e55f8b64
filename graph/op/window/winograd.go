package window

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/tensor"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/winograd"
)

// Winograds has the three parts of a convolution of 3×3 weights and stride 1 by Winograd's algorithm, of images whose
// channels are last. Images may have dimensions before the two that the algorithm is of; the product sums over windows
// of those.
//
//	v = wmtune.WinogradInput(x)        [side, side, tiles, channels], or [side, side, batch, before..., tiles, channels]
//	m = wmtune.WinogradProduct(v, u)   of u [side, side, before..., channels in, channels out]
//	y = wmtune.WinogradOutput(m, bias)
//
// Attribute tile is 2, 4 or 6, and side is tile+2. The pass winograd makes u of the weights.
var Winograds = []op.Row{
	{Op: "wmtune.WinogradInput", In: "T:F", Class: op.Opaque, Infer: inferWinogradInput, Eval: evalWinogradInput,
		Opaque: &op.Function{Make: opaqueWinogradInput, Reads: winogradReads}},
	{Op: "wmtune.WinogradProduct", In: "T:F T:F", Class: op.ComplexOut, Infer: op.ShapeBy(winogradProductOf),
		Eval: op.EvalBy(winogradProductOf, (*winogradProduct).eval),
		Body: op.BodyBy(winogradProductOf, (*winogradProduct).body)},
	{Op: "wmtune.WinogradOutput", In: "T:F T:F?", Class: op.ComplexOut, Infer: inferWinogradOutput,
		Eval: evalWinogradOutput, Body: bodyWinogradOutput},
}

// A tiling divides images into tiles that overlap by two pixels.
type tiling struct {
	set             winograd.Set
	tile, side      int64
	batch, channels int64
	before          []int64 // extents before the two, with their margins
	tiles           []int64 // along the last two
}

func tilingOf(n *graph.Node, batch, channels int64, before, out []int64) (*tiling, error) {
	t := &tiling{tile: n.Int("tile", 4), batch: batch, channels: channels, before: before}
	t.side = t.tile + winograd.Size - 1
	var err error
	if t.set, err = winograd.New(t.tile); err != nil {
		return nil, err
	}
	for _, e := range out {
		if e < 1 {
			return nil, fmt.Errorf("an image smaller than the weights, which are 3×3")
		}
		t.tiles = append(t.tiles, (e+t.tile-1)/t.tile)
	}
	return t, nil
}

// space has the dimensions between the place in a tile and the channels.
func (t *tiling) space() []int64 {
	tiles := t.tiles[0] * t.tiles[1]
	if len(t.before) == 0 {
		return []int64{t.batch * tiles}
	}
	return append(append([]int64{t.batch}, t.before...), tiles)
}

// axes returns axes of a tensor of sizes[0]×sizes[1] values for each tile and channel.
func (t *tiling) axes(names [2]string, sizes [2]int64) []*compute.Axis {
	list := []*compute.Axis{compute.NewAxis(names[0], sizes[0]), compute.NewAxis(names[1], sizes[1])}
	space := t.space()
	rest := []string{"p"}
	if len(space) > 1 {
		rest = append(append([]string{"n"}, []string{"d", "e", "f"}[:len(t.before)]...), "p")
	}
	return append(append(list, op.Named(rest, "d", space)...), compute.NewAxis("ci", t.channels))
}

// inverse adds the stages Aᵀ x A for each tile of x: first x A, then the rest. In one step it would take twice as
// many operations.
func (t *tiling) inverse(b *op.Body, x func(i, j tir.Expr, rest []tir.Expr) tir.Expr) compute.Tensor {
	columns := t.transform(b, "columns", [2]string{"eps", "vw"}, [2]int64{t.side, t.tile}, 1, x)
	return t.transform(b, "inverse", [2]string{"vh", "vw"}, [2]int64{t.tile, t.tile}, 0,
		func(i, j tir.Expr, rest []tir.Expr) tir.Expr {
			return columns.At(append([]tir.Expr{i, j}, rest...)...)
		})
}

// transform adds a stage that multiplies the tiles of x by A along one of their two dimensions.
func (t *tiling) transform(b *op.Body, name string, names [2]string, sizes [2]int64, along int,
	x func(i, j tir.Expr, rest []tir.Expr) tir.Expr) compute.Tensor {
	axes := t.axes(names, sizes)
	at := compute.Vars(axes)
	r := compute.NewAxis("r", t.side)
	from := [2]tir.Expr{at[0], at[1]}
	from[along] = r.Var
	element := winograd.Element(t.set.Output, b.Register(), r.Var, at[along])
	return b.SumWith(b.Unique(name), axes, []*compute.Axis{r}, Mul(x(from[0], from[1], at[2:]), element),
		compute.Attrs{SimplifyConstTensorIndices: []string{names[0], names[1], "r"}})
}

// inputTiling is that of a WinogradInput, with the margins of its image.
func inputTiling(n *graph.Node) (*tiling, []tensor.Margin, error) {
	x := n.Inputs[0].Shape
	rank := len(x) - 2
	pads, err := perDimension(n, "pads", 2*max(rank, 0), 0)
	if err != nil {
		return nil, nil, err
	}
	if rank < 2 || rank > 5 {
		return nil, nil, fmt.Errorf("an image of shape %v: it needs 4 to 7 dimensions", x)
	}
	margins := make([]tensor.Margin, len(x))
	extents := slices.Clone(x[1 : 1+rank])
	for d := range extents {
		margins[1+d] = tensor.Margin{Before: pads[d], After: pads[rank+d]}
		extents[d] += pads[d] + pads[rank+d]
	}
	out := []int64{extents[rank-2] - winograd.Size + 1, extents[rank-1] - winograd.Size + 1}
	t, err := tilingOf(n, x[0], x[rank+1], extents[:rank-2], out)
	if err != nil {
		return nil, nil, err
	}
	for i, e := range out { // the last tiles may stick out
		margins[rank-1+i].After += t.tiles[i]*t.tile - e
	}
	return t, margins, nil
}

func inferWinogradInput(n *graph.Node) ([]op.Type, error) {
	t, _, err := inputTiling(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: t.shape(t.side, t.channels)}}, nil
}

// shape is that of size×size values for each tile and channel.
func (t *tiling) shape(size, channels int64) []int64 {
	return append(append([]int64{size, size}, t.space()...), channels)
}

// pixel returns where value (i, j) of the tile that rest says lies in a padded image; rest ends with the channel.
func (t *tiling) pixel(i, j tir.Expr, rest []tir.Expr) []tir.Expr {
	last := len(rest) - 2
	p, channel := rest[last], rest[last+1]
	var at []tir.Expr
	row := Floordiv(p, t.tiles[1])
	if len(t.before) == 0 {
		at = append(at, Floordiv(p, t.tiles[0]*t.tiles[1]))
		row = Floormod(row, t.tiles[0])
	}
	at = append(at, rest[:last]...)
	return append(at, Add(Times(row, t.tile), i), Add(Times(Floormod(p, t.tiles[1]), t.tile), j), channel)
}

// winogradReads returns where the image is read: value (i, j) of a transformed tile reads pixel (i, j), too.
func winogradReads(n *graph.Node, at []tir.Expr) []tir.Expr {
	t, margins, err := inputTiling(n)
	if err != nil {
		panic("BUG: window: " + err.Error())
	}
	list := t.pixel(at[0], at[1], at[2:])
	for d, m := range margins {
		list[d] = Plus(list[d], -m.Before)
	}
	return list
}

// A winogradProduct multiplies the transformed tiles by the transformed weights.
type winogradProduct struct {
	v, u    []int64
	windows []tirop.Window // along the dimensions before
}

func winogradProductOf(n *graph.Node) (*winogradProduct, error) {
	p := &winogradProduct{v: n.Inputs[0].Shape, u: n.Inputs[1].Shape}
	before := len(p.u) - 4
	want := len(p.u) // side, side, tiles, channels
	if before > 0 {
		want++ // the batch is a dimension of its own
	}
	if before < 0 || len(p.v) != want || !slices.Equal(p.v[:2], p.u[:2]) || p.v[len(p.v)-1] != p.u[len(p.u)-2] {
		return nil, fmt.Errorf("tiles of shape %v and weights of shape %v do not fit", p.v, p.u)
	}
	var err error
	if before > 0 {
		p.windows, err = WindowsOf(n, p.v[3:3+before], p.u[2:2+before])
	}
	for d, w := range p.windows {
		if w.Outputs(p.v[3+d]) < 1 {
			return nil, tooLarge(w, d, p.v[3+d])
		}
	}
	return p, err
}

// Output is the shape of the result.
func (p *winogradProduct) Output() []int64 {
	y := slices.Clone(p.v)
	y[len(y)-1] = p.u[len(p.u)-1]
	for d, w := range p.windows {
		y[3+d] = w.Outputs(p.v[3+d])
	}
	return y
}

// body makes a stack of products:
//
//	bgemm(eps, nu, p, co) += (v[eps, nu, p, ci]*u[eps, nu, ci, co])
func (p *winogradProduct) body(b *op.Body) error {
	t := Register(b.Node.Outputs[0].Type)
	names := []string{"eps", "nu", "p", "co"}
	if len(p.windows) > 0 {
		names = append(append([]string{"eps", "nu", "n"}, []string{"d", "e", "f"}[:len(p.windows)]...), "p", "co")
	}
	axes := op.Named(names, "d", p.Output())
	reduce := append(op.Named([]string{"rd", "re", "rf"}[:len(p.windows)], "r", p.u[2:2+len(p.windows)]),
		compute.NewAxis("ci", p.v[len(p.v)-1]))
	at, r := compute.Vars(axes), compute.Vars(reduce)
	index := slices.Clone(at)
	index[len(index)-1] = r[len(r)-1]
	for d, w := range p.windows {
		index[3+d] = w.At(at[3+d], r[d])
	}
	weight := append([]tir.Expr{at[0], at[1]}, append(slices.Clone(r), at[len(at)-1])...)
	y := b.SumWith(b.Unique("bgemm"), axes, reduce,
		Mul(Cast(b.Input(0).At(index...), t), Cast(b.Input(1).At(weight...), t)), b.LayoutFree(1))
	b.Output(b.Stored(y, b.Node.Outputs[0].Type))
	return nil
}

// outputTiling is that of a WinogradOutput, with the shape of its result.
func outputTiling(n *graph.Node) (*tiling, []int64, error) {
	m, out := n.Inputs[0].Shape, n.Ints("shape")
	rank := len(out) - 1
	if rank < 2 || rank > 5 || len(m) < 4 {
		return nil, nil, fmt.Errorf("products of shape %v for images %v: those need batch, 2 to 5 dimensions, no channels",
			m, out)
	}
	t, err := tilingOf(n, out[0], m[len(m)-1], out[1:rank-1], out[rank-1:])
	if err != nil {
		return nil, nil, err
	}
	if want := t.shape(t.side, t.channels); !slices.Equal(m, want) {
		return nil, nil, fmt.Errorf("products of shape %v for images %v in tiles of %d: the shape must be %v", m, out, t.tile,
			want)
	}
	if b := n.Input(1); b != nil && !slices.Equal(b.Shape, []int64{t.channels}) {
		return nil, nil, fmt.Errorf("a bias of shape %v for %d output channels", b.Shape, t.channels)
	}
	return t, append(slices.Clone(out), t.channels), nil
}

func inferWinogradOutput(n *graph.Node) ([]op.Type, error) {
	_, shape, err := outputTiling(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func bodyWinogradOutput(b *op.Body) error {
	t, shape, err := outputTiling(b.Node)
	if err != nil {
		return err
	}
	y := t.inverse(b, func(i, j tir.Expr, rest []tir.Expr) tir.Expr {
		return Cast(b.Input(0).At(append([]tir.Expr{i, j}, rest...)...), b.Register())
	})
	axes, at := b.Axes(shape)
	last := len(at) - 3
	i, j := at[last], at[last+1]
	p := Add(Times(Floordiv(i, t.tile), t.tiles[1]), Floordiv(j, t.tile))
	index := []tir.Expr{Floormod(i, t.tile), Floormod(j, t.tile)}
	if len(t.before) == 0 {
		p = Add(Times(at[0], t.tiles[0]*t.tiles[1]), p)
	} else {
		index = append(index, at[:last]...)
	}
	value := y.At(append(index, p, at[last+2])...)
	name := "winograd"
	if b.Node.Input(1) != nil {
		name, value = "bias_add", Add(value, b.ReadVector(1, at[last+2]))
	}
	b.Output(b.Stage(name, b.Node.Outputs[0].Type, axes, value))
	return nil
}
