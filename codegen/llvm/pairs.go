package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Pairs are tiles of two rows and two columns of int32, which NEON has in vectors. The operands have two rows, and two
// columns, of eight steps each:
//
//	tensorize k in 1 by smmla:             a = <2 x i64> of A[i, ...] and A[i + 1, ...]
//	  ...                            =>    b = load <2 x i64>, ptr W[k0, j, 0]
//	    C.pair[0, m, n] += ...             c = call <4 x i32> @llvm.aarch64.neon.smmla.v4i32.v16i8(c, a, b)

// pairLoops writes loops that an instruction of pairs takes the place of.
func (f *function) pairLoops(t tir.TileLoops) {
	rows, cols, _, steps, _ := t.Extents()
	b := t.Store.Buffer
	if t.Groups != nil {
		const words, bytes = "<4 x i32>", "<16 x i8>"
		c := f.tileAt(b, t.Store.Index)
		x, y := f.pairOfRows(t, rows, steps), f.pairOfColumns(t, cols)
		cast := func(ref string) string { return f.pure(fmt.Sprintf("bitcast <2 x i64> %s to %s", ref, bytes)) }
		*c = f.dotCall("@llvm."+tileWriters[t.By.Name], words, *c, bytes, cast(x), cast(y))
		return
	}
	l, loads := t.Store.Value.(*tir.Load)
	switch {
	case b.Scope == tir.Pair && loads:
		sum := "zeroinitializer"
		f.eachOfPair(t, l, rows, cols, func(lane int64, p string) {
			v := f.instr("load i32, ptr " + p + ", align 4")
			sum = f.instr(fmt.Sprintf("insertelement <4 x i32> %s, i32 %s, i64 %d", sum, v, lane))
		})
		*f.tileAt(b, t.Store.Index) = sum
	case b.Scope == tir.Pair:
		*f.tileAt(b, t.Store.Index) = "zeroinitializer"
	default:
		sum := *f.tileAt(l.Buffer, l.Index)
		to := &tir.Load{Buffer: b, Index: t.Store.Index}
		f.eachOfPair(t, to, rows, cols, func(lane int64, p string) {
			v := f.instr(fmt.Sprintf("extractelement <4 x i32> %s, i64 %d", sum, lane))
			f.line("store i32 %s, ptr %s, align 4", v, p)
		})
	}
}

// eachOfPair calls visit with each lane of a tile, and where its element is.
func (f *function) eachOfPair(t tir.TileLoops, e *tir.Load, rows, cols int64, visit func(lane int64, p string)) {
	for i := range rows {
		for j := range cols {
			f.vars[t.Rows.Var], f.vars[t.Cols.Var] = arith.Constant(i), arith.Constant(j)
			visit(2*i+j, f.address(e.Buffer, f.place(e.Buffer, e.Index).off))
		}
	}
	f.vars[t.Rows.Var], f.vars[t.Cols.Var] = arith.Constant(0), arith.Constant(0)
}

// pairOfRows returns the first operand. Behind the last steps of a sum it has zeros.
func (f *function) pairOfRows(t tir.TileLoops, rows, steps int64) string {
	pair := "zeroinitializer"
	for i := range rows {
		f.vars[t.Rows.Var] = arith.Constant(i)
		off := f.place(t.A.Buffer, t.A.Index).off
		v := f.shared(tir.Factor{Load: t.A}, off, intValue(tir.Bool, 0), "i64", steps)
		pair = f.pure(fmt.Sprintf("insertelement <2 x i64> %s, i64 %s, i64 %d", pair, v, i))
	}
	f.vars[t.Rows.Var] = arith.Constant(0)
	return pair
}

// pairOfColumns returns the second operand, whose groups are whole, one column behind the other.
func (f *function) pairOfColumns(t tir.TileLoops, cols int64) string {
	off := f.place(t.B.Buffer, t.B.Index).off
	load := func(typ string) string {
		p := f.address(t.B.Buffer, off)
		return f.read(t.B.Buffer, fmt.Sprintf("load %s, ptr %s, align %d", typ, p, alignmentAt(t.B.Buffer, off)))
	}
	if cols == 2 {
		return load("<2 x i64>")
	}
	return f.pure(fmt.Sprintf("insertelement <2 x i64> zeroinitializer, i64 %s, i64 0", load("i64")))
}
