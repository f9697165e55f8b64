package window

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// decomposeConvTranspose makes of a ConvTranspose with constant weights one of images whose channels are last, between
// transposes. A search divides it into phases (schedule.Phases). Without a stride it is a convolution by the mirrored
// weights. Others stay as they are, as do those of few output channels: vectors are along rows then.
//
//	a = Transpose(x) perm=[0, 2, 3, 1]; b = wmtune.ConvTranspose(a, w') last=1; y = Transpose(b) perm=[0, 3, 1, 2]
//	y = Conv(x, mirrored w)
func decomposeConvTranspose(d *op.Decomposer) error {
	n := d.Node
	c, err := convTransposeOf(n)
	if err != nil {
		return err
	}
	rank := int64(len(c.In))
	spread, cut := false, false
	var pads [2][]int64
	var dilations []int64
	for i, w := range c.Windows {
		before := w.Span() - 1 - w.Before
		pads[0], pads[1] = append(pads[0], before), append(pads[1], c.Out[i]+w.Before-c.In[i])
		dilations = append(dilations, w.Dilation)
		spread, cut = spread || w.Stride > 1, cut || before < 0 || pads[1][i] < 0
	}
	inputs := slices.Clone(n.Inputs)
	switch weights := n.Inputs[1].Const; {
	case weights == nil || c.CO == 0 || spread && c.CO < fewChannels || cut && !spread:
		d.Output(d.Apply("wmtune.ConvTranspose", inputs, n.Attrs...))
	case spread:
		inputs[0] = d.Transpose(d.Input(0), slices.Concat([]int64{0}, array.UpTo(rank + 2)[2:], []int64{1}))
		inputs[1] = d.Const(permuted(weights.Tensor(), slices.Concat(array.UpTo(rank + 2)[2:], []int64{0, 1})))
		y := d.Apply("wmtune.ConvTranspose", inputs, append(slices.Clone(n.Attrs), graph.IntAttr("last", 1))...)
		d.Output(d.Transpose(y, slices.Concat([]int64{0, rank + 1}, array.UpTo(rank + 1)[1:])))
	default:
		inputs[1] = d.Const(c.mirrored(weights.Tensor()))
		d.Output(d.Apply("Conv", inputs, graph.IntAttr("group", c.Groups), graph.IntsAttr("dilations", dilations...),
			graph.IntsAttr("pads", append(pads[0], pads[1]...)...)))
	}
	return nil
}

// fewChannels is the number of output channels from which on they are in vectors.
const fewChannels = 8

// mirrored returns the weights of the convolution that c is without a stride: [co, ci of a group, spatial].
func (c *conv) mirrored(w *graph.Tensor) *graph.Tensor {
	r := graph.NewTensor(w.Type, append([]int64{c.CO, c.InGroup()}, c.Size()...)...)
	from, i := array.Strides(w.Shape), 0
	array.WalkIndex(r.Shape, func(at []int64) {
		co, ci := at[0], at[1]
		place := (co/c.OutGroup()*c.InGroup()+ci)*from[0] + co%c.OutGroup()*from[1]
		for d, win := range c.Windows {
			place += (win.Size - 1 - at[2+d]) * from[2+d]
		}
		r.F[i] = w.F[place]
		i++
	})
	return r
}
