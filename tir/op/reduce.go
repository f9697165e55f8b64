package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A reduction is a stage with reduce axes, and its source.
type reduction struct {
	*stage
	source tir.Expr
}

// A reducer is Builder.Max or Builder.Min.
type reducer func(name string, axes, reduce []*compute.Axis, source tir.Expr) compute.Tensor

// matrix is an m×n input that is reduced along one axis, which stays with
// extent 1.
type matrix struct {
	compute.Tensor
	axis int64 // 1: each row becomes one element; 0: each column
}

func (p *params) matrix(g *graph) matrix {
	return matrix{g.input("x", g.store, p.int("batch")*p.int("m"), p.int("n")), p.int("axis")}
}

// begin begins the stage of a reduction of x.
func (x matrix) begin(g *graph, key string) *stage {
	extents := []int64{x.Shape[0], 1}
	if x.axis == 0 {
		extents = []int64{1, x.Shape[1]}
	}
	return g.stage(key, extents, []int64{x.length()})
}

func (x matrix) length() int64 { return x.Shape[x.axis] }

// along is the position that a reduction reads.
func (x matrix) along(s *stage) []tir.Expr {
	if x.axis == 0 {
		return []tir.Expr{s.r(0), s.at(1)}
	}
	return []tir.Expr{s.at(0), s.r(0)}
}

// buildSum: sum adds up each row (axis=1) or column (axis=0) of an m×n matrix:
//
//	sum(i, o) += x[i, r]
func buildSum(g *graph, p *params) result {
	x := p.matrix(g)
	s := x.begin(g, "sum")
	return result{g.sum(s, g.read(x.Tensor, x.along(s)...), compute.Attrs{}), 1}
}

// buildMax: max takes the largest element of each row or column:
//
//	max(i, o) max= x[i, r]
func buildMax(g *graph, p *params) result { return g.extreme("max", g.Max, p) }

// buildMin: min takes the smallest element of each row or column:
//
//	min(i, o) min= x[i, r]
func buildMin(g *graph, p *params) result { return g.extreme("min", g.Min, p) }

func (g *graph) extreme(key string, reduce reducer, p *params) result {
	g.types.result = g.store
	x := p.matrix(g)
	s := x.begin(g, key)
	return result{reduce(s.name, s.axes, s.reduce, g.read(x.Tensor, x.along(s)...)), 1}
}

// buildMean: mean divides the sum of each row or column by its length:
//
//	sum(i, o) += x[i, r]
//	mean(i, o) = (sum[i, o]*0.00130208f)
//
// It refuses integers.
func buildMean(g *graph, p *params) result {
	g.needFloat("a mean")
	x := p.matrix(g)
	s := x.begin(g, "sum")
	return g.scaled("mean", g.sum(s, g.read(x.Tensor, x.along(s)...), compute.Attrs{}), x.length())
}

// scaled divides sums by the number of summands.
func (g *graph) scaled(key string, sum compute.Tensor, n int64) result {
	s := g.stage(key, sum.Shape, nil)
	return result{g.pointwise(s, mul(sum.At(s.index()...), g.constant(1/float64(n)))), 1}
}

// buildVariance: variance is that of each row or column, given its mean as a second input:
//
//	sub(i, j) = (x[i, j] - mean[i, 0])
//	sq(i, j) = (sub[i, j]*sub[i, j])
//	sum(i, o) += sq[i, r]
//	var(i, o) = (sum[i, o]*0.00130208f)
//
// It refuses integers.
func buildVariance(g *graph, p *params) result {
	g.needFloat("a variance")
	x := p.matrix(g)
	means := []int64{x.Shape[0], x.Shape[1]}
	means[x.axis] = 1
	mean := g.input("mean", g.store, means...)
	s := g.stage("sub", x.Shape, nil)
	at := s.index()
	at[x.axis] = tir.Int(0)
	diff := g.pointwise(s, sub(g.read(x.Tensor, s.index()...), g.read(mean, at...)))
	s = g.stage("sq", x.Shape, nil)
	square := g.pointwise(s, mul(diff.At(s.index()...), diff.At(s.index()...)))
	s = x.begin(g, "sum")
	return g.scaled("var", g.sum(s, square.At(x.along(s)...), compute.Attrs{}), x.length())
}
