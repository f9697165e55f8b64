package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A pool is a window that slides over each channel of an image.
type pool struct {
	batch   int64
	in      []int64
	c       int64
	windows []window
	layout  layout
}

func (p *params) pool(g *graph) pool {
	q := pool{batch: p.int("batch"), in: p.spatial(), c: p.int("c"), windows: p.windows(2), layout: p.layout()}
	for _, w := range q.windows {
		if w.pad >= w.size {
			g.refuse("a padding of %d with windows of %d: some windows would see no element; take a padding below %d", w.pad,
				w.size, w.size)
		}
	}
	return q
}

// buildMaxPool: maxpool2d takes the largest element of each window:
//
//	pad(n, i, j, q) = tir.if_then_else(..., x[n, (i - 1), (j - 1), q], -3.4e+38f)
//	pool(n, i, j, q) max= pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//
// It refuses a padding that is not smaller than the window.
func buildMaxPool(g *graph, p *params) result {
	g.types.result = g.store
	return g.maxPool(p.pool(g))
}

func (g *graph) maxPool(p pool) result {
	x := g.input("x", g.store, image(p.layout, p.batch, p.in, p.c)...)
	s, source := g.windowed("pool", p, x, g.lowest())
	return result{g.Max(s.name, s.axes, s.reduce, source), p.layout.channel(2)}
}

// lowest returns what pads a max pool: the lowest finite number of the type, but of float32 what the style says, which
// may be above some elements.
func (g *graph) lowest() float64 {
	if g.store == tir.F32 {
		return g.style.poolPad
	}
	switch e := compute.NewCombiner(compute.MaxOf, g.store).Identity[0].(type) {
	case *tir.FloatImm:
		return e.Value
	case *tir.IntImm:
		return float64(e.Value)
	}
	panic("BUG: op: identity is no constant")
}

// windowed begins the reduction of p and returns its source.
func (g *graph) windowed(key string, p pool, x compute.Tensor, fill float64) (*stage, tir.Expr) {
	c := conv{windows: p.windows, layout: p.layout}
	out := g.slide(p.in, p.windows)
	padded := g.pad("pool_pad", x, c.margins(), fill)
	s := g.imageStage(key, p.layout, []int64{p.batch, out[0], out[1], p.c}, []int64{p.windows[0].size, p.windows[1].size})
	at := canonical(p.layout, s.index())
	return s, g.read(padded, image(p.layout, at[0], slideIndex(p.windows, at[1:3], compute.Vars(s.reduce)), at[3])...)
}

// buildAvgPool: avgpool2d takes the mean of each window:
//
//	sum(n, i, j, q) += pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//	avg(n, i, j, q) = (sum[n, i, j, q]*0.111111f)
//
// The padding counts as zeros, unless count_pad=0: then each sum is divided by
// the number of elements of the image in its window. It refuses integers.
func buildAvgPool(g *graph, p *params) result {
	q := p.pool(g)
	g.needFloat("an average")
	x := g.input("x", g.store, image(q.layout, q.batch, q.in, q.c)...)
	s, source := g.windowed("pool_sum", q, x, 0)
	sum := g.sum(s, source, compute.Attrs{})
	a := g.imageStage("avg", q.layout, canonical(q.layout, sum.Shape), nil)
	scaled := mul(sum.At(a.index()...), g.constant(1/float64(q.windows[0].size*q.windows[1].size)))
	if padded := q.windows[0].pad+q.windows[1].pad > 0; padded && !p.flag("count_pad") {
		at := canonical(q.layout, a.index())
		count := mul(q.windows[0].inside(at[1], q.in[0]), q.windows[1].inside(at[2], q.in[1]))
		scaled = tir.Bin(tir.Div, sum.At(a.index()...), cast(g.arith, count))
	}
	return result{g.pointwise(a, scaled), q.layout.channel(2)}
}

// inside counts the elements of an image of n that the window at o covers.
func (w window) inside(o tir.Expr, n int64) tir.Expr {
	first := sub(times(o, w.stride), tir.Int(w.pad))
	end := tir.Bin(tir.Min, add(first, tir.Int(w.size)), tir.Int(n))
	return sub(end, tir.Bin(tir.Max, first, tir.Int(0)))
}

// buildGlobalAvgPool: global_avgpool2d takes the mean of each channel:
//
//	sum(n, i, j, q) += x[n, rv0, rv1, q]
//	avg(n, i, j, q) = (sum[n, i, j, q]*0.0204082f)
//
// It refuses integers.
func buildGlobalAvgPool(g *graph, p *params) result {
	g.needFloat("an average")
	s, channel := g.globalWindow("global_sum", p)
	sum := g.sum(s.stage, s.source, compute.Attrs{})
	a := g.imageStage("avg", p.layout(), canonical(p.layout(), sum.Shape), nil)
	area := float64(p.int("h") * p.int("w"))
	return result{g.pointwise(a, mul(sum.At(a.index()...), g.constant(1/area))), channel}
}

// buildGlobalMaxPool: global_maxpool2d takes the largest element of each channel:
//
//	pool(n, i, j, q) max= x[n, rv0, rv1, q]
func buildGlobalMaxPool(g *graph, p *params) result {
	g.types.result = g.store
	s, channel := g.globalWindow("global_pool", p)
	return result{g.Max(s.name, s.axes, s.reduce, s.source), channel}
}

// globalWindow begins a reduction over all of each channel.
func (g *graph) globalWindow(key string, p *params) (reduction, int) {
	l, in := p.layout(), p.spatial()
	x := g.input("x", g.store, image(l, p.int("batch"), in, p.int("c"))...)
	s := g.imageStage(key, l, []int64{p.int("batch"), 1, 1, p.int("c")}, in)
	at := canonical(l, s.index())
	return reduction{s, g.read(x, image(l, at[0], compute.Vars(s.reduce), at[3])...)}, l.channel(2)
}
