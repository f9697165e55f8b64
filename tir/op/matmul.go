package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// transposed says which operands of a matrix product are stored transposed.
type transposed struct{ x, y bool }

// buildMatmul: matmul is x·y of m rows, n columns and inner length k:
//
//	matmul(i, j) += (x[i, k]*y[k, j])
//
// with x[k, i] or y[j, k] where transposed.
func buildMatmul(g *graph, p *params) result {
	if p.int("batch") > 1 {
		return g.batchMatmul("batch_matmul", p.int("batch"), p.int("m"), p.int("n"), p.int("k"), p.transposed())
	}
	return g.matmul("matmul", "y", fixed, p.int("m"), p.int("n"), p.int("k"), p.transposed())
}

// free marks t, an input that the op reads, as a constant whose layout may be
// chosen ahead of time; fixed does not.
func free(t compute.Tensor) compute.Attrs { return compute.Attrs{LayoutFree: []*tir.Buffer{t.Buffer}} }

func fixed(compute.Tensor) compute.Attrs { return compute.Attrs{} }

// matmul builds the product under the style's key. The second operand has its
// own name and attributes.
func (g *graph) matmul(key, second string, attrs func(compute.Tensor) compute.Attrs, m, n, k int64,
	t transposed,
) result {
	x := g.input("x", g.store, swap(t.x, m, k)...)
	y := g.input(second, g.store, swap(t.y, k, n)...)
	s := g.stage(key, []int64{m, n}, []int64{k})
	body := mul(g.read(x, swap(t.x, s.at(0), s.r(0))...), g.read(y, swap(t.y, s.r(0), s.at(1))...))
	return result{g.sum(s, body, attrs(y)), 1}
}

func swap[T any](exchanged bool, a, b T) []T {
	if exchanged {
		return []T{b, a}
	}
	return []T{a, b}
}

// buildBatchMatmul: batchMatmul is b independent products:
//
//	batch_matmul(q, i, j) += (x[q, i, k]*y[q, k, j])
func buildBatchMatmul(g *graph, p *params) result {
	return g.batchMatmul("batch_matmul", p.int("batch")*p.int("b"), p.int("m"), p.int("n"), p.int("k"), p.transposed())
}

func (g *graph) batchMatmul(key string, b, m, n, k int64, t transposed) result {
	x := g.input("x", g.store, append([]int64{b}, swap(t.x, m, k)...)...)
	y := g.input("y", g.store, append([]int64{b}, swap(t.y, k, n)...)...)
	s := g.stage(key, []int64{b, m, n}, []int64{k})
	body := mul(
		g.read(x, append([]tir.Expr{s.at(0)}, swap(t.x, s.at(1), s.r(0))...)...),
		g.read(y, append([]tir.Expr{s.at(0)}, swap(t.y, s.r(0), s.at(2))...)...))
	return result{g.sum(s, body, compute.Attrs{}), 2}
}

// buildDense: dense is a layer of weights: m rows of k features to n features, the constant
// weights stored one output a row:
//
//	dense(i, j) += (x[i, k]*w[j, k])
func buildDense(g *graph, p *params) result {
	rows := p.int("batch") * p.int("m")
	return g.matmul("dense", "w", free, rows, p.int("n"), p.int("k"), transposed{y: true})
}
