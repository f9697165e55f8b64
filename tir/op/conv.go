package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Conv is a convolution of images in any number of dimensions, or the gradient of one. The weights of one that is
// Depthwise have a dimension of output channels and one of extent 1; each group has one input channel.
type Conv struct {
	Layout        Layout
	Batch, CI, CO int64
	Groups        int64
	In, Out       []int64  // spatial
	Windows       []Window // per spatial dimension
	Depthwise     bool
}

// InGroup is the number of input channels of a group.
func (c *Conv) InGroup() int64 { return c.CI / c.Groups }

// OutGroup is the number of output channels of a group.
func (c *Conv) OutGroup() int64 { return c.CO / c.Groups }

// Size has the sizes of the windows.
func (c *Conv) Size() []int64 { return windowSizes(c.Windows) }

// Input is the shape of the images.
func (c *Conv) Input() []int64 { return Image(c.Layout, c.Batch, c.In, c.CI) }

// Output is the shape of the result.
func (c *Conv) Output() []int64 { return Image(c.Layout, c.Batch, c.Out, c.CO) }

// Weights orders the dimensions of weights: OIHW for channels first, HWIO for channels last, and HWOI if depthwise.
func Weights[T any](c *Conv, size []T, in, out T) []T {
	switch {
	case c.Layout == ChannelsFirst:
		return append([]T{out, in}, size...)
	case c.Depthwise:
		return append(slices.Clone(size), out, in)
	}
	return append(slices.Clone(size), in, out)
}

// InputChannel returns the channel that output channel c reads as the one of number inner in its group.
func (c *Conv) InputChannel(channel, inner tir.Expr) tir.Expr {
	switch {
	case c.Depthwise && c.OutGroup() == 1:
		return channel
	case c.Depthwise:
		return floordiv(channel, c.OutGroup())
	case c.Groups == 1:
		return inner
	}
	return add(times(floordiv(channel, c.OutGroup()), c.InGroup()), inner)
}

// buildConv: conv is a convolution with constant weights, HWIO for channels last and OIHW
// for channels first:
//
//	pad(i0, i1, i2, i3) = tir.if_then_else(..., data[i0, (i1 - 1), (i2 - 1), i3], 0f)
//	conv2d(n, i, j, c) += (pad[n, ((i*2) + rh), ((j*2) + rw), rc]*kernel[rh, rw, rc, c])
//
// It refuses channels that the groups do not divide, and windows larger than
// the padded image.
func buildConv(g *Builder, p *params) result {
	in := p.spatial()
	return g.conv("pad", &Conv{
		Batch: p.int("batch"), In: in, CI: p.int("ci"), CO: p.int("co"),
		Windows: p.windows(len(in)), Groups: p.int("groups"), Layout: p.layout(),
	})
}

// buildDepthwise: depthwise convolves each channel with its own constant weights, HWC1 for
// channels last and C1HW for channels first:
//
//	depthwise(n, i, j, q) += (pad[n, (i + rh), (j + rw), q]*kernel[rh, rw, q, 0])
func buildDepthwise(g *Builder, p *params) result {
	return g.depthwise(&Conv{
		Batch: p.int("batch"), In: p.spatial(), CI: p.int("c"), Windows: p.windows(2), Layout: p.layout(),
	})
}

// depthwise uses CI of c for all channels.
func (g *Builder) depthwise(c *Conv) result {
	c.CO, c.Groups, c.Depthwise = c.CI, c.CI, true
	return g.conv("depthwise_pad", c)
}

func (g *Builder) conv(pad string, c *Conv) result {
	if c.CI%c.Groups != 0 || c.CO%c.Groups != 0 {
		g.refuse("%d groups do not divide %d input and %d output channels: both must be multiples", c.Groups, c.CI, c.CO)
		c.Groups = 1
	}
	c.Out = g.slide(c.In, c.Windows)
	data := g.input("data", g.data(), c.Input()...)
	padded := g.PadWindows(pad, c.Layout, c.Windows, data, nil)
	kernel := g.input("kernel", g.store, Weights(c, c.Size(), c.InGroup(), c.CO)...)
	return result{g.Conv(c, padded, kernel, free(kernel)), c.Layout.Channel(2 + len(c.In))}
}

// Conv adds the convolution of x, which PadWindows has padded, by weights w:
//
//	conv2d(n, i, j, c) += (pad[n, ((i*2) + rh), ((j*2) + rw), rc]*w[rh, rw, rc, c])
//
// or, if c is depthwise, or its one channel is of 8 or 16 bits and last, without rc: the steps of an instruction are
// then columns of the window.
func (g *Builder) Conv(c *Conv, x, w compute.Tensor, attrs compute.Attrs) compute.Tensor {
	key, inner := fmt.Sprintf("conv%dd", len(c.In)), []int64{c.InGroup()}
	if c.Depthwise {
		key, inner = "depthwise", nil
	}
	if c.CI == 1 && c.Layout == ChannelsLast && x.Type.Bytes() < 4 {
		inner = nil
	}
	s, p := g.Image(key, c.Layout, c.Output(), c.Size(), inner...)
	channel := c.InputChannel(p.Channel, p.Inner)
	read := g.read(x, Image(c.Layout, p.Batch, slideIndex(c.Windows, p), channel)...)
	return g.SumOf(s, mul(read, g.read(w, Weights(c, p.Window, p.Inner, p.Channel)...)), attrs)
}
