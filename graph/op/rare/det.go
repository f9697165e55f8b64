package rare

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Determinants has what eliminates the matrices that are the last two dimensions: Det, and ONNX Runtime's Inverse.
var Determinants = []op.Row{
	{Op: "Det", Since: 11, In: "T:F", Infer: inferDet, Eval: evalDet, Opaque: &op.Function{Make: opaqueEliminated(false)}},
	{Op: "com.microsoft.Inverse", Since: 1, In: "T:F", Class: op.Opaque, Infer: inferInverse, Eval: evalInverse,
		Opaque: &op.Function{Make: opaqueEliminated(true)}},
}

func inferDet(n *graph.Node) ([]op.Type, error) {
	t, err := inferInverse(n)
	if err == nil {
		t[0].Shape = t[0].Shape[:len(t[0].Shape)-2]
	}
	return t, err
}

func inferInverse(n *graph.Node) ([]op.Type, error) {
	s := n.Inputs[0].Shape
	if rank := len(s); rank < 2 || s[rank-1] != s[rank-2] {
		return nil, fmt.Errorf("an operand of shape %v: its last two dimensions must be those of a square matrix", s)
	}
	return op.InferSame(n)
}

func evalDet(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	rank := len(x.Shape)
	n := int(x.Shape[rank-1])
	r := graph.NewTensor(x.Type, x.Shape[:rank-2]...)
	for i := range r.F {
		r.F[i] = det(append([]float64(nil), x.F[i*n*n:(i+1)*n*n]...), n, nil)
	}
	return []*graph.Tensor{r}, nil
}

func evalInverse(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	size := int(x.Shape[len(x.Shape)-1])
	y := graph.NewTensor(x.Type, x.Shape...)
	for at := 0; at < len(x.F); at += size * size {
		a, inverse := append([]float64(nil), x.F[at:at+size*size]...), y.F[at:at+size*size]
		for i := range size {
			inverse[i*size+i] = 1
		}
		if det(a, size, inverse) == 0 {
			return nil, fmt.Errorf("matrix %d has no inverse", at/(size*size))
		}
		for i := range inverse {
			inverse[i] /= a[i/size*(size+1)]
		}
	}
	return []*graph.Tensor{y}, nil
}

// det eliminates a matrix of n rows, which it changes. If there is a matrix beside it, it eliminates the rows above the
// diagonal as well, of both.
func det(a []float64, n int, beside []float64) float64 {
	d := 1.0
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[pivot*n+k]) {
				pivot = i
			}
		}
		if pivot != k {
			d = -d
		}
		for _, b := range [][]float64{a, beside} {
			for j := 0; b != nil && j < n; j++ {
				b[k*n+j], b[pivot*n+j] = b[pivot*n+j], b[k*n+j]
			}
		}
		d *= a[k*n+k]
		if a[k*n+k] == 0 {
			return 0
		}
		for i := range n {
			if i == k || i < k && beside == nil {
				continue
			}
			f := a[i*n+k] / a[k*n+k]
			for _, b := range [][]float64{a, beside} {
				for j := 0; b != nil && j < n; j++ {
					b[i*n+j] -= f * b[k*n+j]
				}
			}
		}
	}
	return d
}

// opaqueEliminated eliminates a copy of each matrix in float64, with the largest element of a column as the pivot. For
// an inverse, it has the unit matrix beside it, and leaves the diagonal, by which the rows are divided.
func opaqueEliminated(inverse bool) func(n *graph.Node) (*tir.Func, error) {
	return func(n *graph.Node) (*tir.Func, error) {
		in := n.Inputs[0].Shape
		size := in[len(in)-1]
		batch, columns := graph.Elems(in[:len(in)-2]), size
		x := &tir.Buffer{Name: "x", Type: n.Inputs[0].Type, Shape: []int64{batch, size, size}}
		out := Flat("out", n.Outputs[0])
		if inverse {
			columns, out.Shape = 2*size, x.Shape
		}
		a := &tir.Buffer{Name: "a", Type: tir.F64, Shape: []int64{size, columns}}
		share := a.Bytes() <= mostShared
		if share {
			a.Scope = tir.Local
		}
		pivot := &tir.Buffer{Name: "pivot", Type: tir.I64, Shape: []int64{1}, Scope: tir.Local}
		cells := &tir.Buffer{Name: "cells", Type: tir.F64, Shape: []int64{2}, Scope: tir.Local}
		square := func(body func(at []tir.Expr) tir.Stmt) tir.Stmt { return Nest([]int64{size, size}, tir.Serial, body) }
		store := func(v tir.Expr, at ...tir.Expr) tir.Stmt {
			return Store(out, Cast(Cast(v, Register(out.Type)), out.Type), at...)
		}
		matrix := func(b tir.Expr) tir.Stmt {
			fill := square(func(at []tir.Expr) tir.Stmt {
				return Store(a, Cast(Cast(Load(x, b, at[0], at[1]), Register(x.Type)), tir.F64), at...)
			})
			end := store(Load(cells, Zero), b)
			if inverse {
				fill = Seq(fill, square(func(at []tir.Expr) tir.Stmt {
					return Store(a, Sel(Eq(at[0], at[1]), Real(1), Real(0)), at[0], Plus(at[1], size))
				}))
				end = square(func(at []tir.Expr) tir.Stmt {
					return store(Quo(Load(a, at[0], Plus(at[1], size)), Load(a, at[0], at[0])), b, at[0], at[1])
				})
			}
			return Seq(Store(cells, tir.Float(tir.F64, 1), Zero), fill, Loop("k", size, func(k tir.Expr) tir.Stmt {
				return eliminate(a, pivot, cells, k, inverse)
			}), end)
		}
		if share {
			return NewFunc(n.Op, 1, Nest([]int64{batch}, tir.Parallel, func(b []tir.Expr) tir.Stmt {
				return Allocs(matrix(b[0]), a, pivot, cells)
			}), x, out), nil
		}
		return NewFunc(n.Op, 1, Allocs(Loop("b", batch, matrix), a, pivot, cells), x, out), nil
	}
}

// mostShared is how many bytes a copy of a matrix may have of which each thread has one.
const mostShared = 512 << 10

// eliminate eliminates column k of a matrix from the rows below it, or from all others. The first cell is multiplied by
// the pivot.
func eliminate(a, pivot, cells *tir.Buffer, k tir.Expr, all bool) tir.Stmt {
	size, columns := a.Shape[0], a.Shape[1]
	d, spare, zero := tir.Int(0), tir.Int(1), tir.Int(0)
	p := Load(pivot, zero)
	others := func(name string, cond func(x, y tir.Expr) tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
		return Loop(name, size, func(i tir.Expr) tir.Stmt { return &tir.If{Cond: cond(i, k), Then: body(i)} })
	}
	swap := Loop("j", columns, func(j tir.Expr) tir.Stmt {
		return Seq(Store(cells, Load(a, k, j), spare), Store(a, Load(a, p, j), k, j), Store(a, Load(cells, spare), p, j))
	})
	head, which := Load(a, k, k), Gt
	if all {
		which = Ne
	}
	rows := others("i", which, func(i tir.Expr) tir.Stmt {
		return Seq(Store(cells, Quo(Load(a, i, k), Sel(Eq(head, Num(head, 0)), Num(head, 1), head)), spare),
			Vectors("c", columns, func(j tir.Expr) tir.Stmt {
				return Store(a, Sub(Load(a, i, j), Mul(Load(cells, spare), Load(a, k, j))), i, j)
			}))
	})
	return Seq(Store(pivot, k, zero),
		others("r", Gt, func(i tir.Expr) tir.Stmt {
			return &tir.If{Cond: Gt(Fn(tir.Abs, Load(a, i, k)), Fn(tir.Abs, Load(a, p, k))), Then: Store(pivot, i, zero)}
		}),
		&tir.If{Cond: Ne(p, k), Then: Seq(Store(cells, Neg(Load(cells, d)), d), swap)},
		Store(cells, Mul(Load(cells, d), Load(a, k, k)), d), rows)
}
