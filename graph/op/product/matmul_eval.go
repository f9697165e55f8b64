package product

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// evalMatMul is the reference of MatMul.
var evalMatMul = op.EvalBy(matmulOf, (*matmul).eval)

func (m *matmul) eval(call *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, y := in[0], in[1]
	r := graph.NewTensor(x.Type, m.Output()...)
	finite := r.F != nil && array.AllFinite(x.F) && array.AllFinite(y.F)
	type pair struct{ x, y int64 }
	var pairs []pair
	scale := func(s []int64, by int64) []int64 { // strides of stacks, from those of numbers of matrices
		for d := range s {
			s[d] *= by
		}
		return s
	}
	array.Walk(m.Batch, func(_ int, at []int64) { pairs = append(pairs, pair{at[0], at[1]}) },
		scale(array.BroadcastStrides(m.X[:len(m.X)-2], m.Batch), m.M*m.K),
		scale(array.BroadcastStrides(m.Y[:len(m.Y)-2], m.Batch),
			m.K*m.N))
	one := func(i int) {
		p := matrices{m: m.M, n: m.N, k: m.K, transX: m.TransX, transY: m.TransY, finite: finite}
		if r.F != nil {
			p.floats(x.F[pairs[i].x:], y.F[pairs[i].y:], r.F[int64(i)*m.M*m.N:])
		} else {
			whole(p, x.I[pairs[i].x:], y.I[pairs[i].y:], r.I[int64(i)*m.M*m.N:])
		}
	}
	if len(pairs) == 1 { // a product is parallel by itself
		one(0)
	} else if err := array.Parallel(call.Context, len(pairs), one); err != nil {
		return nil, err
	}
	array.WrapAll(r)
	return []*graph.Tensor{r}, nil
}

// matrices are sizes of a product.
type matrices struct {
	m, n, k        int64
	transX, transY bool
	finite         bool
}

// floats computes r = x·y.
func (p matrices) floats(x, y, r []float64) {
	if !p.finite || p.m*p.n*p.k == 0 {
		whole(p, x, y, r)
		return
	}
	general := func(trans bool, rows, cols int64, data []float64) (blas.Transpose, blas64.General) {
		t := blas.NoTrans
		if trans {
			t, rows, cols = blas.Trans, cols, rows
		}
		return t, blas64.General{Rows: int(rows), Cols: int(cols), Stride: int(cols), Data: data[:rows*cols]}
	}
	tx, a := general(p.transX, p.m, p.k, x)
	ty, b := general(p.transY, p.k, p.n, y)
	_, c := general(false, p.m, p.n, r)
	blas64.Gemm(tx, ty, 1, a, b, 0, c)
}

// whole computes r = x·y number by number.
func whole[T float64 | int64](p matrices, x, y, r []T) {
	for i := range p.m {
		for j := range p.n {
			sum := T(0)
			for l := range p.k {
				xAt, yAt := i*p.k+l, l*p.n+j
				if p.transX {
					xAt = l*p.m + i
				}
				if p.transY {
					yAt = j*p.k + l
				}
				sum += x[xAt] * y[yAt]
			}
			r[i*p.n+j] = sum
		}
	}
}

// eval is the reference of Gemm.
func (g *gemm) eval(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	product, err := g.matmul.eval(call, n, in)
	if err != nil {
		return nil, err
	}
	r := product[0]
	var c *graph.Tensor
	if len(in) > 2 {
		c = in[2]
	}
	addendStrides := []int64{0, 0}
	if c != nil {
		addendStrides = array.BroadcastStrides(c.Shape, r.Shape)
	}
	array.Walk(r.Shape, func(i int, at []int64) {
		switch {
		case r.F != nil:
			r.F[i] *= g.alpha
			if c != nil && g.beta != 0 {
				r.F[i] += g.beta * c.F[at[0]]
			}
		default:
			r.I[i] *= int64(g.alpha)
			if c != nil {
				r.I[i] += int64(g.beta) * c.I[at[0]]
			}
		}
	}, addendStrides)
	array.WrapAll(r)
	return []*graph.Tensor{r}, nil
}
