package llvm

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A tile that is kept in registers is rows of vectors. To each it adds a product of an element of the row, which one
// register holds, and a vector of the columns, which all rows use:
//
//	unroll i in 7:                     28 vectors of acc, 4 of B, 1 of A: 33, and there are 32 registers
//	  vectorize j in 64:
//	    acc[i, j] += A[i, k]*B[k, j]
//
// LLVM spills much more than it has to where that is a little more than there are registers, and where elements of the
// rows are met again, or are in a temporary. Such tiles are written so that it spills little (rest, slides, crowds).
type tile struct {
	buffer  *tir.Buffer
	element *tir.Load // of a row
	rows    []*tir.For
	count   int64 // of rows
	columns int64 // vectors of a row
	lanes   int64 // of a vector

	// from is the first element of those that are on the stack (see rest), or the end of the buffer.
	from int64
}

const (
	maxOver = 2 // vectors of a tile that need not fit; with more, LLVM's choice is the better one
	// Where not one register is left over, a processor's order of instructions decides whether LLVM spills one vector
	// or the tile: with that of Zen 5 a step of 7x64 took 1.65 times as long, with that of Sapphire Rapids it did not.
	spareRegisters = 1
	// A vector that was stored can be loaded, multiplied and stored again after a dozen cycles, in which two units
	// do as much for so many vectors. With the 16 registers of AVX2, tiles are smaller, and would wait.
	minTile = 24
)

// tileOf returns the tile whose rows s is a loop over; nil if it is no such loop.
func (f *function) tileOf(s *tir.For) *tile {
	t := &tile{count: 1}
	var columns *tir.For
	for body := tir.Stmt(s); columns == nil; {
		switch loop := body.(type) {
		case *tir.Block:
			body = loop.Body
		case *tir.For:
			extent, ok := loop.Extent.(*tir.IntImm)
			switch {
			case ok && loop.Kind == tir.Unrolled:
				t.count, t.rows, body = t.count*extent.Value, append(t.rows, loop), loop.Body
			case ok && loop.Kind == tir.Vectorized && vectorizable(loop):
				columns = loop
			default:
				return nil
			}
		default:
			return nil
		}
	}
	t.lanes = f.m.target.Hardware.Lanes(tir.ElementBytes(columns.Body))
	length := columns.Extent.(*tir.IntImm).Value
	t.columns = (length + t.lanes - 1) / t.lanes
	if t.columns > maxChunks || t.count*t.columns > f.m.copyLimit {
		return nil
	}
	if t.buffer, t.element = f.multiplied(columns, t.rows); t.buffer == nil || t.buffer.Elems() != t.count*length {
		return nil
	}
	if row := t.columns * t.lanes; row == length || row == f.storageOf(t.buffer).room {
		t.from = t.count*row - t.lanes*f.rest(t)
		return t
	}
	return nil
}

// registers returns how many registers a step takes: those of the tile, of a vector of each column, and of an element.
func (t *tile) registers() int64 { return t.count*t.columns + t.columns + 1 }

// rest returns how many vectors of a tile are said to be on the stack: those that do not fit, if they are few, and one
// more. They are loaded and stored each time, which costs next to nothing beside the multiplications of the others.
// LLVM keeps a few vectors of such a tile on the stack, or all of it, which took up to three times as long
// (docs/design/search-space.md).
func (f *function) rest(t *tile) int64 {
	over := t.registers() - int64(f.m.target.Hardware.VectorRegisters)
	if over < 1 || over > maxOver || t.count*t.columns < minTile {
		return 0
	}
	return over + spareRegisters
}

// slides reports whether unrolled steps of a reduction around a tile meet the elements of its rows again, as those of a
// convolution do, and whether the registers do not hold these beside the tile:
//
//	unroll r in 3:                     28 vectors of acc, 2 of B, and 14 of A, 12 of which the next step uses
//	  unroll i in 14:
//	    vectorize j in 32:
//	      acc[i, j] += A[i + r, k]*B[r, k, j]
//
// LLVM reads such an element once and keeps it, on the stack, or keeps the tile there: up to twice the time. Each step
// reads its elements anew instead, through a pointer of which LLVM does not know that it is the same (apart).
func (f *function) slides(t *tile) bool {
	if t.registers()+t.count-1 <= int64(f.m.target.Hardware.VectorRegisters) {
		return false
	}
	for _, e := range t.element.Index {
		for _, row := range t.rows {
			if slices.ContainsFunc(f.repeats, func(step *tir.For) bool { return meet(e, row, step) }) {
				return true
			}
		}
	}
	return false
}

