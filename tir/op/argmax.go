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
func buildArgmax(g *Builder, p *params) result {
	x, s := p.matrix(g)
	pair := g.FoldAll("argmax", s, FirstLargest(g.arith), func(at []tir.Expr) []tir.Expr {
		return []tir.Expr{s.Place(at), g.read(x, at...)}
	})
	g.types = typesOf(tir.I64) // epilogues see places
	st := g.stage("index", pair[0].Shape, nil)
	return result{g.Pointwise(st, pair[0].At(st.index()...)), 1}
}

// FirstLargest folds pairs of a place and a value of type t: the order of folding does not matter.
func FirstLargest(t tir.DType) *compute.Combiner {
	pair := func(name string) []*tir.Var {
		return []*tir.Var{tir.NewVar(name + "_place"), {Name: name + "_value", Type: t}}
	}
	c := compute.NewFirstLargest(pair("x"), pair("y"))
	c.Identity = []tir.Expr{tir.Int(math.MaxInt64), compute.NewCombiner(compute.MaxOf, t).Identity[0]}
	return c
}
