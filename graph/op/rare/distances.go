package rare

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Distances has the squares of the distances of all rows of one matrix and all of another, or their roots.
var Distances = []op.Row{
	{Op: "wmtune.Distances", In: "T:F T:F", Class: op.Opaque, Infer: inferDistances, Eval: evalDistances,
		Opaque: &op.Function{Make: opaqueDistances}},
}

func inferDistances(n *graph.Node) ([]op.Type, error) {
	a, b := n.Inputs[0], n.Inputs[1]
	if len(a.Shape) != 2 || len(b.Shape) != 2 || a.Shape[1] != b.Shape[1] {
		return nil, fmt.Errorf("operands %s and %s: both must be matrices with rows of one length", a, b)
	}
	return []op.Type{{DType: a.Type, Shape: []int64{a.Shape[0], b.Shape[0]}}}, nil
}

func evalDistances(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	a, b := in[0], in[1]
	size := int(a.Shape[1])
	y := graph.NewTensor(a.Type, a.Shape[0], b.Shape[0])
	for i := range y.F {
		p, q := a.F[i/int(b.Shape[0])*size:][:size], b.F[i%int(b.Shape[0])*size:][:size]
		for k := range p {
			y.F[i] += (p[k] - q[k]) * (p[k] - q[k])
		}
		if n.Int("root", 0) != 0 {
			y.F[i] = math.Sqrt(y.F[i])
		}
	}
	return []*graph.Tensor{y}, nil
}

// Sizes of tiles of distances: rows of the first matrix, and of the second.
const (
	distanceRows    = 6
	distanceColumns = 32
)

// opaqueDistances writes the second matrix by panels of 32 rows, turned, and then makes tiles of 6 by 32 distances in
// registers:
//
//	panels[j/32, k, j%32] = b[j, k]
//	sum[r, l] += (a[r, k] - panels[p, k, l])^2
func opaqueDistances(n *graph.Node) (*tir.Func, error) {
	a, b, y := Parameter("a", n.Inputs[0]), Parameter("b", n.Inputs[1]), Parameter("y", n.Outputs[0])
	rows, columns, length := a.Shape[0], b.Shape[0], a.Shape[1]
	t := Register(a.Type)
	count := (columns + distanceColumns - 1) / distanceColumns
	panels := &tir.Buffer{Name: "panels", Type: t, Shape: []int64{count, max(length, 1), distanceColumns}}
	turn := Nest([]int64{count}, tir.Parallel, func(p []tir.Expr) tir.Stmt {
		return Loop("l", distanceColumns, func(l tir.Expr) tir.Stmt {
			j := MinOf(Add(Times(p[0], distanceColumns), l), tir.Int(columns-1))
			return Loop("k", length, func(k tir.Expr) tir.Stmt {
				return Store(panels, Cast(Load(b, j, k), t), p[0], k, l)
			})
		})
	})
	tile := func(row, p tir.Expr, height, width int64) tir.Stmt {
		sum := Scratch("sum", t, height, distanceColumns)
		each := func(name string, width int64, body func(r, l tir.Expr) tir.Stmt) tir.Stmt {
			v := tir.NewVar(name)
			return &tir.For{Var: v, Extent: tir.Int(height), Kind: tir.Unrolled,
				Body: Vector(name+"_l", width, func(l tir.Expr) tir.Stmt { return body(v, l) })}
		}
		return Alloc(sum, Seq(
			each("clear", distanceColumns, func(r, l tir.Expr) tir.Stmt { return Store(sum, tir.Const(t, 0), r, l) }),
			Loop("k", length, func(k tir.Expr) tir.Stmt {
				return each("r", distanceColumns, func(r, l tir.Expr) tir.Stmt {
					d := Sub(Cast(Load(a, Add(row, r), k), t), Load(panels, p, k, l))
					return Store(sum, Add(Load(sum, r, l), Mul(d, d)), r, l)
				})
			}),
			each("give", width, func(r, l tir.Expr) tir.Stmt {
				v := Load(sum, r, l)
				if n.Int("root", 0) != 0 {
					v = Fn(tir.Sqrt, v)
				}
				return Store(y, Cast(v, y.Type), Add(row, r), Add(Times(p, distanceColumns), l))
			})))
	}
	line := func(row tir.Expr, height int64) tir.Stmt {
		list := []tir.Stmt{Loop("p", columns/distanceColumns, func(p tir.Expr) tir.Stmt {
			return tile(row, p, height, distanceColumns)
		})}
		if rest := columns % distanceColumns; rest > 0 {
			list = append(list, tile(row, tir.Int(count-1), height, rest))
		}
		return Seq(list...)
	}
	list := []tir.Stmt{turn}
	if whole := rows / distanceRows; whole > 0 {
		list = append(list, Nest([]int64{whole}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			return line(Times(at[0], distanceRows), distanceRows)
		}))
	}
	if rest := rows % distanceRows; rest > 0 {
		list = append(list, line(tir.Int(rows-rest), rest))
	}
	return NewFunc("distances", 1, Alloc(panels, Seq(list...)), a, b, y), nil
}