// crowds reports whether elements of the rows are in a temporary that the registers do not hold beside the tile:
//
//	vectorize k in 9:
//	  row[0, k] = ...                  and so on, 7 vectors of elements
//	unroll k in 9:
//	  unroll i in 7:                   28 vectors of acc, 4 of B
//	    vectorize j in 64:
//	      acc[i, j] += row[i, k]*B[k, j]
//
// LLVM keeps vectors of elements that it wrote, takes single ones out of them, and spills: 1.3 times as long (Zen 5).
func (f *function) crowds(t *tile) bool {
	b := f.buffers[t.element.Buffer]
	if b == nil || !b.stack {
		return false
	}
	vectors := int64(1)
	for d, n := range t.element.Buffer.Shape {
		if d == len(t.element.Buffer.Shape)-1 {
			n = (n + t.lanes - 1) / t.lanes
		}
		vectors *= n
	}
	return t.registers()-1+vectors > int64(f.m.target.Hardware.VectorRegisters)
}

// meet reports whether an index grows as much by some iterations of one loop as by some of the other.
func meet(e tir.Expr, a, b *tir.For) bool {
	x, ok1 := arith.Coefficient(e, a.Var)
	y, ok2 := arith.Coefficient(e, b.Var)
	m, ok3 := a.Extent.(*tir.IntImm)
	n, ok4 := b.Extent.(*tir.IntImm)
	if !ok1 || !ok2 || !ok3 || !ok4 || x <= 0 || y <= 0 {
		return false
	}
	for i := int64(1); i < m.Value; i++ { // i*x is k*y
		if i*x%y == 0 && i*x/y < n.Value {
			return true
		}
	}
	return false
}

// apart returns a pointer that is equal to another one, which LLVM cannot see. The call has no attributes, so for all
// that LLVM knows it writes to memory: it does not make one of several.
func (f *function) apart(pointer string) string {
	return f.instr(`call ptr asm "", "=r,0"(ptr ` + pointer + `)`)
}

// enterTile prepares for writing a tile, if s is a loop over the rows of one. What it returns is to be called after it.
func (f *function) enterTile(s *tir.For) (leave func()) {
	if f.tile != nil || f.dotsFrom > 0 {
		return func() {}
	}
	if f.m.hasMasks() {
		f.dotsFrom = f.dotColumns(s)
	}
	if f.dotsFrom > 0 {
		return func() { f.dotsFrom = 0 }
	}
	if f.tile = f.tileOf(s); f.tile == nil || !f.slides(f.tile) && !f.crowds(f.tile) {
		return func() { f.tile = nil }
	}
	elements := f.storageOf(f.tile.element.Buffer)
	pointer := elements.ref
	elements.ref = f.apart(pointer)
	return func() { elements.ref, f.tile = pointer, nil }
}

// multiplied returns the tile of rows on the stack to which the body of a vectorised loop adds a product of an element
// of the row and a vector of the columns, and that element; nil if it does something else.
func (f *function) multiplied(columns *tir.For, rows []*tir.For) (*tir.Buffer, *tir.Load) {
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
		return nil, nil
	}
	sum, ok := s.Value.(*tir.Binary)
	if !ok || sum.Op != tir.Add {
		return nil, nil
	}
	product, ok := sum.Y.(*tir.Binary)
	if !ok || product.Op != tir.Mul || !tir.IsStored(sum.X, s) {
		return nil, nil
	}
	uses := func(index []tir.Expr, v *tir.Var) bool {
		return slices.ContainsFunc(index, func(e tir.Expr) bool { return tir.Uses(e, v) })
	}
	for _, l := range rows {
		if !uses(s.Index, l.Var) {
			return nil, nil
		}
	}
	var elements []*tir.Load
	for _, e := range []tir.Expr{product.X, product.Y} {
		l, ok := e.(*tir.Load)
		if !ok {
			return nil, nil
		}
		ofRow := slices.ContainsFunc(rows, func(row *tir.For) bool { return uses(l.Index, row.Var) })
		if ofRow == uses(l.Index, columns.Var) {
			return nil, nil
		}
		if ofRow {
			elements = append(elements, l)
		}
	}
	if len(elements) != 1 {
		return nil, nil
	}
	return s.Buffer, elements[0]
}

// onStack returns "volatile " if the element is of the rest of the tile that is being written: what is volatile does
// not become a register.
func (f *function) onStack(b *tir.Buffer, off arith.Linear) string {
	if f.tile != nil && f.tile.buffer == b && off.IsConst() && off.Const >= f.tile.from {
		return "volatile "
	}
	return ""
}
