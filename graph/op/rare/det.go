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

// opaqueEliminated eliminates a copy of each matrix in float64, with the largest element of a column as the pivot. An
// inverse takes the place of its matrix, column by column.
func opaqueEliminated(inverse bool) func(n *graph.Node) (*tir.Func, error) {
	return func(n *graph.Node) (*tir.Func, error) {
		in := n.Inputs[0].Shape
		size := in[len(in)-1]
		batch := graph.Elems(in[:len(in)-2])
		x := &tir.Buffer{Name: "x", Type: n.Inputs[0].Type, Shape: []int64{batch, size, size}}
		out := Flat("out", n.Outputs[0])
		if inverse {
			out.Shape = x.Shape
		}
		a := &tir.Buffer{Name: "a", Type: tir.F64, Shape: []int64{size, size}}
		share := a.Bytes() <= mostShared
		if share {
			a.Scope = tir.Local
		}
		e := &elimination{a: a, size: size, inverse: inverse, pivots: Scratch("pivots", tir.I64, size),
			cells: Scratch("cells", tir.F64, 2)}
		square := func(body func(at []tir.Expr) tir.Stmt) tir.Stmt {
			return Loop("i0", size, func(i tir.Expr) tir.Stmt {
				return Vectors("i1", size, func(j tir.Expr) tir.Stmt { return body([]tir.Expr{i, j}) })
			})
		}
		store := func(v tir.Expr, at ...tir.Expr) tir.Stmt {
			return Store(out, Cast(Cast(v, Register(out.Type)), out.Type), at...)
		}
		matrix := func(b tir.Expr) tir.Stmt {
			fill := square(func(at []tir.Expr) tir.Stmt {
				return Store(a, Cast(Cast(Load(x, b, at[0], at[1]), Register(x.Type)), tir.F64), at...)
			})
			end := store(Load(e.cells, Zero), b)
			if inverse {
				end = Seq(e.exchangeColumns(), square(func(at []tir.Expr) tir.Stmt {
					return store(Load(a, at...), b, at[0], at[1])
				}))
			}
			return Seq(Store(e.cells, tir.Float(tir.F64, 1), Zero), fill, Loop("k", size, e.column), end)
		}
		if share {
			return NewFunc(n.Op, 1, Nest([]int64{batch}, tir.Parallel, func(b []tir.Expr) tir.Stmt {
				return Allocs(matrix(b[0]), a, e.pivots, e.cells)
			}), x, out), nil
		}
		return NewFunc(n.Op, 1, Allocs(Loop("b", batch, matrix), a, e.pivots, e.cells), x, out), nil
	}
}

// mostShared is how many bytes a copy of a matrix may have of which each thread has one.
const mostShared = 512 << 10

// An elimination writes what eliminates a matrix, column by column.
type elimination struct {
	a       *tir.Buffer
	size    int64
	inverse bool
	pivots  *tir.Buffer // of each column, the row that was exchanged with that of its number
	cells   *tir.Buffer // the determinant, and a number to hold
}

// hold is where a number is held.
var hold = tir.Int(1)

// exchange exchanges a row or a column with another one: at is where their elements are.
func (e *elimination) exchange(x, y tir.Expr, at func(line, j tir.Expr) []tir.Expr) tir.Stmt {
	return Loop("j", e.size, func(j tir.Expr) tir.Stmt {
		return Seq(Store(e.cells, Load(e.a, at(x, j)...), hold), Store(e.a, Load(e.a, at(y, j)...), at(x, j)...),
			Store(e.a, Load(e.cells, hold), at(y, j)...))
	})
}

// column eliminates column k from the rows below row k, or for an inverse from all others. Then the column has what its
// elimination makes of the unit matrix's:
//
//	row k /= a[k, k], with 1 for a[k, k];  row i -= a[i, k] * row k, with 0 for a[i, k]
func (e *elimination) column(k tir.Expr) tir.Stmt {
	p, which := Within(Load(e.pivots, k), e.size), Gt
	if e.inverse {
		which = Ne
	}
	others := func(name string, cond func(x, y tir.Expr) tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
		return Loop(name, e.size, func(i tir.Expr) tir.Stmt { return &tir.If{Cond: cond(i, k), Then: body(i)} })
	}
	head := Load(e.a, k, k)
	divisor := Sel(Eq(head, Num(head, 0)), Num(head, 1), head)
	factor := Load(e.cells, hold)
	list := []tir.Stmt{Store(e.pivots, k, k),
		others("r", Gt, func(i tir.Expr) tir.Stmt {
			return &tir.If{Cond: Gt(Fn(tir.Abs, Load(e.a, i, k)), Fn(tir.Abs, Load(e.a, p, k))), Then: Store(e.pivots, i, k)}
		}),
		&tir.If{Cond: Ne(p, k), Then: Seq(Store(e.cells, Neg(Load(e.cells, Zero)), Zero),
			e.exchange(k, p, func(line, j tir.Expr) []tir.Expr { return []tir.Expr{line, j} }))},
		Store(e.cells, Mul(Load(e.cells, Zero), head), Zero)}
	if e.inverse {
		list = append(list, Store(e.cells, divisor, hold), Store(e.a, Real(1), k, k),
			Vectors("d", e.size, func(j tir.Expr) tir.Stmt { return Store(e.a, Quo(Load(e.a, k, j), factor), k, j) }))
	}
	list = append(list, others("i", which, func(i tir.Expr) tir.Stmt {
		f := Load(e.a, i, k)
		if !e.inverse {
			f = Quo(f, divisor)
		}
		row := []tir.Stmt{Store(e.cells, f, hold)}
		if e.inverse {
			row = append(row, Store(e.a, Real(0), i, k))
		}
		return Seq(append(row, Vectors("c", e.size, func(j tir.Expr) tir.Stmt {
			return Store(e.a, Sub(Load(e.a, i, j), Mul(factor, Load(e.a, k, j))), i, j)
		}))...)
	}))
	return Seq(list...)
}

// exchangeColumns undoes for the inverse what was done to rows of the matrix.
func (e *elimination) exchangeColumns() tir.Stmt {
	return Loop("k", e.size, func(i tir.Expr) tir.Stmt {
		k := Sub(tir.Int(e.size-1), i)
		p := Within(Load(e.pivots, k), e.size)
		return &tir.If{Cond: Ne(p, k), Then: e.exchange(k, p, func(line, j tir.Expr) []tir.Expr {
			return []tir.Expr{j, line}
		})}
	})
}
