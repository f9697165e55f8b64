package op

import (
	"slices"

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
func buildMatmul(g *Builder, p *params) result {
	if p.int("batch") > 1 {
		return g.batchMatmul("batch_matmul", p.int("batch"), p.int("m"), p.int("n"), p.int("k"), p.transposed())
	}
	attrs := fixed
	if g.store == tir.I8 {
		attrs = free // weights of a quantized layer
	}
	return g.matmul("matmul", "y", attrs, p.int("m"), p.int("n"), p.int("k"), p.transposed())
}

// free marks t, an input that the op reads, as a constant whose layout may be
// chosen ahead of time; fixed does not.
func free(t compute.Tensor) compute.Attrs { return compute.Attrs{LayoutFree: []*tir.Buffer{t.Buffer}} }

func fixed(compute.Tensor) compute.Attrs { return compute.Attrs{} }

// matmul builds the product under the style's key. The second operand has its
// own name and attributes.
func (g *Builder) matmul(key, second string, attrs func(compute.Tensor) compute.Attrs, m, n, k int64,
	t transposed,
) result {
	x := g.input("x", g.data(), swap(t.x, m, k)...)
	y := g.input(second, g.store, swap(t.y, k, n)...)
	p := &Product{M: m, N: n, K: k, X: x.Shape, Y: y.Shape, TransX: t.x, TransY: t.y}
	return result{g.Product(key, p, x, y, attrs(y)), 1}
}

func swap[T any](exchanged bool, a, b T) []T {
	if exchanged {
		return []T{b, a}
	}
	return []T{a, b}
}

// A Product is a product of stacks of matrices. A vector stands for a matrix of one row or column, whose dimension the
// result does not have.
type Product struct {
	Batch          []int64 // to which those of both operands broadcast
	M, N, K        int64
	Row, Col       bool    // of the first and the second operand, if it is a vector
	X, Y           []int64 // shapes of the operands, those of vectors as matrices
	TransX, TransY bool    // whether the last two dimensions stand the other way round
	Stacked        bool    // both operands have the extents of the batch
}

// Product adds a product of x and y:
//
//	matmul(i, j) += (x[i, k]*y[k, j])
func (g *Builder) Product(key string, p *Product, x, y compute.Tensor, attrs compute.Attrs) compute.Tensor {
	s := g.stage(key, slices.Concat(p.Batch, []int64{p.M, p.N}), []int64{p.K})
	n := len(p.Batch)
	batch, i, j := s.Axes[:n:n], s.at(n), s.at(n+1)
	if p.Col {
		s.Axes = s.Axes[:n+1]
	}
	if p.Row {
		s.Axes = append(batch, s.Axes[n+1:]...)
	}
	index := func(shape []int64, vector bool, last []tir.Expr) []tir.Expr {
		if vector {
			return []tir.Expr{s.r(0)}
		}
		stack := compute.Vars(batch[len(batch)+2-len(shape):])
		for d, n := range shape[:len(shape)-2] {
			if n == 1 && !p.Stacked {
				stack[d] = tir.Int(0)
			}
		}
		return append(stack, last...)
	}
	return g.SumOf(s, mul(g.read(x, index(p.X, p.Row, swap(p.TransX, i, s.r(0)))...),
		g.read(y, index(p.Y, p.Col, swap(p.TransY, s.r(0), j))...)), attrs)
}

// buildBatchMatmul: batchMatmul is b independent products:
//
//	batch_matmul(q, i, j) += (x[q, i, k]*y[q, k, j])
func buildBatchMatmul(g *Builder, p *params) result {
	return g.batchMatmul("batch_matmul", p.int("batch")*p.int("b"), p.int("m"), p.int("n"), p.int("k"), p.transposed())
}

func (g *Builder) batchMatmul(key string, b, m, n, k int64, t transposed) result {
	x := g.input("x", g.data(), append([]int64{b}, swap(t.x, m, k)...)...)
	y := g.input("y", g.store, append([]int64{b}, swap(t.y, k, n)...)...)
	p := &Product{Batch: []int64{b}, M: m, N: n, K: k, X: x.Shape, Y: y.Shape, TransX: t.x, TransY: t.y,
		Stacked: true}
	return result{g.Product(key, p, x, y, compute.Attrs{}), 2}
}

// buildDense: dense is a layer of weights: m rows of k features to n features, the constant
// weights stored one output a row:
//
//	dense(i, j) += (x[i, k]*w[j, k])
func buildDense(g *Builder, p *params) result {
	rows := p.int("batch") * p.int("m")
	return g.matmul("dense", "w", free, rows, p.int("n"), p.int("k"), transposed{y: true})
}
