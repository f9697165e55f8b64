package op

import (
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// buildArgmax: argmax is the place of the largest element of each row or column, the first
// of equals, as int64:
//
//	argmax(i, o) = tuple reduction of (r, x[i, r])
//	index(i, o) = argmax.v0[i, o]
//
// A NaN is larger than any number, as for numpy.
func buildArgmax(g *graph, p *params) result {
	x := p.matrix(g)
	s := x.begin(g, "argmax")
	value := g.read(x.Tensor, x.along(s)...)
	pair := g.Reduce(s.name, s.axes, s.reduce, largestPlace(g.arith), []tir.Expr{s.r(0), value}, compute.Attrs{})
	g.types = typesOf(tir.I64) // epilogues see places
	s = g.stage("index", pair[0].Shape, nil)
	return result{g.pointwise(s, pair[0].At(s.index()...)), 1}
}

// largestPlace folds pairs of a place and a value of type t.
func largestPlace(t tir.DType) *compute.Combiner {
	pair := func(name string) []*tir.Var {
		return []*tir.Var{tir.NewVar(name + "_place"), {Name: name + "_value", Type: t}}
	}
	c := compute.NewFirstLargest(pair("x"), pair("y"))
	c.Identity = []tir.Expr{tir.Int(math.MaxInt64), compute.NewCombiner(compute.MaxOf, t).Identity[0]}
	return c
}
