package window

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/nn/kernel"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// TransposedConvolutions has the gradient of convolutions: it spreads each element of an image by the weights. With
// attribute last, the channels of images are last, and the weights are in the order spatial dimensions, input channels,
// output channels of a group.
var TransposedConvolutions = []op.Row{
	{Op: "ConvTranspose", Since: 1, In: "T:F T:F T:F?", Class: op.ComplexOut, Infer: op.ShapeBy(convTransposeOf),
		Eval: op.EvalBy(convTransposeOf, (*conv).evalTransposed), Decompose: decomposeConvTranspose},
	{Op: "wmtune.ConvTranspose", In: "T:F T:F T:F?", Class: op.ComplexOut, Infer: op.ShapeBy(convTransposeOf),
		Eval: op.EvalBy(convTransposeOf, (*conv).evalEither), Body: op.BodyBy(convTransposeOf, (*conv).bodyTransposed)},
}

// convTransposeOf returns the sizes of a ConvTranspose. Element r of the window at input position i is output position
// i*stride + r*dilation - before.
func convTransposeOf(n *graph.Node) (*conv, error) {
	x, w := n.Inputs[0].Shape, n.Inputs[1].Shape
	layout := tirop.ChannelsFirst
	if n.Int("last", 0) != 0 {
		layout = tirop.ChannelsLast
	}
	c, err := imagesOf(n, layout)
	if err != nil {
		return nil, err
	}
	size, inner, outer := w[2:], w[0], w[1]
	if rank := len(w) - 2; layout == tirop.ChannelsLast {
		size, inner, outer = w[:rank], w[rank], w[rank+1]
	}
	if c.Groups < 1 || c.CI%c.Groups != 0 || inner != c.CI {
		return nil, fmt.Errorf("weights of shape %v do not fit an image of shape %v in %d groups", w, x, c.Groups)
	}
	c.CO = outer * c.Groups
	// What auto_pad makes of the windows differs from a convolution's.
	plain := *n
	plain.Attrs = slices.DeleteFunc(slices.Clone(n.Attrs), func(a graph.Attr) bool { return a.Name == "auto_pad" })
	if err = c.slide(n, &plain, size); err != nil {
		return nil, err
	}
	return c, c.spread(n)
}

// spread finds paddings and output extents.
func (c *conv) spread(n *graph.Node) error {
	rank := len(c.In)
	extra, err := perDimension(n, "output_padding", rank, 0)
	if err != nil {
		return err
	}
	auto, shape := n.Str("auto_pad", "NOTSET"), n.Ints("output_shape")
	if len(shape) == rank+2 { // some exporters write batch and channels too
		shape = shape[2:]
	}
	if shape != nil && len(shape) != rank {
		return fmt.Errorf("attribute output_shape is %v for %d spatial dimensions", shape, rank)
	}
	for d := range c.Windows {
		w := &c.Windows[d]
		full := graph.Plus(graph.Times(c.In[d], w.Stride), w.Span()-w.Stride, extra[d])
		out := full - w.Before - w.After
		switch {
		case shape != nil:
			out = shape[d]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			out = graph.Times(c.In[d], w.Stride)
		case auto == "VALID":
			w.Before, w.After, out = 0, 0, full
		}
		if total := full - out; shape != nil || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			if auto != "SAME_UPPER" {
				auto = "SAME_LOWER"
			}
			total = max(total, 0)
			w.Before, w.After = splitPads(auto, total)
		}
		if out < 1 {
			return fmt.Errorf("dimension %d: %d elements, spread over %d, are fewer than the paddings %d and %d", d,
				c.In[d], full,
				w.Before, w.After)
		}
		c.Out = append(c.Out, out)
	}
	return nil
}

func (c *conv) bodyTransposed(b *op.Body) error {
	g := b.Stages(b.Node.Outputs[0].Type)
	spread, attrs := g.Dilate(&c.Conv, b.Input(0)), b.LayoutFree(1)
	attrs.FLOP = 2 * c.Batch * graph.Elems(c.In) * c.CI * c.OutGroup() * graph.Elems(c.Size()) // no zeros
	c.addBias(b, g.ConvTranspose(&c.Conv, spread, b.Input(1), attrs))
	return nil
}

