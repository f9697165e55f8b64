package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// convolutions has the operators that multiply windows of images by weights. Those of domain wmtune have the channels
// of images last, and weights in the order spatial dimensions, input channels of a group, output channels (HWIO), or,
// if each group has one input channel and there are several groups, spatial dimensions, output channels, 1 (HWO1).
var convolutions = []Row{
	{Op: "Conv", Since: 1, In: "T:F T:F T:F?", Class: ComplexOut, Infer: inferConv(channelsFirst),
		Eval: evalConv(channelsFirst),
		Body: bodyConv(channelsFirst)},
	{Op: "wmtune.Conv", Since: 1, In: "T:N T:N T:N?", Class: ComplexOut, Infer: inferConv(channelsLast),
		Eval: evalConv(channelsLast),
		Body: bodyConv(channelsLast)},
}

// A conv is a convolution of batch images.
type conv struct {
	order               order
	batch, ci, co       int64
	groups              int64
	inGroup, outGroup   int64 // channels of a group
	in, out             []int64
	windows             []window
	weightSize          []int64
	depthwise, withBias bool
}

// convOf returns the sizes of a node of Conv, whose inputs are known.
func convOf(n *graph.Node, o order) (*conv, error) {
	x, w := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) < 3 || len(w) != len(x) {
		return nil, fmt.Errorf("an image of shape %v and weights of shape %v: both need 3 or more dimensions, as many",
			x, w)
	}
	c := &conv{order: o, batch: x[0], ci: x[o.channel(len(x))], in: spatial(o, x), groups: n.Int("group", 1)}
	c.withBias = n.Input(2) != nil
	if c.groups < 1 || c.ci%c.groups != 0 {
		return nil, fmt.Errorf("%d groups do not divide %d input channels", c.groups, c.ci)
	}
	c.inGroup = c.ci / c.groups
	c.depthwise = c.groups > 1 && c.inGroup == 1
	var want int64
	c.weightSize, want, c.co = c.splitWeights(w)
	if want != c.inGroup || c.co%c.groups != 0 {
		return nil, fmt.Errorf("weights of shape %v do not fit an image of shape %v in %d groups", w, x, c.groups)
	}
	c.outGroup = c.co / c.groups
	if k := n.Ints("kernel_shape"); k != nil && !slices.Equal(k, c.weightSize) {
		return nil, fmt.Errorf("attribute kernel_shape is %v, but the weights have shape %v", k, w)
	}
	if c.withBias && !slices.Equal(n.Inputs[2].Shape, []int64{c.co}) {
		return nil, fmt.Errorf("a bias of shape %v for %d output channels", n.Inputs[2].Shape, c.co)
	}
	var err error
	if c.windows, err = windowsOf(n, c.in, c.weightSize); err != nil {
		return nil, err
	}
	for d, win := range c.windows {
		out := win.outputs(c.in[d])
		if out < 1 {
			return nil, win.tooLarge(d, c.in[d])
		}
		c.out = append(c.out, out)
	}
	return c, nil
}

// splitWeights returns the spatial dimensions of weights, input channels of a group, and output channels.
func (c *conv) splitWeights(shape []int64) (size []int64, in, out int64) {
	n := len(shape) - 2
	switch {
	case c.order == channelsFirst:
		return shape[2:], shape[1], shape[0]
	case c.depthwise:
		return shape[:n], shape[n+1], shape[n]
	}
	return shape[:n], shape[n], shape[n+1]
}

// weights orders the dimensions of weights, the inverse of splitWeights.
func weights[T any](c *conv, size []T, in, out T) []T {
	switch {
	case c.order == channelsFirst:
		return append([]T{out, in}, size...)
	case c.depthwise:
		return append(slices.Clone(size), out, in)
	}
	return append(slices.Clone(size), in, out)
}

func inferConv(o order) func(n *graph.Node) ([]Type, error) {
	return func(n *graph.Node) ([]Type, error) {
		c, err := convOf(n, o)
		if err != nil {
			return nil, err
		}
		return []Type{{DType: n.Inputs[0].Type, Shape: image(o, c.batch, c.out, c.co)}}, nil
	}
}

