package op

import (
	"slices"

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

// matrix refuses a batch of columns: the problems lie one below the other.
func (p *params) matrix(g *graph) matrix {
	if b := p.int("batch"); b > 1 && p.int("axis") == 0 {
		g.refuse("batch=%d with axis=0: a column would run through all %d problems; put them side by side, n=%d", b, b,
			b*p.int("n"))
	}
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

// layernormEpsilon is added to the variance, as in BERT.
const layernormEpsilon = 1e-5

// buildLayerNorm: layernorm shifts and scales each row of an m×n matrix to mean 0 and variance
// 1, and then each column by constants. The variance is taken about the mean,
// which costs a second pass and does not cancel:
//
//	sum(i) += x[i, k1]
//	mean(i) = (sum[i]*0.00130208f)
//	sqsum(i) += ((x[i, k2] - mean[i])*(x[i, k2] - mean[i]))
//	inv(i) = tir.rsqrt(((sqsum[i]*0.00130208f) + 1e-05f))
//	norm(i, j) = ((((x[i, j] - mean[i])*inv[i])*gamma[j]) + beta[j])
//
// It refuses integers.
func buildLayerNorm(g *graph, p *params) result {
	g.needFloat("layernorm")
	m, n := p.int("batch")*p.int("m"), p.int("n")
	part := g.constant(1 / float64(n))
	x := g.input("x", g.store, m, n)
	gamma, beta := g.input("gamma", g.store, n), g.input("beta", g.store, n)

	s := g.stage("row_sum", []int64{m}, []int64{n})
	sum := g.sum(s, g.read(x, s.at(0), s.r(0)), compute.Attrs{})
	s = g.stage("row_mean", []int64{m}, nil)
	mean := g.pointwise(s, mul(sum.At(s.at(0)), part))
	s = g.stage("row_sqsum", []int64{m}, []int64{n})
	diff := sub(g.read(x, s.at(0), s.r(0)), mean.At(s.at(0)))
	squares := g.sum(s, mul(diff, diff), compute.Attrs{})
	s = g.stage("row_inv", []int64{m}, nil)
	inv := g.pointwise(s, call(tir.Rsqrt, add(mul(squares.At(s.at(0)), part), g.constant(layernormEpsilon))))
	s = g.stage("norm", []int64{m, n}, nil)
	i, j := s.at(0), s.at(1)
	norm := mul(sub(g.read(x, i, j), mean.At(i)), inv.At(i))
	return result{g.pointwise(s, add(mul(norm, g.read(gamma, j)), g.read(beta, j))), 1}
}
