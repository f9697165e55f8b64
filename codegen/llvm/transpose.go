package llvm

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// transposed reads one element per lane from rows that lie at a fixed distance,
// as a matrix product does whose second matrix is stored by columns:
//
//	W[j, k*4 + 2], j = lane   =>   column 2 of the transpose of the blocks W[j, k*4 ... k*4+3]
//
// Each row is read as a vector of 16 bytes, and blocks of rows are transposed
// with two shuffles per column. The columns beside it are found again when the
// unrolled loop gets to them (see pure), which makes the read of each cheaper
// than an insertion per lane by a factor of five.
//
// A block that would leave the buffer begins some columns before, as the last columns of rows of any length need it.
// It reports false if the rows are not of an input, whose reads may be shared;
// if the columns beside it are not read, as they are in an unrolled loop;
// or if each block may leave the buffer.
func (f *function) transposed(b *tir.Buffer, p place) (value, bool) {
	per := 16 / int64(b.Type.Bytes()) // columns of a block
	v, u := f.split(p.off)
	if !f.m.inputs[b] || b.Type.Bytes() < 4 || len(v.Terms) != 1 || v.Terms[0].Atom != f.lane.atom || f.lane.n%per != 0 {
		return value{}, false
	}
	stride := v.Terms[0].Factor
	for _, t := range u.Terms {
		if t.Factor > -per && t.Factor < per {
			return value{}, false
		}
	}
	column := u.Const - arith.FloorDiv(u.Const, per)*per
	u = u.AddConst(-column)
	for ; ; column, u = column+1, u.AddConst(-1) {
		if column == per {
			return value{}, false
		}
		if in, _ := f.bounds(u.Plus(1, v)); in.Within(arith.Between(0, b.Extent()-per)) {
			break
		}
	}
	typ := memoryType(b.Type)
	row := func(l int64) string {
		if l >= f.lane.valid {
			return "zeroinitializer"
		}
		at := u.AddConst(l * stride)
		return f.read(b, fmt.Sprintf("load %s, ptr %s, align %d", vectorType(typ, per), f.address(b, at), alignmentAt(b, at)))
	}
	// parts[i] holds rows i, i+per, i+2*per, ... one after another, so that each
	// 16 bytes of a column come from the same 16 bytes of the parts.
	parts := make([]string, per)
	for i := range parts {
		var rows []string
		for l := int64(i); l < f.lane.n; l += per {
			rows = append(rows, row(l))
		}
		parts[i] = f.concat(typ, per, rows)
	}
	ref := ""
	if per == 2 {
		ref = f.inBlocks(typ, parts[0], parts[1], []int64{column, 2 + column})
	} else {
		half := []int64{column / 2 * 2, 4 + column/2*2, column/2*2 + 1, 5 + column/2*2} // unpack low or high
		a, c := f.inBlocks(typ, parts[0], parts[1], half), f.inBlocks(typ, parts[2], parts[3], half)
		first := column % 2 * 2
		ref = f.inBlocks(typ, a, c, []int64{first, first + 1, 4 + first, 5 + first})
	}
	return f.widen(b.Type, ref, f.lane.n), true
}

// columnStep returns how many iterations of a loop over columns share the reads
// of transposed: 1 if they share none, because nothing in the body reads columns
// or because other loops than expanded ones lie between.
func (m *module) columnStep(s *tir.For) int64 {
	step := int64(1)
	var visit func(t tir.Stmt, vector *tir.Var) bool
	visit = func(t tir.Stmt, vector *tir.Var) bool {
		switch t := t.(type) {
		case *tir.For:
			if t.Kind == tir.Vectorized && vector == nil {
				vector = t.Var
			} else if t.Kind != tir.Unrolled {
				return false
			}
			return visit(t.Body, vector)
		case *tir.Seq:
			for _, u := range t.Stmts {
				if !visit(u, vector) {
					return false
				}
			}
		case *tir.Block:
			return visit(t.Body, vector)
		case *tir.Store:
			for l := range tir.ExprsIn[*tir.Load](t.Value) {
				if vector != nil && m.readsColumns(l, s.Var, vector) {
					step = max(step, 16/int64(l.Buffer.Type.Bytes()))
				}
			}
		default:
			return false
		}
		return true
	}
	if !visit(s.Body, nil) {
		return 1
	}
	return step
}

// readsColumns reports whether neighbouring values of column are at
// neighbouring elements of an input, and those of lane are not.
func (m *module) readsColumns(l *tir.Load, column, lane *tir.Var) bool {
	if !m.inputs[l.Buffer] || l.Buffer.Type.Bytes() < 4 {
		return false
	}
	var perColumn, perLane int64
	for d, stride := range l.Buffer.ElemStrides() {
		c, ok := arith.Coefficient(l.Index[d], column)
		n, ok2 := arith.Coefficient(l.Index[d], lane)
		if !ok || !ok2 {
			return false
		}
		perColumn += c * stride
		perLane += n * stride
	}
	return perColumn == 1 && perLane != 0 && perLane != 1
}

// concat joins vectors of n elements, the number of which is a power of two.
func (f *function) concat(typ string, n int64, list []string) string {
	for ; len(list) > 1; n *= 2 {
		order := make([]int64, 2*n)
		for i := range order {
			order[i] = int64(i)
		}
		for i := range len(list) / 2 {
			list[i] = f.shuffle(vectorType(typ, n), list[2*i], list[2*i+1], order)
		}
		list = list[:len(list)/2]
	}
	return list[0]
}

// inBlocks shuffles x and y alike in each block of 16 bytes; the elements of
// the block of y are numbered after those of x.
func (f *function) inBlocks(typ, x, y string, order []int64) string {
	per := int64(len(order))
	var all []int64
	for block := int64(0); block < f.lane.n; block += per {
		for _, o := range order {
			if o < per {
				all = append(all, block+o)
			} else {
				all = append(all, f.lane.n+block+o-per)
			}
		}
	}
	return f.shuffle(vectorType(typ, f.lane.n), x, y, all)
}

func (f *function) shuffle(typ, x, y string, order []int64) string {
	var b strings.Builder
	for i, o := range order {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "i32 %d", o)
	}
	return f.pure(fmt.Sprintf("shufflevector %s %s, %s %s, <%d x i32> <%s>", typ, x, typ, y, len(order), b.String()))
}
