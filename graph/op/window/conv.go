package window

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Convolutions has the operators that multiply windows of images by weights. Those of domain wmtune have the channels
// of images last, and weights in the order spatial dimensions, input channels of a group, output channels (HWIO), or,
// if each group has one input channel and there are several groups, spatial dimensions, output channels, 1 (HWO1).
// Passes make both of integers of 8 bits, whose signs may differ: bias and result are of int32, or with attribute wide
// of float32, and input 3 is the number that images are padded with.
var Convolutions = []op.Row{
	{Op: "Conv", Since: 1, In: "T:F T:F T:F?", Class: op.ComplexOut, Infer: op.ProductBy(convOf),
		Eval: EvalConv, Body: op.BodyBy(convOf, (*conv).body)},
	{Op: "wmtune.Conv", Since: 1, In: "T:N T:N T:N?", Class: op.ComplexOut, Infer: op.ProductBy(convLastOf),
		Eval: op.EvalBy(convLastOf, (*conv).eval), Body: op.BodyBy(convLastOf, (*conv).body)},
}

// A conv is a convolution of images, or the gradient of one.
type conv struct {
	tirop.Conv
	withBias bool
}

// convOf returns the sizes of a node of Conv, whose inputs are known, and convLastOf those of a node of wmtune.Conv.
func convOf(n *graph.Node) (*conv, error)     { return convIn(n, tirop.ChannelsFirst) }
func convLastOf(n *graph.Node) (*conv, error) { return convIn(n, tirop.ChannelsLast) }

func convIn(n *graph.Node, l tirop.Layout) (*conv, error) {
	x, w := n.Inputs[0].Shape, n.Inputs[1].Shape
	c, err := imagesOf(n, l)
	if err != nil {
		return nil, err
	}
	if c.Groups < 1 || c.CI%c.Groups != 0 {
		return nil, fmt.Errorf("%d groups do not divide %d input channels", c.Groups, c.CI)
	}
	c.Depthwise = c.Groups > 1 && c.InGroup() == 1
	size, inner, outer := c.splitWeights(w)
	if c.CO = outer; inner != c.InGroup() || c.CO%c.Groups != 0 {
		return nil, fmt.Errorf("weights of shape %v do not fit an image of shape %v in %d groups", w, x, c.Groups)
	}
	if err = c.slide(n, n, size); err != nil {
		return nil, err
	}
	for d, win := range c.Windows {
		out := win.Outputs(c.In[d])
		if out < 1 {
			return nil, tooLarge(win, d, c.In[d])
		}
		c.Out = append(c.Out, out)
	}
	return c, nil
}

// imagesOf returns what the images of a node of Conv or ConvTranspose tell.
func imagesOf(n *graph.Node, l tirop.Layout) (*conv, error) {
	x, w := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) < 3 || len(w) != len(x) {
		return nil, fmt.Errorf("an image of shape %v and weights of shape %v: both need 3 or more dimensions, as many",
			x, w)
	}
	c := tirop.Conv{Layout: l, Batch: x[0], CI: x[l.Channel(len(x))], In: tirop.Spatial(l, x), Groups: n.Int("group", 1)}
	return &conv{c, n.Input(2) != nil}, nil
}

// slide finds the windows, of the given size, and checks it and the bias.
func (c *conv) slide(n, attrs *graph.Node, size []int64) (err error) {
	if k := n.Ints("kernel_shape"); k != nil && !slices.Equal(k, size) {
		return fmt.Errorf("attribute kernel_shape is %v, but the weights have shape %v", k, n.Inputs[1].Shape)
	}
	if c.withBias && !slices.Equal(n.Inputs[2].Shape, []int64{c.CO}) {
		return fmt.Errorf("a bias of shape %v for %d output channels", n.Inputs[2].Shape, c.CO)
	}
	c.Windows, err = WindowsOf(attrs, c.In, size)
	return err
}

// splitWeights returns the spatial dimensions of weights, input channels of a group, and output channels: the inverse
// of tirop.Weights.
func (c *conv) splitWeights(shape []int64) (size []int64, in, out int64) {
	n := len(shape) - 2
	switch {
	case c.Layout == tirop.ChannelsFirst:
		return shape[2:], shape[1], shape[0]
	case c.Depthwise:
		return shape[:n], shape[n+1], shape[n]
	}
	return shape[:n], shape[n], shape[n+1]
}

// mostExact is the number of products of a uint8 and an int8 up to which float32 has their sums exactly. Processors
// multiply and add floats faster than int32, unless they have an instruction for sums of bytes, which go over channels.
const mostExact = (1 << 24) / (255 * 128)

// body adds a bias to a convolution:
//
//	bias_add(i0, i1, i2, i3) = (conv2d[i0, i1, i2, i3] + b[i3])
func (c *conv) body(b *op.Body) error {
	t := b.Node.Outputs[0].Type
	if b.Node.Inputs[0].Type.Bytes() == 1 && c.Depthwise && graph.Elems(c.Size()) <= mostExact {
		t = tir.F32
	}
	g := b.Stages(t)
	var fill tir.Expr
	padded := func(w tirop.Window) bool { return w.Before != 0 || w.After != 0 }
	if b.Node.Input(3) != nil && slices.ContainsFunc(c.Windows, padded) {
		fill = b.Read(3)
	}
	x := g.PadWindows("pad", c.Layout, c.Windows, b.Input(0), fill)
	c.addBias(b, g.Conv(&c.Conv, x, b.Input(1), b.LayoutFree(1)))
	return nil
}

// addBias makes output 0 of y and input 2, if there is one.
func (c *conv) addBias(b *op.Body, y compute.Tensor) {
	t := b.Node.Outputs[0].Type
	if !c.withBias {
		b.Output(b.Stored(y, t))
		return
	}
	axes, at := b.Axes(y.Shape)
	v := Cast(y.At(at...), Register(t))
	b.Output(b.Stage("bias_add", t, axes, Add(v, b.ReadVector(2, at[c.Layout.Channel(len(at))]))))
}
