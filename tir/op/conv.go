package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
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

// buildDepthwise: depthwise convolves each channel with its own constant weights, HWC1 for
// channels last and C1HW for channels first:
//
//	depthwise(n, i, j, q) += (pad[n, (i + rh), (j + rw), q]*kernel[rh, rw, q, 0])
func buildDepthwise(g *graph, p *params) result {
	return g.depthwise(conv{
		batch: p.int("batch"), in: p.spatial(), ci: p.int("c"), windows: p.windows(2), layout: p.layout(),
	})
}

// depthwise uses ci of c for all channels.
func (g *graph) depthwise(c conv) result {
	out := g.slide(c.in, c.windows)
	data := g.input("data", g.store, image(c.layout, c.batch, c.in, c.ci)...)
	padded := g.pad("depthwise_pad", data, c.margins(), 0)
	size := []int64{c.windows[0].size, c.windows[1].size}
	kernel := g.input("kernel", g.store, channelKernel(c.layout, size, c.ci, 1)...)
	s := g.imageStage("depthwise", c.layout, []int64{c.batch, out[0], out[1], c.ci}, size)
	at := canonical(c.layout, s.index())
	r := []tir.Expr{s.r(0), s.r(1)}
	body := mul(
		g.read(padded, image(c.layout, at[0], slideIndex(c.windows, at[1:3], r), at[3])...),
		g.read(kernel, channelKernel(c.layout, r, at[3], tir.Expr(tir.Int(0)))...))
	return result{g.sum(s, body, free(kernel)), c.layout.channel(2)}
}

func channelKernel[T any](l layout, spatial []T, channel, one T) []T {
	if l == channelsFirst {
		return []T{channel, one, spatial[0], spatial[1]}
	}
	return []T{spatial[0], spatial[1], channel, one}
}

// buildConvTranspose: conv2d_transpose is the gradient of a convolution: it spreads each element of
// the image by the constant weights, HWIO for channels last and IOHW for
// channels first. The image is dilated by the stride and then convolved with
// the mirrored weights:
//
//	dilate(i0, i1, i2, i3) = tir.if_then_else(..., data[i0, floordiv((i1 - 1), 2), ...], 0f)
//	conv2d_transpose(n, i, j, c) += (dilate[n, (i + rh), (j + rw), rc]*kernel[(2 - rh), (2 - rw), rc, c])
//
// An output has (h-1)*s - 2*p + k + out_pad rows. It refuses p >= k, out_pad >= s
// and dilated windows.
func buildConvTranspose(g *graph, p *params) result {
	l, in, ws := p.layout(), p.spatial(), p.windows(2)
	extra := p.int("out_pad")
	out, margins := make([]int64, 2), make([]margin, 2)
	for d, w := range ws {
		if w.pad >= w.size {
			g.refuse("a padding of %d with a kernel of %d: a transposed convolution cuts off the padding, "+
				"which must be below the kernel's size", w.pad, w.size)
		}
		if extra >= w.stride {
			g.refuse("out_pad=%d with a stride of %d: it must be below the stride", extra, w.stride)
		}
		out[d] = (in[d]-1)*w.stride - 2*w.pad + w.size + extra
		margins[d] = margin{w.size - 1 - w.pad, w.size - 1 - w.pad + extra}
	}
	b, ci, co := p.int("batch"), p.int("ci"), p.int("co")
	data := g.input("data", g.store, image(l, b, in, ci)...)
	spread := g.dilate(l, data, ws, margins)
	kernel := g.input("kernel", g.store, transposeKernel(l, []int64{ws[0].size, ws[1].size}, ci, co)...)
	s := g.imageStage("conv2d_transpose", l, []int64{b, out[0], out[1], co}, []int64{ws[0].size, ws[1].size, ci})
	at, r := canonical(l, s.index()), canonicalReduce(l, compute.Vars(s.reduce))
	mirrored := []tir.Expr{sub(tir.Int(ws[0].size-1), r[0]), sub(tir.Int(ws[1].size-1), r[1])}
	body := mul(
		g.read(spread, image(l, at[0], []tir.Expr{add(at[1], r[0]), add(at[2], r[1])}, r[2])...),
		g.read(kernel, transposeKernel(l, mirrored, r[2], at[3])...))
	return result{g.sum(s, body, free(kernel)), l.channel(2)}
}

func transposeKernel[T any](l layout, spatial []T, in, out T) []T {
	if l == channelsFirst {
		return []T{in, out, spatial[0], spatial[1]}
	}
	return []T{spatial[0], spatial[1], in, out}
}

// dilate puts stride-1 zeros between the elements of an image, and margins
// around them.
func (g *graph) dilate(l layout, x compute.Tensor, ws []window, margins []margin) compute.Tensor {
	if ws[0].stride == 1 && ws[1].stride == 1 {
		return g.pad("pad", x, image(l, margin{}, margins, margin{}), 0)
	}
	in := canonical(l, x.Shape)
	shape := []int64{in[0], 0, 0, in[3]}
	for d, w := range ws {
		shape[d+1] = (in[d+1]-1)*w.stride + 1 + margins[d].before + margins[d].after
	}
	s := g.stage("dilate", image(l, shape[0], shape[1:3], shape[3]), nil)
	at := canonical(l, s.index())
	var inside []tir.Expr
	place := make([]tir.Expr, 2)
	for d, w := range ws {
		lo, n := margins[d].before, (in[d+1]-1)*w.stride+1
		from := at[d+1]
		if lo > 0 {
			inside = append(inside, tir.Bin(tir.GE, from, tir.Int(lo)))
			from = sub(from, tir.Int(lo))
		}
		inside = append(inside, tir.Bin(tir.LT, at[d+1], tir.Int(lo+n)))
		if w.stride > 1 {
			inside = append(inside, tir.Bin(tir.EQ, floormod(from, w.stride), tir.Int(0)))
			from = floordiv(from, w.stride)
		}
		place[d] = from
	}
	read := x.At(image(l, at[0], place, at[3])...)
	return g.pointwise(s, tir.IfThenElse(tir.AllOf(inside...), read, constant(x.Type, 0)))
}
