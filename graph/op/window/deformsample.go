package window

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// A DeformConv of one group becomes a product of what its windows read and the weights. Windows read images whose
// channels vary fastest: the place and the weights of a point are computed once for the channels of a group of offsets,
// which are vectors.
//
//	y = DeformConv(x, w, offset)   =>   a = Transpose(x) perm=[0, 2, 3, 1]
//	                                    s = wmtune.DeformSample(a, offset)     (batch, outputs, window, groups, channels)
//	                                    y = Transpose(Reshape(s)·Reshape(Transpose(w)))

func decomposeDeformConv(d *op.Decomposer) error {
	n := d.Node
	c, _, err := deformConvOf(n)
	if err != nil {
		return err
	}
	if c.Groups > 1 {
		d.Output(d.Apply("wmtune.DeformConv", n.Inputs, n.Attrs...))
		return nil
	}
	rank, window, outputs := len(c.In), graph.Elems(c.Size()), graph.Elems(c.Out)
	last, perm := []int64{0}, []int64{}
	for i := range rank {
		last, perm = append(last, int64(i+2)), append(perm, int64(i+2))
	}
	kernel := slices.DeleteFunc(slices.Clone(n.Attrs), func(a graph.Attr) bool { return a.Name == "kernel_shape" })
	kernel = append(kernel, graph.IntsAttr("kernel_shape", c.Size()...))
	inputs := []*graph.Value{d.Transpose(d.Input(0), append(last, 1)), d.Input(2)}
	if m := d.Input(4); m != nil {
		inputs = append(inputs, m)
	}
	s := d.Reshape(d.Apply("wmtune.DeformSample", inputs, kernel...), c.Batch*outputs, window*c.CI)
	w := d.Reshape(d.Transpose(d.Input(1), append(perm, 1, 0)), window*c.CI, c.CO)
	y := d.Two("MatMul", s, w)
	if b := d.Input(3); b != nil {
		y = d.Two("Add", y, b)
	}
	y = d.Reshape(y, slices.Concat([]int64{c.Batch}, c.Out, []int64{c.CO})...)
	first := []int64{0, int64(rank + 1)}
	for i := range rank {
		first = append(first, int64(i+1))
	}
	d.Output(d.Transpose(y, first))
	return nil
}

// deformSampleOf returns the sizes of a DeformSample, and its number of groups of offsets.
func deformSampleOf(n *graph.Node) (*conv, int64, error) {
	plain, x := *n, *n.Inputs[0]
	if s := x.Shape; len(s) > 2 {
		x.Shape = slices.Concat(s[:1], s[len(s)-1:], s[1:len(s)-1])
	}
	w := &graph.Value{Type: x.Type, Shape: append([]int64{1, x.Shape[1]}, n.Ints("kernel_shape")...)}
	plain.Inputs = []*graph.Value{&x, w, n.Inputs[1], nil, n.Input(2)}
	return deformConvOf(&plain)
}

// sampleShape is batch, outputs, window, groups of offsets, channels of a group.
func (c *conv) sampleShape(groups int64) []int64 {
	return slices.Concat([]int64{c.Batch}, c.Out, c.Size(), []int64{groups, c.CI / groups})
}

func inferDeformSample(n *graph.Node) ([]op.Type, error) {
	c, groups, err := deformSampleOf(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: c.sampleShape(groups)}}, nil
}

func evalDeformSample(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, groups, err := deformSampleOf(n)
	if err != nil {
		return nil, err
	}
	y, rank := graph.NewTensor(in[0].Type, c.sampleShape(groups)...), len(c.In)
	pixels, outputs, window := graph.Elems(c.In), graph.Elems(c.Out), graph.Elems(c.Size())
	planes := make([]float64, len(in[0].F)) // channels first
	for i, v := range in[0].F {
		image, pixel, channel := int64(i)/c.CI/pixels, int64(i)/c.CI%pixels, int64(i)%c.CI
		planes[(image*c.CI+channel)*pixels+pixel] = v
	}
	var outs, offsets [][]int64
	array.WalkIndex(c.Out, func(at []int64) { outs = append(outs, slices.Clone(at)) })
	array.WalkIndex(c.Size(), func(at []int64) { offsets = append(offsets, slices.Clone(at)) })
	err = array.Parallel(call.Context, int(c.Batch*outputs), func(i int) {
		image, p := int64(i)/outputs, int64(i)%outputs
		position := make([]float64, rank)
		for k, r := range offsets {
			for channel := range c.CI {
				element := image*groups*window + channel/(c.CI/groups)*window + int64(k)
				for d, w := range c.Windows {
					shift := in[1].F[(element*int64(rank)+int64(d))*outputs+p]
					position[d] = float64(outs[p][d]*w.Stride+r[d]*w.Dilation-w.Before) + shift
				}
				v := interpolated(planes[(image*c.CI+channel)*pixels:][:pixels], c.In, position)
				if n.Input(2) != nil {
					v *= in[2].F[element*outputs+p]
				}
				y.F[(int64(i)*window+int64(k))*c.CI+channel] = v
			}
		}
	})
	return []*graph.Tensor{y}, err
}

// opaqueDeformSample interpolates between the pixels around a position, row by row of the outputs in parallel.
func opaqueDeformSample(n *graph.Node) (*tir.Func, error) {
	c, groups, err := deformSampleOf(n)
	if err != nil {
		return nil, err
	}
	x, offset, y := Parameter("x", n.Inputs[0]), Parameter("offset", n.Inputs[1]), Parameter("y", n.Outputs[0])
	params := []*tir.Buffer{x, offset}
	var mask *tir.Buffer
	if n.Input(2) != nil {
		mask = Parameter("mask", n.Inputs[2])
		params = append(params, mask)
	}
	rank, inGroup, t := len(c.In), c.CI/groups, Register(x.Type)
	rest := slices.Concat(c.Out[1:], c.Size(), []int64{groups})
	body := Nest([]int64{c.Batch * c.Out[0]}, tir.Parallel, func(row []tir.Expr) tir.Stmt {
		return Nest(rest, tir.Serial, func(in []tir.Expr) tir.Stmt {
			image := Floordiv(row[0], c.Out[0])
			at := slices.Concat([]tir.Expr{image, Floormod(row[0], c.Out[0])}, in)
			o, r, group := at[1:1+rank], at[1+rank:1+2*rank], at[1+2*rank]
			element := group
			for d, k := range r {
				element = Add(Times(element, c.Windows[d].Size), k)
			}
			place := make([]tir.Expr, rank)
			for d, w := range c.Windows {
				k := Plus(Times(element, int64(rank)), int64(d))
				shift := Cast(Load(offset, slices.Concat([]tir.Expr{image, k}, o)...), t)
				place[d] = Add(Cast(Plus(w.At(o[d], r[d]), -w.Before), t), shift)
			}
			return Vectors("c", inGroup, func(channel tir.Expr) tir.Stmt {
				v := linear(place, c.In, func(index []tir.Expr) tir.Expr {
					return Cast(Load(x, slices.Concat([]tir.Expr{image}, index,
						[]tir.Expr{Add(Times(group, inGroup), channel)})...), t)
				})
				if mask != nil {
					v = Mul(v, Cast(Load(mask, slices.Concat([]tir.Expr{image, element}, o)...), t))
				}
				return Store(y, Cast(v, y.Type), slices.Concat(at, []tir.Expr{channel})...)
			})
		})
	})
	return NewFunc("deform_sample", 1, body, append(params, y)...), nil
}
