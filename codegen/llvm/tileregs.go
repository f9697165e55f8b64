package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Tiles are registers that LLVM has a type for, x86_amx. It may be no element of memory or of an array, so the tiles of
// a buffer are values of their own, and a loop that adds to them has one phi for each:
//
//	for k in 8:                            loop:
//	  tensorize kk in 16 by tdpbusd:   =>    c = phi x86_amx [ zero, entry ], [ sum, loop ]
//	    C.tile[0, m, n] += ...               a = call x86_amx @llvm.x86.tileloadd64.internal(i16 rows, bytes, A, ...)
//	                                         b = call x86_amx @llvm.x86.tileloadd64.internal(...)
//	                                         sum = call x86_amx @llvm.x86.tdpbusd.internal(i16 m, i16 n, i16 k, c, a, b)
//
// LLVM configures the tiles once in a function unless that calls another one in between. The intrinsics without
// .internal take the numbers of registers; these do not.

// tileWriters are the products of tiles, by the names of instructions: each is an intrinsic of this name. Those
// that have tiles in vectors are written by pairs.go and halves.go.
var tileWriters = map[string]string{
	"tdpbusd": "tdpbusd", "tdpbssd": "tdpbssd", "tdpbsud": "tdpbsud", "tdpbuud": "tdpbuud", "tdpbf16ps": "tdpbf16ps",

	"smmla": "aarch64.neon.smmla.v4i32.v16i8", "usmmla": "aarch64.neon.usmmla.v4i32.v16i8",
	"ummla": "aarch64.neon.ummla.v4i32.v16i8",

	"vfmaddph.512": "fma.v32f16", "vfmaddph.256": "fma.v16f16", "fmla.8h": "fma.v8f16",
}

// groupBytes is how many bytes the steps of a sum have that a tile has side by side.
const groupBytes = 4

// tileLoops writes loops that an instruction of tiles takes the place of.
func (f *function) tileLoops(s *tir.For) {
	t, ok := tir.TileLoopsOf(s)
	rows, cols, groups, steps, constant := t.Extents()
	if !ok || !constant || f.lane != nil || len(f.guards) > 0 {
		panic("BUG: llvm: these are no loops of a tile:\n" + s.String())
	}
	for _, l := range []*tir.For{t.Rows, t.Cols, t.Groups, t.Steps} {
		if l != nil {
			f.vars[l.Var] = arith.Constant(0)
		}
	}
	switch t.By.Scopes[2] {
	case tir.Pair:
		f.pairLoops(t)
		return
	case tir.Halves:
		f.halfLoops(t)
		return
	}
	b := t.Store.Buffer
	bytes := cols * int64(b.Type.Bytes())
	if t.Groups != nil {
		c, deep := f.tileAt(b, t.Store.Index), groups*groupBytes
		x := f.firstTile(t, rows, groups, steps)
		y := f.tileLoad(t.B, t.Groups, groups, bytes, f.tiles[len(f.tiles)-1].whole)
		*c = f.tileCall(tileWriters[t.By.Name], fmt.Sprintf("i16 %d, i16 %d, i16 %d, x86_amx %s, x86_amx %s, x86_amx %s",
			rows, bytes, deep, *c, x, y), "i16, i16, i16, x86_amx, x86_amx, x86_amx")
		return
	}
	l, loads := t.Store.Value.(*tir.Load)
	switch {
	case b.Scope == tir.Tile && loads:
		*f.tileAt(b, t.Store.Index) = f.tileLoad(l, t.Rows, rows, bytes, false)
	case b.Scope == tir.Tile:
		*f.tileAt(b, t.Store.Index) = f.tileCall("tilezero", fmt.Sprintf("i16 %d, i16 %d", rows, bytes), "i16, i16")
	default:
		const operands = "i16, i16, ptr, i64, x86_amx"
		p, stride := f.tilePlace(&tir.Load{Buffer: b, Index: t.Store.Index}, t.Rows)
		f.m.need("declare void @llvm.x86.tilestored64.internal(" + operands + ")")
		f.line("call void @llvm.x86.tilestored64.internal(i16 %d, i16 %d, ptr %s, i64 %d, x86_amx %s)", rows, bytes, p,
			stride, *f.tileAt(l.Buffer, l.Index))
	}
}

// tileCall writes an intrinsic that makes a tile.
func (f *function) tileCall(name, args, operands string) string {
	f.m.need(fmt.Sprintf("declare x86_amx @llvm.x86.%s.internal(%s)", name, operands))
	return f.instr(fmt.Sprintf("call x86_amx @llvm.x86.%s.internal(%s)", name, args))
}

// tileAt returns the value of a tile, whose number is a constant.
func (f *function) tileAt(b *tir.Buffer, index []tir.Expr) *string {
	n := f.index(index[0])
	for _, t := range f.tiles {
		if t.buffer == b && n.IsConst() {
			return &t.values[n.Const]
		}
	}
	panic("BUG: llvm: " + b.Name + " has no tile " + index[0].String())
}

