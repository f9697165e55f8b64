package op

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// deformedConvolutions has DeformConv: a convolution whose windows read at positions that an input shifts, with linear
// interpolation.
var deformedConvolutions = []Row{
	{Op: "DeformConv", Since: 19, In: "T:F T:F T:F T:F? T:F?", Class: Opaque, Infer: inferDeformConv, Eval: evalDeformConv,
		Body: bodyDeformConv},
}

// deformConvOf returns the sizes of a DeformConv, and its number of groups of offsets.
func deformConvOf(n *graph.Node) (*conv, int64, error) {
	plain := *n
	plain.Inputs = []*graph.Value{n.Inputs[0], n.Inputs[1]}
	if b := n.Input(3); b != nil {
		plain.Inputs = append(plain.Inputs, b)
	}
	c, err := convOf(&plain, channelsFirst)
	if err != nil {
		return nil, 0, err
	}
	groups, window := n.Int("offset_group", 1), graph.Elems(c.weightSize)
	if groups < 1 || c.ci%groups != 0 {
		return nil, 0, fmt.Errorf("%d groups of offsets do not divide %d input channels", groups, c.ci)
	}
	want := image(channelsFirst, c.batch, c.out, groups*window*int64(len(c.in)))
	if s := n.Inputs[2].Shape; !slices.Equal(s, want) {
		return nil, 0, fmt.Errorf("offsets of shape %v: they must have %v", s, want)
	}
	want[1] = groups * window
	if m := n.Input(4); m != nil && !slices.Equal(m.Shape, want) {
		return nil, 0, fmt.Errorf("a mask of shape %v: it must have %v", m.Shape, want)
	}
	return c, groups, nil
}

func inferDeformConv(n *graph.Node) ([]Type, error) {
	c, _, err := deformConvOf(n)
	if err != nil {
		return nil, err
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: image(channelsFirst, c.batch, c.out, c.co)}}, nil
}

// bodyDeformConv makes a stage of what windows read, and one that sums products with the weights.
func bodyDeformConv(b *Body) error {
	n := b.Node
	c, groups, err := deformConvOf(n)
	if err != nil {
		return err
	}
	rank := len(c.in)
	axes, at := b.Axes(slices.Concat([]int64{c.batch, c.ci}, c.weightSize, c.out))
	r, o := at[2:2+rank], at[2+rank:]
	element := floordiv(at[1], c.ci/groups)
	for d, k := range r {
		element = add(times(element, c.weightSize[d]), k)
	}
	place := make([]tir.Expr, rank)
	for d, w := range c.windows {
		offset := b.Read(2, append([]tir.Expr{at[0], plus(times(element, int64(rank)), int64(d))}, o...)...)
		place[d] = add(Cast(plus(w.at(o[d], r[d]), -w.before), offset.DType()), offset)
	}
	v := linear(place, c.in, func(index []tir.Expr) tir.Expr {
		return b.Read(0, append([]tir.Expr{at[0], at[1]},
			index...)...)
	})
	if n.Input(4) != nil {
		v = mul(v, b.Read(4, append([]tir.Expr{at[0], element}, o...)...))
	}
	sampled := b.Compute(b.Unique("sample"), axes, v)

	axes = named(imageAxes(channelsFirst, rank, "c"), "i", image(channelsFirst, c.batch, c.out, c.co))
	reduce := named(nil, "r", append([]int64{c.inGroup}, c.weightSize...))
	at, rr := compute.Vars(axes), compute.Vars(reduce)
	x := sampled.At(slices.Concat([]tir.Expr{at[0], c.inputChannel(at[1], rr[0])}, rr[1:], at[2:])...)
	w := Cast(b.Input(1).At(append([]tir.Expr{at[1]}, rr...)...), x.DType())
	y := b.SumWith(b.Unique("deform_conv"), axes, reduce, mul(x, w), b.layoutFree(1))
	axes, at = b.Axes(y.Shape)
	v = y.At(at...)
	if n.Input(3) != nil {
		v = add(v, b.ReadVector(3, at[1]))
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
	y := graph.NewTensor(in[0].Type, image(channelsFirst, c.batch, c.out, c.co)...)
	pixels, outPixels, window, rank := graph.Elems(c.in), graph.Elems(c.out), graph.Elems(c.weightSize),
		int64(len(c.in))
	var offsets [][]int64
	walkIndex(c.weightSize, func(at []int64) { offsets = append(offsets, slices.Clone(at)) })
	err = parallel(call.Context, int(c.batch*c.co), func(i int) {
		image, channel := int64(i)/c.co, int64(i)%c.co
		position := make([]float64, rank)
		p := int64(0)
		walkIndex(c.out, func(at []int64) {
			sum := 0.0
			if b := n.Input(3); b != nil {
				sum = in[3].F[channel]
			}
			for ic := range c.inGroup {
				from := channel/c.outGroup*c.inGroup + ic
				plane := in[0].F[(image*c.ci+from)*pixels:][:pixels]
				for k, r := range offsets {
					element := from/(c.ci/groups)*window + int64(k)
					for d, w := range c.windows {
						shift := in[2].F[((image*groups*window+element)*rank+int64(d))*outPixels+p]
						position[d] = float64(at[d]*w.stride+r[d]*w.dilation-w.before) + shift
					}
					v := interpolated(plane, c.in, position)
					if n.Input(4) != nil {
						v *= in[4].F[(image*groups*window+element)*outPixels+p]
					}
					sum += v * in[1].F[(channel*c.inGroup+ic)*window+int64(k)]
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