// evalEither is evalTransposed in either layout.
func (c *conv) evalEither(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	if c.Layout == tirop.ChannelsFirst {
		return c.evalTransposed(call, n, in)
	}
	first, rank := *c, int64(len(c.In))
	first.Layout = tirop.ChannelsFirst
	moved := slices.Clone(in)
	moved[0] = permuted(in[0], slices.Concat([]int64{0, rank + 1}, array.UpTo(rank + 1)[1:]))
	moved[1] = permuted(in[1], slices.Concat([]int64{rank, rank + 1}, array.UpTo(rank)))
	out, err := first.evalTransposed(call, n, moved)
	if err != nil {
		return nil, err
	}
	return []*graph.Tensor{permuted(out[0], append(append([]int64{0}, array.UpTo(rank + 2)[2:]...), 1))}, nil
}

// permuted returns t with dimension perm[d] as dimension d.
func permuted(t *graph.Tensor, perm []int64) *graph.Tensor {
	shape, from, strides := make([]int64, len(perm)), array.Strides(t.Shape), make([]int64, len(perm))
	for d, p := range perm {
		shape[d], strides[d] = t.Shape[p], from[p]
	}
	r, i := graph.NewTensor(t.Type, shape...), 0
	array.WalkIndex(shape, func(at []int64) {
		place := int64(0)
		for d, k := range at {
			place += k * strides[d]
		}
		r.F[i] = t.F[place]
		i++
	})
	return r
}

// evalTransposed is the reference of ConvTranspose: the products of a stretch of pixels with all weights, then added
// where they belong.
func (c *conv) evalTransposed(call *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	y := graph.NewTensor(in[0].Type, c.Output()...)
	if y.Len() == 0 {
		return []*graph.Tensor{y}, nil
	}
	pixels, window, outPixels := graph.Elems(c.In), graph.Elems(c.Size()), graph.Elems(c.Out)
	for i := range y.F {
		if c.withBias {
			y.F[i] = in[2].F[int64(i)/outPixels%c.CO]
		}
	}
	rows := c.OutGroup() * window
	stretch := min(pixels, max(16, columnLimit/rows))
	products := make([]float64, rows*stretch)
	finite := array.AllFinite(in[0].F) && array.AllFinite(in[1].F)
	for image := range c.Batch {
		for g := range c.Groups {
			x := in[0].F[(image*c.CI+g*c.InGroup())*pixels:][:c.InGroup()*pixels]
			w := in[1].F[g*c.InGroup()*rows:][:c.InGroup()*rows]
			for p0 := int64(0); p0 < pixels; p0 += stretch {
				m := min(stretch, pixels-p0)
				if finite {
					columns := make([]float64, 0, c.InGroup()*m)
					for i := range c.InGroup() {
						columns = append(columns, x[i*pixels+p0:][:m]...)
					}
					parts, part := kernel.Doubles(products[:rows*m], kernel.M(w, int(rows)).T(), kernel.M(columns, int(m)))
					if err := array.Parallel(call.Context, parts, part); err != nil {
						return nil, err
					}
				} else {
					transposedProduct(w, x[p0:], products, rows, m, c.InGroup(), pixels)
				}
				to := y.F[(image*c.CO+g*c.OutGroup())*outPixels:]
				if err := c.scatter(call.Context, products, to, p0, m); err != nil {
					return nil, err
				}
			}
		}
	}
	return []*graph.Tensor{y}, nil
}

// transposedProduct computes r = wᵀ·x, for x of cols columns out of width.
func transposedProduct(w, x, r []float64, rows, cols, inner, width int64) {
	for i := range rows {
		for j := range cols {
			sum := 0.0
			for k := range inner {
				sum += w[k*rows+i] * x[k*width+j]
			}
			r[i*cols+j] = sum
		}
	}
}

// scatter adds the products of m pixels from p0 on to the images that they belong to.
func (c *conv) scatter(ctx context.Context, products, y []float64, p0, m int64) error {
	inStrides, outStrides := array.Strides(c.In), array.Strides(c.Out)
	window := graph.Elems(c.Size())
	return array.Parallel(ctx, int(c.OutGroup()), func(channel int) {
		to := y[int64(channel)*graph.Elems(c.Out):]
		k := int64(0)
		array.WalkIndex(c.Size(), func(r []int64) {
			from := products[(int64(channel)*window+k)*m:]
			k++
			for p := range m {
				at, inside := int64(0), true
				for d, w := range c.Windows {
					o := (p0+p)/inStrides[d]%c.In[d]*w.Stride + r[d]*w.Dilation - w.Before
					inside = inside && o >= 0 && o < c.Out[d]
					at += o * outStrides[d]
				}
				if inside {
					to[at] += from[p]
				}
			}
		})
	})
}