// tilePlace returns where the first row of a tile is, and how many bytes from one row to the next.
func (f *function) tilePlace(e *tir.Load, row *tir.For) (pointer string, stride int64) {
	for d, n := range f.storageOf(e.Buffer).strides {
		k, _ := arith.Coefficient(e.Index[d], row.Var)
		stride += k * n * int64(e.Buffer.Type.Bytes())
	}
	return f.address(e.Buffer, f.place(e.Buffer, e.Index).off), stride
}

// tileLoad loads so many rows of so many bytes. If the same tile has been loaded since memory may have changed, it is
// that if it may be again.
func (f *function) tileLoad(e *tir.Load, row *tir.For, rows, bytes int64, again bool) string {
	p, stride := f.tilePlace(e, row)
	args := fmt.Sprintf("i16 %d, i16 %d, ptr %s, i64 %d", rows, bytes, p, stride)
	if f.loaded == nil {
		f.loaded = map[string]string{}
	}
	if f.loaded[args] == "" || !again {
		f.loaded[args] = f.tileCall("tileloadd64", args, "i16, i16, ptr, i64")
	}
	return f.loaded[args]
}

// firstTile returns the tile of A. Behind the last steps of a sum, where they are less than a group, it has zeros:
// there may be no memory.
func (f *function) firstTile(t tir.TileLoops, rows, groups, steps int64) string {
	if steps == t.By.Group() {
		return f.tileLoad(t.A, t.Rows, rows, groups*groupBytes, true)
	}
	copied := &tir.Buffer{Name: t.A.Buffer.Name + ".group", Type: tir.I32, Shape: []int64{rows}, Scope: tir.Local}
	f.allocate(copied)
	for i := range rows {
		f.vars[t.Rows.Var] = arith.Constant(i)
		v := f.shared(tir.Factor{Load: t.A}, f.place(t.A.Buffer, t.A.Index).off, intValue(tir.Bool, 0), "i32", steps)
		f.storeAt(copied, arith.Constant(i), value{typ: tir.I32, n: 1, ref: v})
	}
	f.vars[t.Rows.Var] = arith.Constant(0)
	return f.tileLoad(&tir.Load{Buffer: copied, Index: []tir.Expr{t.Rows.Var}}, t.Rows, rows, groupBytes, false)
}

// inTiles writes a statement with a buffer of tiles. LLVM gives a register one shape in a function, so if there are
// several such statements, those with tiles of other shapes than the whole one become functions of their own.
func (f *function) inTiles(b *tir.Buffer, s tir.Stmt) {
	whole, typ := wholeTiles(s), "x86_amx"
	switch b.Scope {
	case tir.Pair:
		typ = "<4 x i32>"
	case tir.Halves:
		typ = vectorType("half", 2*b.Shape[2])
	}
	write := func(f *function) {
		f.tiles = append(f.tiles, tileValues{b, make([]string, b.Shape[0]), whole, typ})
		f.stmt(s)
		f.tiles = f.tiles[:len(f.tiles)-1]
	}
	if f.m.tiled < 2 || whole || b.Scope != tir.Tile {
		write(f)
		return
	}
	f.m.epilogues++
	f.outlined(fmt.Sprintf("kernel.tiles.%d", f.m.epilogues), write)
}

// wholeTiles reports whether all products of tiles in s are of whole ones.
func wholeTiles(s tir.Stmt) bool {
	return !tir.Has(s, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		if !ok {
			return false
		}
		t, ok := tir.TileLoopsOf(l)
		return ok && t.Groups != nil && !t.IsWhole()
	})
}

// A tileValues has the values of the tiles of a buffer, "" of those that have none yet.
type tileValues struct {
	buffer *tir.Buffer
	values []string
	whole  bool   // all products are of whole tiles
	typ    string // of LLVM's
}

// carried prepares for the body of a loop: a tile has another value in each iteration. What it returns is to be called
// at the end of the body, with the label of the block before the loop.
func (f *function) carried() (end func(from string)) {
	type phi struct {
		value             *string
		line              int
		typ, name, before string
	}
	var list []phi
	for _, t := range f.tiles {
		for n := range t.values {
			if v := &t.values[n]; *v != "" {
				list = append(list, phi{v, len(f.lines), t.typ, f.fresh("tile"), *v})
				f.lines = append(f.lines, "")
				*v = list[len(list)-1].name
			}
		}
	}
	return func(from string) {
		for _, p := range list {
			if *p.value == p.name { // the loop adds nothing to it: it may be under a condition, and the phi not known behind
				*p.value = p.before
				continue
			}
			f.lines[p.line] = fmt.Sprintf("  %s = phi %s [ %s, %%%s ], [ %s, %%%s ]", p.name, p.typ, p.before, from, *p.value,
				f.block)
		}
	}
}