// bodyConv makes convolutions as tir/op does: here with channels last
//
//	pad(i0, i1, i2, i3) = tir.if_then_else(..., x[i0, (i1 - 1), (i2 - 1), i3], 0f)
//	conv2d(n, i, j, c) += (pad[n, ((i*2) + rh), ((j*2) + rw), rc]*w[rh, rw, rc, c])
//	bias_add(i0, i1, i2, i3) = (conv2d[i0, i1, i2, i3] + b[i3])
//
// and without rc if each group has one input channel.
func bodyConv(o order) func(b *Body) error {
	return func(b *Body) error {
		c, err := convOf(b.Node, o)
		if err != nil {
			return err
		}
		out := b.Node.Outputs[0].Type
		t := Register(out)
		padded := b.pad(b.Input(0), windowMargins(o, c.windows), 0, nil)
		w := b.Input(1)
		axes, reduce := c.axes()
		at := compute.Vars(axes)
		pixel, r := spatial(o, at), compute.Vars(reduce)
		offset := r
		channel, inner := at[o.channel(len(at))], tir.Expr(tir.Int(0))
		outChannel := channel
		switch rank := len(c.in); {
		case c.depthwise:
			if c.outGroup > 1 {
				channel = floordiv(channel, c.outGroup)
			}
		case o == channelsFirst:
			inner, offset = r[0], r[1:]
			channel = c.inputChannel(channel, inner)
		default:
			inner, offset = r[rank], r[:rank]
			channel = c.inputChannel(channel, inner)
		}
		place := make([]tir.Expr, len(c.in))
		for d, win := range c.windows {
			place[d] = win.at(pixel[d], offset[d])
		}
		x := Cast(padded.At(image(o, at[0], place, channel)...), t)
		y := b.SumWith(b.Unique(c.name()), axes, reduce,
			mul(x, Cast(w.At(weights(c, offset, inner, outChannel)...), t)), b.layoutFree(1))
		b.Output(b.epilogue(y, o.channel(len(at)), out))
		return nil
	}
}

// layoutFree marks input i, which the body reads by Input, as one whose layout may be chosen, if it is constant.
func (b *Body) layoutFree(i int) compute.Attrs {
	if b.Node.Inputs[i].Const == nil {
		return compute.Attrs{}
	}
	return compute.Attrs{LayoutFree: []*tir.Buffer{b.Input(i).Buffer}}
}

// epilogue adds input 2, if there is one, to y along dimension d, and stores the result as type t.
func (b *Body) epilogue(y compute.Tensor, d int, t tir.DType) compute.Tensor {
	axes, at := b.Axes(y.Shape)
	if b.Node.Input(2) != nil {
		bias := b.ReadVector(2, at[d])
		return b.Stage("bias_add", t, axes, add(y.At(at...), bias))
	}
	if y.Type == t {
		return y
	}
	return b.Stage("cast", t, axes, y.At(at...))
}

// ReadVector is Read for an input of one dimension or of one element.
func (b *Body) ReadVector(i int, at tir.Expr) tir.Expr {
	return b.Read(i, slices.Repeat([]tir.Expr{at}, len(b.Node.Inputs[i].Shape))...)
}

// inputChannel returns the channel that output channel c reads as the one of number inner in its group.
func (c *conv) inputChannel(channel, inner tir.Expr) tir.Expr {
	if c.groups == 1 {
		return inner
	}
	return add(times(floordiv(channel, c.outGroup), c.inGroup), inner)
}

// axes returns the axes of the stage that sums.
func (c *conv) axes() (axes, reduce []*compute.Axis) {
	rank := len(c.in)
	channel, offsets := "c", map[int][]string{1: {"rw"}, 2: {"rh", "rw"}, 3: {"rd", "rh", "rw"}}[rank]
	if c.depthwise {
		channel = "q"
	}
	axes = named(imageAxes(c.order, rank, channel), "i", image(c.order, c.batch, c.out, c.co))
	size := c.weightSize
	switch {
	case c.depthwise:
	case c.order == channelsFirst:
		size = append([]int64{c.inGroup}, size...)
		offsets = append([]string{"rc"}, offsets...)
	default:
		size = append(slices.Clone(size), c.inGroup)
		offsets = append(slices.Clone(offsets), "rc")
	}
	return axes, named(offsets, "r", size)
}

func (c *conv) name() string {
	if c.depthwise {
		return "depthwise"
	}
	return fmt.Sprintf("conv%dd", len(c.in))
}
