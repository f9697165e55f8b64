package op

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// decomposeConvTranspose makes a convolution of a ConvTranspose with a stride and constant weights, which multiplies
// no zeros that the stride puts in. Along a dimension of stride s, output u*s+p is the sum of x[u-t]*w[p+s*t]: so the
// outputs of each p are those of a convolution with a part of the weights, mirrored. One convolution computes all of
// them, as channels, and a transpose puts them where they belong:
//
//	a = Conv(pad(x), w'): [n, c*s*s, h+1, w+1]; b = Reshape(a): [n, c, s, s, h+1, w+1]
//	d = Transpose(b): [n, c, h+1, s, w+1, s]; y = Slice(Reshape(d): [n, c, (h+1)*s, (w+1)*s])
//
// Others become wmtune.ConvTranspose.
func decomposeConvTranspose(d *Decomposer) error {
	n := d.Node
	c, err := convTransposeOf(n)
	if err != nil {
		return err
	}
	spread, plain := false, n.Inputs[1].Const != nil
	for _, w := range c.windows {
		spread, plain = spread || w.stride > 1, plain && w.dilation == 1
	}
	if !spread || !plain {
		d.Output(d.Apply("wmtune.ConvTranspose", n.Inputs, n.Attrs...))
		return nil
	}
	rank := len(c.in)
	phases, taps := make([]int64, rank), make([]int64, rank)
	pads, places := make([]int64, 2*rank), make([]int64, rank)
	for i, w := range c.windows {
		phases[i], taps[i] = w.stride, ceilDiv(w.size, w.stride)
		// Places u from 0 on, so many that the last output is among them.
		places[i] = max(c.in[i]+taps[i]-1, ceilDiv(w.before+c.out[i], w.stride))
		pads[i], pads[rank+i] = taps[i]-1, places[i]-c.in[i]
	}
	inputs := []*graph.Value{d.Input(0), d.Const(c.parts(n.Inputs[1].Const.Tensor(), phases, taps))}
	if c.withBias {
		all := d.Const(graph.Ints(c.co, graph.Elems(phases)))
		bias := d.Apply("Expand", []*graph.Value{d.reshape(d.Input(2), c.co, 1), all})
		inputs = append(inputs, d.reshape(bias, c.co*graph.Elems(phases)))
	}
	y := d.Apply("Conv", inputs, graph.IntAttr("group", c.groups), graph.IntsAttr("pads", pads...))
	y = d.reshape(y, slices.Concat([]int64{c.batch, c.co}, phases, places)...)
	perm, shape := []int64{0, 1}, []int64{c.batch, c.co}
	for i := range rank {
		perm = append(perm, int64(2+rank+i), int64(2+i))
		shape = append(shape, places[i]*phases[i])
	}
	y = d.reshape(d.transpose(y, perm), shape...)
	for i, w := range c.windows {
		y = d.slice(y, int64(2+i), w.before, w.before+c.out[i])
	}
	d.Output(y)
	return nil
}

// parts returns the weights of the convolution: [co*phases, ci of a group, taps], mirrored, with zeros where the window
// has no element.
func (c *conv) parts(w *graph.Tensor, phases, taps []int64) *graph.Tensor {
	r := graph.NewTensor(w.Type, append([]int64{c.co * graph.Elems(phases), c.inGroup}, taps...)...)
	from := strides(w.Shape)
	i := 0
	walkIndex(slices.Concat([]int64{c.co}, phases, []int64{c.inGroup}, taps), func(at []int64) {
		rank := len(phases)
		co, ci := at[0], at[1+rank]
		place := (co/c.outGroup*c.inGroup+ci)*from[0] + co%c.outGroup*from[1]
		inside := true
		for d, s := range phases {
			k := at[1+d] + s*(taps[d]-1-at[2+rank+d])
			inside = inside && k < c.weightSize[d]
			place += k * from[2+d]
		}
		if inside {
			r.F[i] = w.F[place]
		}
		i++
	})
	return r
}
