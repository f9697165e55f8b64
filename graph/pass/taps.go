package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/window"
)

// A convolution whose dilated window mostly meets padding becomes the sum of what each place of the window makes of the
// part of the image that it meets, if these are at most mostParts, and that leaves at most mostWork of the
// multiplications, and saves partCost of them for each element of a part, which must be added.
const (
	mostWork  = 0.7
	partCost  = 32
	mostParts = 9
)

// cutTaps cuts from the weights of a convolution what only ever meets padding: the edge of a window that is as wide as
// the image and more. Of an image that is padded with another number than 0, what meets padding counts.
//
//	y = Conv(x, w) dilations=[36] pads=[36, 36], of 14 elements    =>    y = Conv(x, w[1:2]) dilations=[36] pads=[0, 0]
func cutTaps(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "taps")
	return e.each(func(n *graph.Node) bool {
		if n.Domain != "" || n.Op != "Conv" || n.Inputs[1].Const == nil || n.Input(3) != nil {
			return false
		}
		if e.divide(n) {
			return true
		}
		t, fewer, err := window.TapsOf(n)
		e.check(err)
		if !fewer {
			return false
		}
		w := e.slice(n, n.Inputs[1], t.From, t.To, ones(len(t.From)))
		inputs := append([]*graph.Value{n.Inputs[0], w}, n.Inputs[2:]...)
		return e.becomes(n, e.like(n, inputs, graph.IntsAttr("kernel_shape", w.Shape[2:]...),
			graph.IntsAttr("pads", t.Pads...), graph.StrAttr("auto_pad", "NOTSET")))
	})
}

// divide replaces a convolution by the sum of its parts, if that pays:
//
//	y = Conv(x, w, b) dilations=[12] pads=[12, 12], of 14 elements
//	=>
//	y = Conv(x, w[1], b) + Pad(Conv(x[2:14], w[0])) + ...
func (e *editor) divide(n *graph.Node) bool {
	w, out := n.Inputs[1].Shape, n.Outputs[0].Shape
	dilated := slices.ContainsFunc(n.Ints("dilations"), func(d int64) bool { return d > 1 })
	if !dilated || n.Int("group", 1) > 1 || graph.Elems(w[2:]) > mostParts {
		return false
	}
	parts, err := window.PartsOf(n)
	e.check(err)
	if len(parts) < 2 {
		return false
	}
	elements, all := int64(0), graph.Elems(out[2:])*graph.Elems(w[2:])
	for _, p := range parts {
		elements += graph.Elems(p.Shape)
	}
	if saved := (all - elements) * w[1]; float64(elements) > mostWork*float64(all) || saved < partCost*elements {
		return false
	}
	// A part that is added to every output has the bias.
	whole := slices.IndexFunc(parts, func(p window.Part) bool { return slices.Equal(p.Shape, out[2:]) })
	if whole < 0 {
		return false
	}
	y := e.part(n, parts[whole], n.Inputs[2:])
	for i, p := range parts {
		if i == whole {
			continue
		}
		v := e.part(n, p, nil)
		pads := make([]int64, 2*len(out))
		for d, first := range p.First {
			pads[2+d], pads[len(out)+2+d] = first, out[2+d]-first-p.Shape[d]
		}
		v = e.apply(n, "Pad", []*graph.Value{v, e.ints(v.Name, pads)})
		y = e.apply(n, "Add", []*graph.Value{y, v})
	}
	return e.becomes(n, y)
}

// part is what one place of a window makes of the image.
func (e *editor) part(n *graph.Node, p window.Part, bias []*graph.Value) *graph.Value {
	end, next := make([]int64, len(p.At)), make([]int64, len(p.At))
	for d := range end {
		end[d], next[d] = p.Start[d]+(p.Shape[d]-1)*p.Step[d]+1, p.At[d]+1
	}
	x := e.slice(n, n.Inputs[0], p.Start, end, p.Step)
	w := e.slice(n, n.Inputs[1], p.At, next, ones(len(next)))
	wide := slices.DeleteFunc(slices.Clone(n.Attrs), func(a graph.Attr) bool { return a.Name != "wide" })
	return e.apply(n, "Conv", append([]*graph.Value{x, w}, bias...), wide...)
}

// slice takes the elements from start to end, step apart, of the spatial dimensions of an image, if these are not all.
func (e *editor) slice(like *graph.Node, x *graph.Value, start, end, step []int64) *graph.Value {
	axes, all := make([]int64, len(start)), true
	for d := range axes {
		axes[d] = int64(2 + d)
		all = all && start[d] == 0 && end[d] == x.Shape[2+d] && step[d] == 1
	}
	if all {
		return x
	}
	return e.apply(like, "Slice", []*graph.Value{x, e.ints(x.Name, start), e.ints(x.Name, end), e.ints(x.Name, axes),
		e.ints(x.Name, step)})
}

func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }
