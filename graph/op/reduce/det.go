package reduce

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Determinants has Det: of the matrices that are the last two dimensions.
var Determinants = []op.Row{
	{Op: "Det", Since: 11, In: "T:F", Infer: inferDet, Eval: evalDet, Opaque: &op.Function{Make: opaqueDet}},
}

func inferDet(n *graph.Node) ([]op.Type, error) {
	s := n.Inputs[0].Shape
	rank := len(s)
	if rank < 2 || s[rank-1] != s[rank-2] {
		return nil, fmt.Errorf("an operand of shape %v: its last two dimensions must be those of a square matrix", s)
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: s[:rank-2]}}, nil
}

func evalDet(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	rank := len(x.Shape)
	n := int(x.Shape[rank-1])
	r := graph.NewTensor(x.Type, x.Shape[:rank-2]...)
	for i := range r.F {
		r.F[i] = det(append([]float64(nil), x.F[i*n*n:(i+1)*n*n]...), n)
	}
	return []*graph.Tensor{r}, nil
}

// det eliminates a matrix of n rows, which it changes.
func det(a []float64, n int) float64 {
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
			for j := range n {
				a[k*n+j], a[pivot*n+j] = a[pivot*n+j], a[k*n+j]
			}
		}
		d *= a[k*n+k]
		if a[k*n+k] == 0 {
			return 0
		}
		for i := k + 1; i < n; i++ {
			f := a[i*n+k] / a[k*n+k]
			for j := k; j < n; j++ {
				a[i*n+j] -= f * a[k*n+j]
			}
		}
	}
	return d
}

// opaqueDet eliminates a copy of each matrix in float64, with the largest element of a column as the pivot.
func opaqueDet(n *graph.Node) (*tir.Func, error) {
	in := n.Inputs[0].Shape
	size := in[len(in)-1]
	batch := graph.Elems(in[:len(in)-2])
	x := &tir.Buffer{Name: "x", Type: n.Inputs[0].Type, Shape: []int64{batch, size, size}}
	out := Flat("out", n.Outputs[0])
	a := &tir.Buffer{Name: "a", Type: tir.F64, Shape: []int64{size, size}}
	pivot := &tir.Buffer{Name: "pivot", Type: tir.I64, Shape: []int64{1}, Scope: tir.Local}
	cells := &tir.Buffer{Name: "cells", Type: tir.F64, Shape: []int64{2}, Scope: tir.Local}
	d, spare, zero := tir.Int(0), tir.Int(1), tir.Int(0)
	p := Load(pivot, zero)
	eliminate := func(k tir.Expr) tir.Stmt {
		below := func(name string, body func(i tir.Expr) tir.Stmt) tir.Stmt {
			return Loop(name, size, func(i tir.Expr) tir.Stmt { return &tir.If{Cond: Gt(i, k), Then: body(i)} })
		}
		swap := Loop("j", size, func(j tir.Expr) tir.Stmt {
			return Seq(Store(cells, Load(a, k, j), spare), Store(a, Load(a, p, j), k, j), Store(a, Load(cells, spare), p, j))
		})
		head := Load(a, k, k)
		rows := below("i", func(i tir.Expr) tir.Stmt {
			return Seq(Store(cells, Quo(Load(a, i, k), Sel(Eq(head, Num(head, 0)), Num(head, 1), head)), spare),
				Loop("c", size, func(j tir.Expr) tir.Stmt {
					return Store(a, Sub(Load(a, i, j), Mul(Load(cells, spare), Load(a, k, j))), i, j)
				}))
		})
		return Seq(Store(pivot, k, zero),
			below("r", func(i tir.Expr) tir.Stmt {
				return &tir.If{Cond: Gt(Fn(tir.Abs, Load(a, i, k)), Fn(tir.Abs, Load(a, p, k))), Then: Store(pivot, i, zero)}
			}),
			&tir.If{Cond: Ne(p, k), Then: Seq(Store(cells, Neg(Load(cells, d)), d), swap)},
			Store(cells, Mul(Load(cells, d), Load(a, k, k)), d), rows)
	}
	body := Loop("b", batch, func(b tir.Expr) tir.Stmt {
		fill := Nest([]int64{size, size}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return Store(a, Cast(Cast(Load(x, b, at[0], at[1]), Register(x.Type)), tir.F64), at...)
		})
		return Seq(Store(cells, tir.Float(tir.F64, 1), d), fill, Loop("k", size, eliminate),
			Store(out, Cast(Cast(Load(cells, d), Register(out.Type)), out.Type), b))
	})
	return NewFunc(n.Op, 1, Alloc(a, Alloc(pivot, Alloc(cells, body))), x, out), nil
}
