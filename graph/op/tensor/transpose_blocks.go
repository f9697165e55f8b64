package tensor

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// blockSide is how many rows and columns of an operand a Transpose moves together: a vector of each.
const blockSide = 16

// transposesBlocks reports whether the last dimension of a Transpose becomes another one, and both have vectors of
// elements that the emitter can transpose in registers.
func transposesBlocks(n *graph.Node) bool {
	x := n.Inputs[0]
	perm, err := permutation(n, len(x.Shape))
	if err != nil || x.Type.Bytes() < 4 {
		return false
	}
	dims, order := joinedDims(x.Shape, perm)
	last := len(dims) - 1
	return last > 0 && order[last] != last && dims[last] >= 4 && dims[order[last]] >= 4
}

// joinedDims returns the dimensions of a tensor and their new order, without those of extent 1, and with neighbours
// that stay neighbours as one.
func joinedDims(shape []int64, perm []int) (dims []int64, order []int) {
	var runs [][2]int // first and last dimension of what stays together, in the new order
	for _, p := range perm {
		if shape[p] == 1 {
			continue
		}
		between := func(from int) bool { return graph.Elems(shape[from+1:p]) == 1 }
		if k := len(runs) - 1; k >= 0 && runs[k][1] < p && between(runs[k][1]) {
			runs[k][1] = p
		} else {
			runs = append(runs, [2]int{p, p})
		}
	}
	sorted := slices.Clone(runs)
	slices.SortFunc(sorted, func(a, b [2]int) int { return a[0] - b[0] })
	for _, r := range sorted {
		dims = append(dims, graph.Elems(shape[r[0]:r[1]+1]))
	}
	for _, r := range runs {
		order = append(order, slices.Index(sorted, r))
	}
	return dims, order
}

// transposeBlocks moves blocks of 16 x 16 elements: both sides have lines of 64 bytes.
//
//	for column in 16: out[.., column, rows] = x[.., rows, column]    16 rows as the lanes of a vector
//
// The emitter reads a block of rows once, and transposes it in registers (codegen/llvm/transpose.go).
func transposeBlocks(n *graph.Node) (*tir.Func, error) {
	perm, err := permutation(n, len(n.Inputs[0].Shape))
	if err != nil {
		return nil, err
	}
	dims, order := joinedDims(n.Inputs[0].Shape, perm)
	b := blockMove{dims: dims, order: order, last: len(dims) - 1, t: n.Inputs[0].Type}
	b.row = order[b.last]
	b.x = &tir.Buffer{Name: "x", Type: b.t, Shape: dims}
	b.out = &tir.Buffer{Name: "out", Type: b.t}
	for _, d := range order {
		b.out.Shape = append(b.out.Shape, dims[d])
	}
	for d := range dims {
		if d != b.row && d != b.last {
			b.outer = append(b.outer, d)
		}
	}
	var list []tir.Stmt
	if whole := dims[b.last] / blockSide; whole > 0 {
		list = append(list, b.columns(whole, 0, blockSide))
	}
	if rest := dims[b.last] % blockSide; rest > 0 {
		list = append(list, b.columns(1, dims[b.last]-rest, rest))
	}
	return NewFunc("transpose", 1, Seq(list...), b.x, b.out), nil
}

// A blockMove is a Transpose by blocks in the making.
type blockMove struct {
	t         tir.DType
	dims      []int64 // of x
	order     []int   // the dimension of x that each dimension of the result is
	outer     []int   // dimensions of x beside the two that blocks have
	row, last int     // dimensions of x: the one that is last in the result, and the one that is last in x
	x, out    *tir.Buffer
}

// columns moves so many groups of columns, each of a width, from a column on.
func (b *blockMove) columns(groups, from, width int64) tir.Stmt {
	total := groups
	for _, d := range b.outer {
		total *= b.dims[d]
	}
	return Nest([]int64{total}, tir.Parallel, func(i []tir.Expr) tir.Stmt {
		at := make([]tir.Expr, len(b.dims))
		rest := Floordiv(i[0], groups)
		base := Plus(Times(Floormod(i[0], groups), width), from)
		for k := len(b.outer) - 1; k >= 0; k-- {
			at[b.outer[k]] = rest
			if k > 0 {
				at[b.outer[k]], rest = Floormod(rest, b.dims[b.outer[k]]), Floordiv(rest, b.dims[b.outer[k]])
			}
		}
		return Chunks("row", b.dims[b.row], func(first tir.Expr, lanes int64) tir.Stmt {
			column := tir.NewVar("column")
			return &tir.For{Var: column, Extent: tir.Int(width), Kind: tir.Unrolled,
				Body: Vector("row", lanes, func(lane tir.Expr) tir.Stmt { return b.move(at, Add(first, lane), Add(base, column)) })}
		})
	})
}

// move moves an element.
func (b *blockMove) move(at []tir.Expr, row, column tir.Expr) tir.Stmt {
	from := slices.Clone(at)
	from[b.row], from[b.last] = row, column
	to := make([]tir.Expr, len(at))
	for i, d := range b.order {
		to[i] = from[d]
	}
	return Store(b.out, Load(b.x, from...), to...)
}
