package llvm

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A tile that is kept in registers is rows of vectors. To each it adds a product of an element of the row, which one
// register holds, and a vector of the columns, which all rows use:
//
//	unroll i in 7:                     28 vectors of acc, 4 of B, 1 of A: 33, and there are 32 registers
//	  vectorize j in 64:
//	    acc[i, j] += A[i, k]*B[k, j]
//
// Where that is a little more than there are registers, LLVM keeps a few vectors of the tile on the stack, or all of
// it, which took up to three times as long. So the last vectors are said to be on the stack: they are loaded and stored
// each time, which costs next to nothing beside the multiplications of the others (docs/search-space.md).
const (
	maxOnStack = 2 // vectors of a tile that may be on the stack; with more, LLVM's choice is the better one
	// A vector that was stored can be loaded, multiplied and stored again after a dozen cycles, in which two units
	// do as much for so many vectors. With the 16 registers of AVX2, tiles are smaller, and would wait.
	minTile = 24
)

// A tileRest is the elements of a tile, from one on, that are on the stack.
type tileRest struct {
	buffer *tir.Buffer
	from   int64
}

// restOf returns what does not fit the registers of the tile whose rows s is a loop over; nil if all fits, if too much
// does not, and if s is no such loop.
func (f *function) restOf(s *tir.For) *tileRest {
	var rows []*tir.Var
	var columns *tir.For
	n, body := int64(1), tir.Stmt(s)
	for columns == nil {
		switch t := body.(type) {
		case *tir.Block:
			body = t.Body
		case *tir.For:
			extent, ok := t.Extent.(*tir.IntImm)
			switch {
			case ok && t.Kind == tir.Unrolled:
				n, rows, body = n*extent.Value, append(rows, t.Var), t.Body
			case ok && t.Kind == tir.Vectorized && vectorizable(t):
				columns = t
			default:
				return nil
			}
		default:
			return nil
		}
	}
	width := f.m.target.Hardware.Lanes(tir.ElementBytes(columns.Body))
	lanes := columns.Extent.(*tir.IntImm).Value
	vectors := lanes / width
	size := n * vectors
	over := size + vectors + 1 - int64(f.m.target.Hardware.VectorRegisters)
	if over < 1 || over > maxOnStack || size < minTile || size > f.m.copyLimit || lanes%width != 0 ||
		vectors > maxChunks {
		return nil
	}
	tile := f.multiplied(columns, rows)
	if tile == nil || tile.Elems() != n*lanes {
		return nil
	}
	return &tileRest{tile, n*lanes - over*width}
}

// multiplied returns the tile of rows on the stack to which the body of a vectorised loop adds a product of an element
// of the row and a vector of the columns; nil if it does something else.
func (f *function) multiplied(columns *tir.For, rows []*tir.Var) *tir.Buffer {
	body := columns.Body
	for {
		b, ok := body.(*tir.Block)
		if !ok {
			break
		}
		body = b.Body
	}
	s, ok := body.(*tir.Store)
	if !ok || f.buffers[s.Buffer] == nil || !f.buffers[s.Buffer].stack {
		return nil
	}
	sum, ok := s.Value.(*tir.Binary)
	if !ok || sum.Op != tir.Add {
		return nil
	}
	acc, ok := sum.X.(*tir.Load)
	product, isProduct := sum.Y.(*tir.Binary)
	if !ok || !isProduct || product.Op != tir.Mul || acc.Buffer != s.Buffer ||
		!slices.EqualFunc(acc.Index, s.Index, tir.EqualExpr) {
		return nil
	}
	uses := func(index []tir.Expr, v *tir.Var) bool {
		return slices.ContainsFunc(index, func(e tir.Expr) bool { return tir.Uses(e, v) })
	}
	for _, v := range rows {
		if !uses(s.Index, v) {
			return nil
		}
	}
	elements := 0
	for _, e := range []tir.Expr{product.X, product.Y} {
		l, ok := e.(*tir.Load)
		if !ok {
			return nil
		}
		ofRow := slices.ContainsFunc(rows, func(v *tir.Var) bool { return uses(l.Index, v) })
		if ofRow == uses(l.Index, columns.Var) {
			return nil
		}
		if ofRow {
			elements++
		}
	}
	if elements != 1 {
		return nil
	}
	return s.Buffer
}

// onStack returns "volatile " if the element is of the rest of the tile that is being written: what is volatile does
// not become a register.
func (f *function) onStack(b *tir.Buffer, off linear) string {
	if f.rest != nil && f.rest.buffer == b && off.isConst() && off.c >= f.rest.from {
		return "volatile "
	}
	return ""
}
