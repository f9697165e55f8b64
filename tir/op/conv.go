package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
)

// A conv is a convolution in one to three dimensions.
type conv struct {
	batch   int64
	in      []int64 // spatial
	ci, co  int64
	windows []window // per spatial dimension
	groups  int64
	layout  layout
}

// buildConv: conv is a convolution with constant weights, HWIO for channels last and OIHW
// for channels first:
//
//	pad(i0, i1, i2, i3) = tir.if_then_else(..., data[i0, (i1 - 1), (i2 - 1), i3], 0f)
//	conv2d(n, i, j, c) += (pad[n, ((i*2) + rh), ((j*2) + rw), rc]*kernel[rh, rw, rc, c])
//
// It refuses channels that the groups do not divide, and windows larger than
// the padded image.
func buildConv(g *graph, p *params) result {
	in := p.spatial()
	c := conv{
		batch: p.int("batch"), in: in, ci: p.int("ci"), co: p.int("co"),
		windows: p.windows(len(in)), groups: p.int("groups"), layout: p.layout(),
	}
	return g.conv(fmt.Sprintf("conv%dd", len(in)), c)
}

func (g *graph) conv(key string, c conv) result {
	if c.ci%c.groups != 0 || c.co%c.groups != 0 {
		g.refuse("%d groups do not divide %d input and %d output channels: both must be multiples", c.groups, c.ci, c.co)
		c.groups = 1
	}
	out := g.slide(c.in, c.windows)
	data := g.input("data", g.store, image(c.layout, c.batch, c.in, c.ci)...)
	padded := g.pad("pad", data, c.margins(), 0)
	var size []int64
	for _, w := range c.windows {
		size = append(size, w.size)
	}
	inGroup, outGroup := c.ci/c.groups, c.co/c.groups
	kernel := g.input("kernel", g.store, kernelOrder(c.layout, size, inGroup, c.co)...)

	n := len(c.in)
	s := g.imageStage(key, c.layout, append(append([]int64{c.batch}, out...), c.co), append(slices.Clone(size), inGroup))
	at := canonical(c.layout, s.index())
	r := canonicalReduce(c.layout, compute.Vars(s.reduce))
	channel := r[n]
	if c.groups > 1 {
		channel = add(times(floordiv(at[n+1], outGroup), inGroup), r[n])
	}
	read := g.read(padded, image(c.layout, at[0], slideIndex(c.windows, at[1:n+1], r), channel)...)
	body := mul(read, g.read(kernel, kernelOrder(c.layout, r[:n], r[n], at[n+1])...))
	return result{g.sum(s, body, free(kernel)), c.layout.channel(n)}
}

// margins are those of the image's dimensions.
func (c conv) margins() []margin {
	spatial := make([]margin, len(c.windows))
	for i, w := range c.windows {
		spatial[i] = margin{w.pad, w.pad}
	}
	return image(c.layout, margin{}, spatial, margin{})
}

// kernelOrder orders the dimensions of weights: spatial, in, out or out, in,
// spatial.
func kernelOrder[T any](l layout, spatial []T, in, out T) []T {
	if l == channelsFirst {
		return append([]T{out, in}, spatial...)
	}
	return append(slices.Clone(spatial), in, out)
}
