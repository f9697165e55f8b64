package window

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/tensor"
	"github.com/wmtune/wmtune/tir"
)

// opaqueWinogradInput makes the program of WinogradInput. A search does not find it: the matrix is full of zeros, and
// its product with a tile on both sides costs half as much if it is done in two steps, with what lies between in
// registers.
//
//	parallel p in tiles:
//	  for c in vectors of channels:
//	    half[a, j] = sum(b) x[row + a, column + b, c]*B[b, j]
//	    v[i, j, p, c] = sum(a) half[a, j]*B[a, i]
//
// Sums are written out, without their zeros. Pixels beyond the image are zero; only tiles at the edges look for them.
func opaqueWinogradInput(n *graph.Node) (*tir.Func, error) {
	t, margins, err := inputTiling(n)
	if err != nil {
		return nil, err
	}
	w := &winogradInput{tiling: t, margins: margins, x: Parameter("x", n.Inputs[0]), v: Parameter("v", n.Outputs[0]),
		t: Register(n.Outputs[0].Type)}
	tiles := graph.Elems(t.space())
	body := Nest([]int64{tiles}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		w.place(at[0])
		return Chunks("c", t.channels, w.chunk)
	})
	return NewFunc("winogradinput", 1, body, w.x, w.v), nil
}

// A winogradInput writes the program of one tile.
type winogradInput struct {
	*tiling
	margins []tensor.Margin
	x, v    *tir.Buffer
	t       tir.DType // that is computed in

	from     []tir.Expr // batch and place before the two dimensions in the image, without margins
	within   []tir.Expr // under these conditions that place is in the image
	to       []tir.Expr // the tile in the result
	row, col tir.Expr   // of the tile's first pixel in the image, without margins
}

// place sets where tile p lies.
func (w *winogradInput) place(p tir.Expr) {
	space := w.space()
	w.to = make([]tir.Expr, len(space))
	for d := len(space) - 1; d > 0; d-- {
		w.to[d] = Floormod(p, space[d])
		p = Floordiv(p, space[d])
	}
	w.to[0] = p
	at := w.pixel(tir.Int(0), tir.Int(0), append(slices.Clone(w.to), tir.Int(0)))
	last := len(at) - 3
	w.from, w.within = at[:last], nil
	for d := 1; d < last; d++ {
		w.from[d] = Plus(at[d], -w.margins[d].Before)
		w.within = append(w.within, w.inside(w.from[d], d))
	}
	w.row, w.col = Plus(at[last], -w.margins[last].Before), Plus(at[last+1], -w.margins[last+1].Before)
}

// inside says that an index of dimension d is in the image.
func (w *winogradInput) inside(i tir.Expr, d int) tir.Expr {
	return And(Ge(i, tir.Int(0)), Lt(i, tir.Int(w.x.Shape[d])))
}

// chunk transforms the channels from c on.
func (w *winogradInput) chunk(c tir.Expr, lanes int64) tir.Stmt {
	half := &tir.Buffer{Name: "half", Type: w.t, Shape: []int64{w.side * w.side, lanes}, Scope: tir.Local}
	last := len(w.x.Shape) - 3
	interior := And(Ge(w.col, tir.Int(0)), Lt(Plus(w.col, w.side-1), tir.Int(w.x.Shape[last+1])))
	var list []tir.Stmt
	for a := range w.side {
		row := Plus(w.row, a)
		read := func(edge bool) tir.Stmt {
			return w.columns(lanes, func(j int64, lane tir.Expr) tir.Stmt {
				sum := w.sum(w.set.Input, j, func(b int64) tir.Expr {
					column := Plus(w.col, b)
					at := append(slices.Clone(w.from), row, column, Add(c, lane))
					x := Cast(Load(w.x, at...), w.t)
					if edge {
						return tir.IfThenElse(w.inside(column, last+1), x, tir.Const(w.t, 0))
					}
					return x
				})
				return Store(half, sum, tir.Int(a*w.side+j), lane)
			})
		}
		zero := w.columns(lanes, func(j int64, lane tir.Expr) tir.Stmt {
			return Store(half, tir.Const(w.t, 0), tir.Int(a*w.side+j), lane)
		})
		list = append(list, &tir.If{Cond: tir.AllOf(append(slices.Clone(w.within), w.inside(row, last))...),
			Then: &tir.If{Cond: interior, Then: read(false), Else: read(true)}, Else: zero})
	}
	for i := range w.side {
		list = append(list, w.columns(lanes, func(j int64, lane tir.Expr) tir.Stmt {
			sum := w.sum(w.set.Input, i, func(a int64) tir.Expr { return Load(half, tir.Int(a*w.side+j), lane) })
			at := append([]tir.Expr{tir.Int(i), tir.Int(j)}, w.to...)
			return Store(w.v, Cast(sum, w.v.Type), append(at, Add(c, lane))...)
		}))
	}
	return Alloc(half, Seq(list...))
}

// columns writes a vector for each column of a tile.
func (w *winogradInput) columns(lanes int64, do func(j int64, lane tir.Expr) tir.Stmt) tir.Stmt {
	list := make([]tir.Stmt, w.side)
	for j := range w.side {
		list[j] = Vector("c", lanes, func(lane tir.Expr) tir.Stmt { return do(j, lane) })
	}
	return Seq(list...)
}

// sum writes sum(k) x(k)*m[k][column] without zeros.
func (w *winogradInput) sum(m [][]float64, column int64, x func(k int64) tir.Expr) tir.Expr {
	var y tir.Expr
	for k, line := range m {
		v := x(int64(k))
		switch c := line[column]; {
		case c == 0:
			continue
		case c == -1 && y != nil:
			y = Sub(y, v)
			continue
		case c != 1:
			v = tir.Bin(tir.Mul, v, tir.Const(w.t, c))
		}
		if y == nil {
			y = v
		} else {
			y = Add(y, v)
		}
	}
	return y
}
