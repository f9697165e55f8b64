package window

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/reduce"
)

// decomposeConvTranspose makes a convolution of a ConvTranspose with a stride and constant weights, which multiplies
// no zeros that the stride puts in. Along a dimension of stride s, output u*s+p is the sum of x[u-t]*w[p+s*t]: so the
// outputs of each p are those of a convolution with a part of the weights, mirrored. One convolution computes all of
// them, as channels, and a transpose puts them where they belong:
//
//	a = Conv(pad(x), w'): [n, s*s*c, h+1, w+1]; b = Reshape(Transpose(a)): [n, h+1, w+1, s, s, c]
//	d = Transpose(b): [n, h+1, s, w+1, s, c]; y = Transpose(Slice(Reshape(d): [n, (h+1)*s, (w+1)*s, c]))
//
// The channels are last in between, as they are in the convolutions beside it. With groups, the layout stays that of
// ONNX. Others become wmtune.ConvTranspose.
func decomposeConvTranspose(d *op.Decomposer) error {
	n := d.Node
	c, err := convTransposeOf(n)
	if err != nil {
		return err
	}
	spread, plain := false, n.Inputs[1].Const != nil && c.CO > 0
	for _, w := range c.Windows {
		spread, plain = spread || w.Stride > 1, plain && w.Dilation == 1
	}
	if !spread || !plain {
		d.Output(d.Apply("wmtune.ConvTranspose", n.Inputs, n.Attrs...))
		return nil
	}
	rank := len(c.In)
	phases, taps := make([]int64, rank), make([]int64, rank)
	pads, places := make([]int64, 2*rank), make([]int64, rank)
	for i, w := range c.Windows {
		phases[i], taps[i] = w.Stride, ceilDiv(w.Size, w.Stride)
		// Places u from 0 on, so many that the last output is among them.
		places[i] = max(c.In[i]+taps[i]-1, ceilDiv(w.Before+c.Out[i], w.Stride))
		pads[i], pads[rank+i] = taps[i]-1, places[i]-c.In[i]
	}
	inputs := []*graph.Value{d.Input(0), d.Const(c.parts(n.Inputs[1].Const.Tensor(), phases, taps))}
	if c.withBias {
		bias := d.Input(2)
		if c.Groups > 1 {
			bias = d.Repeated(bias, graph.Elems(phases))
		} else {
			all := d.Const(graph.Ints(graph.Elems(phases), c.CO))
			bias = d.Apply("Expand", []*graph.Value{d.Reshape(bias, 1, c.CO), all})
			bias = d.Reshape(bias, bias.Elems())
		}
		inputs = append(inputs, bias)
	}
	y := d.Apply("Conv", inputs, graph.IntAttr("group", c.Groups), graph.IntsAttr("pads", pads...))
	first := int64(2) // dimension of the first window
	perm, shape, last := []int64{0, 1}, []int64{c.Batch, c.CO}, []int64(nil)
	if c.Groups > 1 {
		y = d.Reshape(y, slices.Concat([]int64{c.Batch, c.CO}, phases, places)...)
	} else {
		first, perm, shape, last = 1, perm[:1], shape[:1], []int64{c.CO}
		y = d.Transpose(y, slices.Concat([]int64{0}, reduce.BehindChannels(2+rank), []int64{1}))
		y = d.Reshape(y, slices.Concat([]int64{c.Batch}, places, phases, last)...)
	}
	for i := range int64(rank) {
		place, phase := first+i, first+int64(rank)+i
		if c.Groups > 1 {
			place, phase = phase, place
		}
		perm, shape = append(perm, place, phase), append(shape, places[i]*phases[i])
	}
	if last != nil {
		perm = append(perm, first+2*int64(rank))
	}
	y = d.Reshape(d.Transpose(y, perm), append(shape, last...)...)
	for i, w := range c.Windows {
		y = d.Cut(y, first+int64(i), w.Before, w.Before+c.Out[i])
	}
	if last != nil {
		y = d.Transpose(y, slices.Concat([]int64{0, int64(1 + rank)}, array.UpTo(int64(1 + rank))[1:]))
	}
	d.Output(y)
	return nil
}

// parts returns the weights of the convolution, mirrored, with zeros where the window has no element: [phases*co, ci,
// taps], or with groups [co*phases, ci of a group, taps].
func (c *conv) parts(w *graph.Tensor, phases, taps []int64) *graph.Tensor {
	r := graph.NewTensor(w.Type, append([]int64{c.CO * graph.Elems(phases), c.InGroup()}, taps...)...)
	from := array.Strides(w.Shape)
	all, block := graph.Elems(phases), c.InGroup()*graph.Elems(taps)
	i := int64(0)
	array.WalkIndex(slices.Concat([]int64{c.CO}, phases, []int64{c.InGroup()}, taps), func(at []int64) {
		rank := len(phases)
		co, ci := at[0], at[1+rank]
		place := (co/c.OutGroup()*c.InGroup()+ci)*from[0] + co%c.OutGroup()*from[1]
		inside := true
		for d, s := range phases {
			k := at[1+d] + s*(taps[d]-1-at[2+rank+d])
			inside = inside && k < c.Windows[d].Size
			place += k * from[2+d]
		}
		if inside {
			channel := i / block
			if c.Groups == 1 {
				channel = channel%all*c.CO + co
			}
			r.F[channel*block+i%block] = w.F[place]
		}
		i++
	})
	return r
}
