package image

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
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

func inferAffineGrid(n *graph.Node) ([]op.Type, error) {
	if n.Inputs[1].Const == nil {
		return nil, &op.OpenError{Input: 1}
	}
	shape, err := affineGridShape(n, n.Inputs[1].Const.Tensor().I)
	return []op.Type{{DType: n.Inputs[0].Type, Shape: shape}}, err
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
	array.WalkIndex(shape, func(at []int64) {
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

func bodyAffineGrid(b *op.Body) error {
	shape := b.Node.Outputs[0].Shape
	rank := len(shape) - 2
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		theta := func(column int) tir.Expr { return b.Read(0, at[0], at[rank+1], tir.Int(int64(column))) }
		v := theta(rank)
		for k := range rank {
			step, first := gridLine(b.Node, shape[rank-k])
			p := Cast(at[rank-k], v.DType())
			v = Add(v, Mul(theta(k), Add(Mul(p, Num(p, step)), Num(p, first))))
		}
		return v
	})
	return nil
}

// opaqueAffineGrid makes, of each row of the grid,
//
//	base[l] = what the row, and the plane, add to each of the coordinates
//	out[j*16*rank + l] = base[l] + slope[l]*((j*16 + place[l])*step + first)
//
// in vectors of 16: l counts the coordinates of 16 points beside each other. A size that is known at run time only is
// claimed.
func opaqueAffineGrid(n *graph.Node) (*tir.Func, error) {
	if op.Open(1)(n) {
		return dag.Claim(claimAffineGrid).Function(n)
	}
	shape := n.Outputs[0].Shape
	rank := len(shape) - 2
	width, lanes := shape[rank], int64(gridPoints*rank)
	x, size := Parameter("theta", n.Inputs[0]), Flat("size", n.Inputs[1])
	out := Parameter("grid", n.Outputs[0])
	out.Shape = append(slices.Clone(shape[:rank]), width*int64(rank))
	t := Register(x.Type)
	base, slope, place := Scratch("base", t, lanes), Scratch("slope", t, lanes), Scratch("place", t, lanes)
	position := func(k int, at tir.Expr) tir.Expr { // along the last dimension but k
		step, first := gridLine(n, shape[rank-k])
		return Add(Mul(at, tir.Const(t, step)), tir.Const(t, first))
	}
	theta := func(b, row tir.Expr, column int) tir.Expr {
		return Cast(Load(x, b, row, tir.Int(int64(column))), t)
	}
	body := Nest(shape[:rank], tir.Parallel, func(at []tir.Expr) tir.Stmt {
		fill := Loop("point", gridPoints, func(p tir.Expr) tir.Stmt {
			return Loop("c", int64(rank), func(c tir.Expr) tir.Stmt {
				v := theta(at[0], c, rank)
				for k := 1; k < rank; k++ {
					v = Add(v, Mul(theta(at[0], c, k), position(k, Cast(at[rank-k], t))))
				}
				l := Add(Times(p, int64(rank)), c)
				return Seq(Store(base, v, l), Store(slope, theta(at[0], c, 0), l), Store(place, Cast(p, t), l))
			})
		})
		points := func(j tir.Expr, count int64) tir.Stmt {
			return Vectors("l", count*int64(rank), func(l tir.Expr) tir.Stmt {
				p := position(0, Add(Cast(Times(j, gridPoints), t), Load(place, l)))
				v := Add(Load(base, l), Mul(Load(slope, l), p))
				return Store(out, Cast(v, out.Type), append(slices.Clone(at), Add(Times(j, lanes), l))...)
			})
		}
		list := []tir.Stmt{fill}
		if whole := width / gridPoints; whole > 0 {
			list = append(list, Loop("j", whole, func(j tir.Expr) tir.Stmt { return points(j, gridPoints) }))
		}
		if rest := width % gridPoints; rest > 0 {
			list = append(list, points(tir.Int(width/gridPoints), rest))
		}
		return Allocs(Seq(list...), base, slope, place)
	})
	return NewFunc("affine_grid", 1, body, x, size, out), nil
}

// gridPoints is how many points of a grid are made at once.
const gridPoints = 16

// claimAffineGrid: the size of the image is that of the declared grid; the number of its channels may be any.
func claimAffineGrid(d *dag.Draft) []dag.Variant {
	y := dag.ShapeOut(d.Node)
	size := slices.Concat(y[:1], []int64{1}, y[1:len(y)-1])
	if _, err := affineGridShape(d.Node, size); err != nil || Elems(d.In[1]) != len(size) {
		return nil
	}
	return dag.Holding(slices.Delete(dag.Entries(d.In[1], size), 1, 2)...)
}
