package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// buildConvTranspose: conv2d_transpose is the gradient of a convolution: it spreads each element of
// the image by the constant weights, HWIO for channels last and IOHW for
// channels first. The image is dilated by the stride and then convolved with
// the mirrored weights.
//
// An output has (h-1)*s - 2*p + k + out_pad rows. It refuses p >= k, out_pad >= s
// and dilated windows.
func buildConvTranspose(g *Builder, p *params) result {
	c := &Conv{
		Layout: p.layout(), Batch: p.int("batch"), CI: p.int("ci"), CO: p.int("co"), Groups: 1,
		In: p.spatial(), Windows: p.windows(2),
	}
	extra := p.int("out_pad")
	for d, w := range c.Windows {
		if w.Before >= w.Size {
			g.refuse("a padding of %d with a kernel of %d: a transposed convolution cuts off the padding, "+
				"which must be below the kernel's size", w.Before, w.Size)
		}
		if extra >= w.Stride {
			g.refuse("out_pad=%d with a stride of %d: it must be below the stride", extra, w.Stride)
		}
		c.Out = append(c.Out, (c.In[d]-1)*w.Stride-2*w.Before+w.Size+extra)
	}
	data := g.input("data", g.store, c.Input()...)
	spread := g.Dilate(c, data)
	kernel := g.input("kernel", g.store, transposedWeights(c, c.Size(), c.CI, c.CO)...)
	return result{g.ConvTranspose(c, spread, kernel, free(kernel)), c.Layout.Channel(4)}
}

// transposedWeights orders the dimensions of weights: IOHW for channels first, HWIO for channels last.
func transposedWeights[T any](c *Conv, size []T, in, out T) []T {
	if c.Layout == ChannelsFirst {
		return append([]T{in, out}, size...)
	}
	return append(slices.Clone(size), in, out)
}

// ConvTranspose adds the gradient of a convolution of x, which Dilate has spread, by weights w:
//
//	conv2d_transpose(n, i, j, c) += (dilate[n, (i + rh), (j + rw), rc]*w[(2 - rh), (2 - rw), rc, c])
func (g *Builder) ConvTranspose(c *Conv, x, w compute.Tensor, attrs compute.Attrs) compute.Tensor {
	s, p := g.Image(fmt.Sprintf("conv%dd_transpose", len(c.In)), c.Layout, c.Output(), c.Size(), c.InGroup())
	from, to := c.InputChannel(p.Channel, p.Inner), p.Channel
	if c.Groups > 1 {
		to = floormod(to, c.OutGroup())
	}
	place, mirrored := make([]tir.Expr, len(c.In)), make([]tir.Expr, len(c.In))
	for d, win := range c.Windows {
		place[d] = add(p.Spatial[d], times(p.Window[d], win.Dilation))
		mirrored[d] = sub(tir.Int(win.Size-1), p.Window[d])
	}
	read := g.read(x, Image(c.Layout, p.Batch, place, from)...)
	return g.SumOf(s, mul(read, g.read(w, transposedWeights(c, mirrored, from, to)...)), attrs)
}

// Dilate puts stride-1 zeros between the elements of an image, and around them the margins that windows need:
//
//	dilate(i0, i1, i2, i3) = tir.if_then_else(..., x[i0, floordiv((i1 - 1), 2), ...], 0f)
func (g *Builder) Dilate(c *Conv, x compute.Tensor) compute.Tensor {
	list := make([]Margin, len(c.In))
	spread, dilated := make([]int64, len(c.In)), false
	for d, w := range c.Windows {
		dilated = dilated || w.Stride > 1
		spread[d] = c.Out[d] + w.Span() - 1
		before := w.Span() - 1 - w.Before
		list[d] = Margin{before, spread[d] - before - ((c.In[d]-1)*w.Stride + 1)}
	}
	if !dilated {
		return g.Pad("pad", x, Image(c.Layout, Margin{}, list, Margin{}), nil)
	}
	s := g.stage("dilate", Image(c.Layout, c.Batch, spread, c.CI), nil)
	index := s.index()
	at := Spatial(c.Layout, index)
	var inside []tir.Expr
	for d, w := range c.Windows {
		lo, n, from := list[d].Before, (c.In[d]-1)*w.Stride+1, plus(at[d], -list[d].Before)
		if lo > 0 {
			inside = append(inside, tir.Bin(tir.GE, at[d], tir.Int(lo)))
		}
		if list[d].After > 0 || !g.style.model {
			inside = append(inside, tir.Bin(tir.LT, at[d], tir.Int(lo+n)))
		}
		if w.Stride > 1 {
			inside = append(inside, tir.Bin(tir.EQ, floormod(from, w.Stride), tir.Int(0)))
			from = floordiv(from, w.Stride)
		}
		at[d] = from
	}
	return g.Pointwise(s, tir.IfThenElse(tir.AllOf(inside...), x.At(index...), g.constantOf(x.Type, 0)))
}
