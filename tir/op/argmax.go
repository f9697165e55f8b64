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

// largestPlace folds pairs of a place and a value of type t. The order of the
// folding does not matter: equals are told apart by their places.
func largestPlace(t tir.DType) *compute.Combiner {
	pair := func(name string) (*tir.Var, *tir.Var) {
		return tir.NewVar(name + "_place"), &tir.Var{Name: name + "_value", Type: t}
	}
	xp, xv := pair("x")
	yp, yv := pair("y")
	first := tir.Bin(tir.Or, tir.Bin(tir.GT, xv, yv), tir.Bin(tir.And, tir.Bin(tir.EQ, xv, yv), tir.Bin(tir.LT, xp, yp)))
	return &compute.Combiner{
		Kind: compute.FirstLargest,
		Acc:  []*tir.Var{xp, xv}, Src: []*tir.Var{yp, yv},
		Result: []tir.Expr{
			&tir.Select{Cond: first, Then: xp, Else: yp},
			&tir.Select{Cond: first, Then: xv, Else: yv},
		},
		Identity: []tir.Expr{tir.Int(math.MaxInt64), compute.NewCombiner(compute.MaxOf, t).Identity[0]},
	}
}
