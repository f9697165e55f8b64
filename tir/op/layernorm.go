package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

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
