package op

import "github.com/wmtune/wmtune/tir/compute"

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
