package op

import "github.com/wmtune/wmtune/tir"

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
