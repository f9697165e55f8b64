package op

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// buildSoftmax: softmax is exp(x)/sum(exp(x)) over each row of an m×n matrix, shifted by the
// row's largest element so that nothing overflows:
//
//	maxelem(i) max= x[i, k1]
//	exp(i, j) = tir.exp((x[i, j] - maxelem[i]))
//	expsum(i) += exp[i, k2]
//	norm(i, j) = (exp[i, j]/expsum[i])
//
// It refuses integers.
func buildSoftmax(g *graph, p *params) result {
	return g.softmax(p.int("batch")*p.int("m"), p.int("n"))
}

// softmax works over the last of any number of dimensions.
func (g *graph) softmax(shape ...int64) result {
	g.needFloat("softmax")
	last := len(shape) - 1
	x := g.input("x", g.store, shape...)
	row := func(s *stage) []tir.Expr { return append(s.index()[:last:last], s.r(0)) }

	s := g.stage("maxelem", shape[:last], shape[last:])
	largest := g.Max(s.name, s.axes, s.reduce, g.read(x, row(s)...))
	s = g.stage("exp", shape, nil)
	shifted := sub(g.read(x, s.index()...), largest.At(s.index()[:last]...))
	exp := g.pointwise(s, call(tir.Exp, shifted))
	s = g.stage("expsum", slices.Clone(shape[:last]), shape[last:])
	sum := g.sum(s, exp.At(row(s)...), compute.Attrs{})
	s = g.stage("norm", shape, nil)
	return result{g.pointwise(s, tir.Bin(tir.Div, exp.At(s.index()...), sum.At(s.index()[:last]...))), last}
}
