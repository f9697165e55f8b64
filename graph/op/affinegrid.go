package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// affineGridShape returns the shape of the grid of an AffineGrid for an image of a size.
func affineGridShape(n *graph.Node, size []int64) ([]int64, error) {
	theta := n.Inputs[0].Shape
	if len(size) != 4 && len(size) != 5 {
		return nil, fmt.Errorf("a size of %d dimensions: it must have 4 or 5", len(size))
	}
	rank := int64(len(size) - 2)
	if !slices.Equal(theta, []int64{size[0], rank, rank + 1}) {
		return nil, fmt.Errorf("matrices of shape %v for an image of size %v: it must be %v", theta, size,
			[]int64{size[0], rank, rank + 1})
	}
	return slices.Concat(size[:1], size[2:], []int64{rank}), nil
}

func inferAffineGrid(n *graph.Node) ([]Type, error) {
	if n.Inputs[1].Const == nil {
		return nil, &OpenError{Input: 1}
	}
	shape, err := affineGridShape(n, n.Inputs[1].Const.Tensor().I)
	return []Type{{DType: n.Inputs[0].Type, Shape: shape}}, err
}

// gridLine returns numbers so that position i of n is at i*step + first, from -1 to 1.
func gridLine(n *graph.Node, count int64) (step, first float64) {
	switch {
	case n.Int("align_corners", 0) == 0:
		step = 2 / float64(count)
		return step, -1 + step/2
	case count == 1:
		return 0, -1
	}
	return 2 / float64(count-1), -1
}

func evalAffineGrid(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	shape, err := affineGridShape(n, in[1].I)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, shape...)
	rank := int64(len(shape) - 2)
	i := 0
	walkIndex(shape, func(at []int64) {
		row := in[0].F[(at[0]*rank+at[rank+1])*(rank+1):]
		v := row[rank]
		for k := range rank { // column k is that of the last dimension but k
			step, first := gridLine(n, shape[rank-k])
			v += row[k] * (float64(at[rank-k])*step + first)
		}
		y.F[i] = v
		i++
	})
	return []*graph.Tensor{y}, nil
}

// affineGridValue is an element of the grid.
func affineGridValue(n *graph.Node, shape []int64, at []tir.Expr, theta func(at ...tir.Expr) tir.Expr) tir.Expr {
	rank := len(shape) - 2
	v := theta(at[0], at[rank+1], tir.Int(int64(rank)))
	for k := range rank {
		step, first := gridLine(n, shape[rank-k])
		p := Cast(at[rank-k], v.DType())
		v = add(v, mul(theta(at[0], at[rank+1], tir.Int(int64(k))), add(mul(p, num(p, step)), num(p, first))))
	}
	return v
}

func bodyAffineGrid(b *Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return affineGridValue(b.Node, b.Node.Outputs[0].Shape, at,
			func(at ...tir.Expr) tir.Expr { return b.Read(0, at...) })
	})
	return nil
}

// opaqueAffineGrid checks the size when it runs.
func opaqueAffineGrid(n *graph.Node) (*tir.Func, error) {
	theta, size, y, fault := parameter("theta", n.Inputs[0]), parameter("size", n.Inputs[1]),
		parameter("grid", n.Outputs[0]), errorFlag()
	rank := len(y.Shape) - 2
	if n.Inputs[1].Elems() != int64(rank+2) {
		return nil, fmt.Errorf("a size of %d dimensions for a grid of shape %v", n.Inputs[1].Elems(), y.Shape)
	}
	if _, err := affineGridShape(n, slices.Concat(y.Shape[:1], []int64{1}, y.Shape[1:rank+1])); err != nil {
		return nil, err
	}
	stmts := []tir.Stmt{clearFault(fault)}
	for d := range rank + 2 {
		want := y.Shape[max(0, d-1)]
		if d != 1 {
			stmts = append(stmts, &tir.If{Cond: ne(load(size, tir.Int(int64(d))), tir.Int(want)),
				Then: setFault(fault)})
		}
	}
	stmts = append(stmts, nest(y.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		v := affineGridValue(n, y.Shape, at, func(at ...tir.Expr) tir.Expr {
			return Cast(load(theta, at...),
				Register(theta.Type))
		})
		return store(y, Cast(v, y.Type), at...)
	}))
	return function("affine_grid", 2, seq(stmts...), theta, size, y, fault), nil
}
