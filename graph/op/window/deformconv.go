package window

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// DeformedConvolutions has DeformConv: a convolution whose windows read at positions that an input shifts, with linear
// interpolation.
var DeformedConvolutions = []op.Row{
	{Op: "DeformConv", Since: 19, In: "T:F T:F T:F T:F? T:F?", Class: op.Opaque, Infer: inferDeformConv,
		Eval: evalDeformConv, Decompose: decomposeDeformConv},
	{Op: "wmtune.DeformConv", In: "T:F T:F T:F T:F? T:F?", Class: op.Opaque, Infer: inferDeformConv,
		Eval: evalDeformConv, Body: bodyDeformConv},
	{Op: "wmtune.DeformSample", In: "T:F T:F T:F?", Class: op.Opaque, Infer: inferDeformSample,
		Eval: evalDeformSample, Opaque: &op.Function{Make: opaqueDeformSample}},
}

// deformConvOf returns the sizes of a DeformConv, and its number of groups of offsets.
func deformConvOf(n *graph.Node) (*conv, int64, error) {
	plain := *n
	plain.Inputs = []*graph.Value{n.Inputs[0], n.Inputs[1]}
	if b := n.Input(3); b != nil {
		plain.Inputs = append(plain.Inputs, b)
	}
	c, err := convOf(&plain)
	if err != nil {
		return nil, 0, err
	}
	c.Depthwise = false
	groups, window := n.Int("offset_group", 1), graph.Elems(c.Size())
	if groups < 1 || c.CI%groups != 0 {
		return nil, 0, fmt.Errorf("%d groups of offsets do not divide %d input channels", groups, c.CI)
	}
	want := tirop.Image(tirop.ChannelsFirst, c.Batch, c.Out, groups*window*int64(len(c.In)))
	if s := n.Inputs[2].Shape; !slices.Equal(s, want) {
		return nil, 0, fmt.Errorf("offsets of shape %v: they must have %v", s, want)
	}
	want[1] = groups * window
	if m := n.Input(4); m != nil && !slices.Equal(m.Shape, want) {
		return nil, 0, fmt.Errorf("a mask of shape %v: it must have %v", m.Shape, want)
	}
	return c, groups, nil
}

func inferDeformConv(n *graph.Node) ([]op.Type, error) {
	c, _, err := deformConvOf(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: c.Output()}}, nil
}

// bodyDeformConv makes a stage of what windows read, and one that sums products with the weights. It is for channels in
// groups.
func bodyDeformConv(b *op.Body) error {
	n := b.Node
	c, groups, err := deformConvOf(n)
	if err != nil {
		return err
	}
	rank := len(c.In)
	axes, at := b.Axes(slices.Concat([]int64{c.Batch, c.CI}, c.Size(), c.Out))
	r, o := at[2:2+rank], at[2+rank:]
	element := Floordiv(at[1], c.CI/groups)
	for d, k := range r {
		element = Add(Times(element, c.Windows[d].Size), k)
	}
	place := make([]tir.Expr, rank)
	for d, w := range c.Windows {
		offset := b.Read(2, append([]tir.Expr{at[0], Plus(Times(element, int64(rank)), int64(d))}, o...)...)
		place[d] = Add(Cast(Plus(w.At(o[d], r[d]), -w.Before), offset.DType()), offset)
	}
	v := linear(place, c.In, func(index []tir.Expr) tir.Expr {
		return b.Read(0, append([]tir.Expr{at[0], at[1]},
			index...)...)
	})
	if n.Input(4) != nil {
		v = Mul(v, b.Read(4, append([]tir.Expr{at[0], element}, o...)...))
	}
	sampled := b.Compute(b.Unique("sample"), axes, v)

	g := b.Stages(n.Outputs[0].Type)
	s, p := g.Image("deform_conv", c.Layout, c.Output(), c.Size(), c.InGroup())
	x := sampled.At(slices.Concat([]tir.Expr{p.Batch, c.InputChannel(p.Channel, p.Inner)}, p.Window, p.Spatial)...)
	w := Cast(b.Input(1).At(tirop.Weights(&c.Conv, p.Window, p.Inner, p.Channel)...), x.DType())
	y := g.SumOf(s, Mul(x, w), b.LayoutFree(1))
	axes, at = b.Axes(y.Shape)
	v = y.At(at...)
	if n.Input(3) != nil {
		v = Add(v, b.ReadVector(3, at[1]))
	}
	b.Output(b.Stage("bias_add", n.Outputs[0].Type, axes, v))
	return nil
}

// evalDeformConv is the reference of DeformConv.
func evalDeformConv(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, groups, err := deformConvOf(n)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, c.Output()...)
	pixels, outPixels, window, rank := graph.Elems(c.In), graph.Elems(c.Out), graph.Elems(c.Size()),
		int64(len(c.In))
	var offsets [][]int64
	array.WalkIndex(c.Size(), func(at []int64) { offsets = append(offsets, slices.Clone(at)) })
	err = array.Parallel(call.Context, int(c.Batch*c.CO), func(i int) {
		image, channel := int64(i)/c.CO, int64(i)%c.CO
		position := make([]float64, rank)
		p := int64(0)
		array.WalkIndex(c.Out, func(at []int64) {
			sum := 0.0
			if b := n.Input(3); b != nil {
				sum = in[3].F[channel]
			}
			for ic := range c.InGroup() {
				from := channel/c.OutGroup()*c.InGroup() + ic
				plane := in[0].F[(image*c.CI+from)*pixels:][:pixels]
				for k, r := range offsets {
					element := from/(c.CI/groups)*window + int64(k)
					for d, w := range c.Windows {
						shift := in[2].F[((image*groups*window+element)*rank+int64(d))*outPixels+p]
						position[d] = float64(at[d]*w.Stride+r[d]*w.Dilation-w.Before) + shift
					}
					v := interpolated(plane, c.In, position)
					if n.Input(4) != nil {
						v *= in[4].F[(image*groups*window+element)*outPixels+p]
					}
					sum += v * in[1].F[(channel*c.InGroup()+ic)*window+int64(k)]
				}
			}
			y.F[int64(i)*outPixels+p] = sum
			p++
		})
	})
	return []*graph.Tensor{y}, err
}

// interpolated returns the image's value at a position, by linear interpolation; there are zeros around the image.
func interpolated(x []float64, shape []int64, position []float64) float64 {
	if len(shape) == 0 {
		return x[0]
	}
	first := math.Floor(position[0])
	part := position[0] - first
	size := graph.Elems(shape[1:])
	value := 0.0
	for i, factor := range []float64{1 - part, part} {
		if at := first + float64(i); at >= 0 && at < float64(shape[0]) {
			value += factor * interpolated(x[int64(at)*size:], shape[1:], position[1:])
		}
	}
	return value
}
