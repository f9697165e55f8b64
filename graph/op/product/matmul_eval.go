package product

import (
	"context"
	"errors"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/nn/kernel"
)

// evalMatMul is the reference of MatMul.
var evalMatMul = op.EvalBy(matmulOf, (*matmul).eval)

func (m *matmul) eval(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, y := in[0], in[1]
	r := graph.NewTensor(op.SumType(n), m.Output()...)
	xf, yf, rf := x.F, y.F, r.F
	if r.F == nil {
		if xf, yf = array.ExactFloats(x.I, y.I, m.K); xf != nil {
			rf = make([]float64, len(r.I))
			defer array.GiveBack(xf, yf)
		}
	}
	finite := rf != nil && array.AllFinite(xf) && array.AllFinite(yf)
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
	p := matrices{m: m.M, n: m.N, k: m.K, transX: m.TransX, transY: m.TransY, finite: finite}
	failed := make([]error, len(pairs))
	one := func(i int) {
		if at, to := pairs[i], int64(i)*m.M*m.N; rf != nil {
			failed[i] = p.floats(call.Context, xf[at.x:], yf[at.y:], rf[to:])
		} else {
			failed[i] = whole(call.Context, p, x.I[at.x:], y.I[at.y:], r.I[to:])
		}
	}
	if len(pairs) == 1 { // a product is parallel by itself
		one(0)
	} else if err := array.Parallel(call.Context, len(pairs), one); err != nil {
		return nil, err
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	if r.F == nil && rf != nil {
		for i, v := range rf {
			r.I[i] = int64(v)
		}
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
func (p matrices) floats(ctx context.Context, x, y, r []float64) error {
	if !p.finite || p.m*p.n*p.k == 0 {
		return whole(ctx, p, x, y, r)
	}
	a, b := kernel.M(x[:p.m*p.k], int(p.k)), kernel.M(y[:p.k*p.n], int(p.n))
	if p.transX {
		a = kernel.M(a.Data, int(p.m)).T()
	}
	if p.transY {
		b = kernel.M(b.Data, int(p.k)).T()
	}
	parts, part := kernel.Doubles(r[:p.m*p.n], a, b)
	return array.Parallel(ctx, parts, part)
}

// whole computes r = x·y number by number, a row on each goroutine. Each sum is in the order of the terms.
func whole[T float64 | int64](ctx context.Context, p matrices, x, y, r []T) error {
	return array.Parallel(ctx, int(p.m), func(row int) {
		i := int64(row)
		to := r[i*p.n : (i+1)*p.n]
		for l := range p.k {
			xAt := i*p.k + l
			if p.transX {
				xAt = l*p.m + i
			}
			v := x[xAt]
			if p.transY {
				for j := range to {
					to[j] += v * y[int64(j)*p.k+l]
				}
				continue
			}
			for j, w := range y[l*p.n : (l+1)*p.n] {
				to[j] += v * w
			}
		}
	})
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
