package llvm

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A multiply-add of float16 has twice as many lanes as one of float32. For each column it has two sums, of the even and
// of the odd steps, which are added up when the tile is stored:
//
//	vectorize j in 16 by vfmaddph.512:          a = splat of the i32 that is A[i, 2*k0] and A[i, 2*k0 + 1]
//	  tensorize k in 2 by vfmaddph.512:   =>    b = load <16 x i32>, ptr W[k0, 0, 0]
//	    C.halves[0, 0, j] += ...                c = call <32 x half> @llvm.fma.v32f16(a, b, c)

// halfLoops writes loops that a multiply-add of float16 takes the place of.
func (f *function) halfLoops(t tir.TileLoops) {
	_, cols, _, _, _ := t.Extents()
	b, lanes := t.Store.Buffer, t.By.Cols
	words, halves := vectorType("i32", lanes), vectorType("half", 2*lanes)
	if t.Groups != nil {
		c := f.tileAt(b, t.Store.Index)
		off := f.place(t.A.Buffer, t.A.Index).off
		x := f.shared(tir.Factor{Load: t.A}, off, intValue(tir.Bool, 0), "i32", 2)
		x = f.pure(fmt.Sprintf("insertelement %s poison, i32 %s, i64 0", words, x))
		x = f.pure(fmt.Sprintf("shufflevector %[1]s %[2]s, %[1]s poison, <%[3]d x i32> zeroinitializer", words, x, lanes))
		y := f.vectorOf("i32", t.B, cols, lanes)
		cast := func(ref string) string { return f.pure(fmt.Sprintf("bitcast %s %s to %s", words, ref, halves)) }
		name := "@llvm." + tileWriters[t.By.Name]
		f.m.need(fmt.Sprintf("declare %[1]s %[2]s(%[1]s, %[1]s, %[1]s)", halves, name))
		*c = f.instr(fmt.Sprintf("call %[1]s %[2]s(%[1]s %[3]s, %[1]s %[4]s, %[1]s %[5]s)", halves, name, cast(x),
			cast(y), *c))
		return
	}
	l, loads := t.Store.Value.(*tir.Load)
	switch {
	case b.Scope == tir.Halves && loads: // the second sums are 0
		v, into := f.vectorOf("half", l, cols, lanes), []int64{}
		for i := range lanes {
			into = append(into, i, lanes)
		}
		*f.tileAt(b, t.Store.Index) = f.pickLanes(v, lanes, into)
	case b.Scope == tir.Halves:
		*f.tileAt(b, t.Store.Index) = "zeroinitializer"
	default:
		sums := *f.tileAt(l.Buffer, l.Index)
		var even, odd []int64
		for i := range cols {
			even, odd = append(even, 2*i), append(odd, 2*i+1)
		}
		typ := vectorType("half", cols)
		v := f.instr(fmt.Sprintf("fadd %s %s, %s", typ, f.pickLanes(sums, 2*lanes, even), f.pickLanes(sums, 2*lanes, odd)))
		to := &tir.Load{Buffer: b, Index: t.Store.Index}
		off := f.place(b, to.Index).off
		f.line("store %s %s, ptr %s, align %d", typ, v, f.address(b, off), alignmentAt(b, off))
	}
}

// vectorOf returns a vector of words of memory, one for each of the columns of a tile, with 0 in the lanes behind.
func (f *function) vectorOf(word string, e *tir.Load, cols, lanes int64) string {
	off := f.place(e.Buffer, e.Index).off
	typ := vectorType(word, cols)
	p, align := f.address(e.Buffer, off), alignmentAt(e.Buffer, off)
	v := f.read(e.Buffer, fmt.Sprintf("load %s, ptr %s, align %d", typ, p, align))
	if cols == lanes {
		return v
	}
	if cols == 1 {
		return f.pure(fmt.Sprintf("insertelement %s zeroinitializer, %s %s, i64 0", vectorType(word, lanes), word, v))
	}
	into := make([]int64, lanes)
	for i := range into {
		into[i] = min(int64(i), cols)
	}
	return f.pure(fmt.Sprintf("shufflevector %[1]s %[2]s, %[1]s zeroinitializer, %[3]s", typ, v, mask(into)))
}

// pickLanes returns lanes of a vector of so many halves, of which the last is followed by zeros.
func (f *function) pickLanes(v string, n int64, lanes []int64) string {
	typ := vectorType("half", n)
	if len(lanes) == 1 {
		return f.instr(fmt.Sprintf("extractelement %s %s, i64 %d", typ, v, lanes[0]))
	}
	return f.instr(fmt.Sprintf("shufflevector %[1]s %[2]s, %[1]s zeroinitializer, %[3]s", typ, v, mask(lanes)))
}

// mask returns the text of the lanes that a shuffle picks.
func mask(lanes []int64) string {
	list := strings.Trim(fmt.Sprint(lanes), "[]")
	return fmt.Sprintf("<%d x i32> <i32 %s>", len(lanes), strings.ReplaceAll(list, " ", ", i32 "))
}
