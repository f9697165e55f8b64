package op

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/wmtune/wmtune/graph"
)

// evalMatMul is the reference of MatMul.
func evalMatMul(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	m, err := matmulOf(n)
	if err != nil {
		return nil, err
	}
	x, y, r := in[0], in[1], graph.NewTensor(in[0].Type, m.shape()...)
	finite := r.F != nil && allFinite(x.F) && allFinite(y.F)
	type pair struct{ x, y int64 }
	var pairs []pair
	scale := func(s []int64, by int64) []int64 { // strides of stacks, from those of numbers of matrices
		for d := range s {
			s[d] *= by
		}
		return s
	}
	walk(m.batch, func(_ int, at []int64) { pairs = append(pairs, pair{at[0], at[1]}) },
		scale(broadcastStrides(m.x[:len(m.x)-2], m.batch), m.m*m.k), scale(broadcastStrides(m.y[:len(m.y)-2], m.batch),
			m.k*m.n))
	one := func(i int) {
		p := matrices{m: m.m, n: m.n, k: m.k, transX: m.transX, transY: m.transY, finite: finite}
		if r.F != nil {
			p.floats(x.F[pairs[i].x:], y.F[pairs[i].y:], r.F[int64(i)*m.m*m.n:])
		} else {
			whole(p, x.I[pairs[i].x:], y.I[pairs[i].y:], r.I[int64(i)*m.m*m.n:])
		}
	}
	if len(pairs) == 1 { // a product is parallel by itself
		one(0)
	} else if err := parallel(call.Context, len(pairs), one); err != nil {
		return nil, err
	}
	wrapAll(r)
	return []*graph.Tensor{r}, nil
}

// wrapAll takes integers to the range of their type.
func wrapAll(t *graph.Tensor) {
	for i, v := range t.I {
		t.I[i] = Wrap(t.Type, v)
	}
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

// evalGemm is the reference of Gemm.
func evalGemm(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	g, err := gemmOf(n)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(in[0].Type, g.m, g.n)
	p := matrices{m: g.m, n: g.n, k: g.k, transX: g.transX, transY: g.transY}
	if r.F != nil {
		p.finite = allFinite(in[0].F) && allFinite(in[1].F)
		p.floats(in[0].F, in[1].F, r.F)
	} else {
		whole(p, in[0].I, in[1].I, r.I)
	}
	var c *graph.Tensor
	if len(in) > 2 {
		c = in[2]
	}
	addendStrides := []int64{0, 0}
	if c != nil {
		addendStrides = broadcastStrides(c.Shape, r.Shape)
	}
	walk(r.Shape, func(i int, at []int64) {
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
	wrapAll(r)
	return []*graph.Tensor{r}, nil
}
