package lower_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
)

// blocked is a kernel that writes blocks of 8 rows and 64 columns of twice what it reads, in a parallel loop over both.
func blocked() (f *tir.Func, out *tir.Buffer) {
	shape := []int64{48, 128}
	in := &tir.Buffer{Name: "A", Type: tir.F32, Shape: shape}
	out = &tir.Buffer{Name: "C", Type: tir.F32, Shape: shape}
	v, x, c := tir.NewVar("f"), tir.NewVar("x"), tir.NewVar("c")
	at := []tir.Expr{
		tir.Bin(tir.Add, tir.Bin(tir.Mul, tir.Bin(tir.FloorDiv, v, tir.Int(2)), tir.Int(8)), x),
		tir.Bin(tir.Add, tir.Bin(tir.Mul, tir.Bin(tir.FloorMod, v, tir.Int(2)), tir.Int(64)), c),
	}
	body := tir.Stmt(&tir.Store{Buffer: out, Index: at, Value: tir.Bin(tir.Mul, &tir.Load{Buffer: in, Index: at},
		&tir.FloatImm{Value: 2, Type: tir.F32})})
	body = &tir.For{Var: x, Extent: tir.Int(8), Body: &tir.For{Var: c, Extent: tir.Int(64), Kind: tir.Vectorized, Body: body}}
	return &tir.Func{Name: "main", Params: []*tir.Buffer{in, out}, Outputs: 1,
		Body: &tir.For{Var: v, Extent: tir.Int(12), Kind: tir.Parallel, Body: body}}, out
}

// TestWithin: iterations whose rows nobody needs are left out, and no others: of rows that count in two digits, too. Of
// the block at the edge, half or a quarter is made if that is enough.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		rows    []lower.Digit
		extents []int64
		want    func(row int64) bool // rows that are made
	}{
		{[]lower.Digit{{Upper: 48, Entry: 0}}, []int64{17, 0}, func(row int64) bool { return row < 18 }},
		{[]lower.Digit{{Upper: 48, Entry: 0}}, []int64{0, 0}, func(int64) bool { return false }},
		{[]lower.Digit{{Upper: 48, Entry: 1}}, []int64{0, 48}, func(int64) bool { return true }},
		{[]lower.Digit{{Upper: 3, Entry: 0}, {Upper: 16, Entry: 1}}, []int64{2, 5},
			func(row int64) bool { return row < 32 && row%16 < 8 }},
		{[]lower.Digit{{Upper: 2, Entry: -1}, {Upper: 24, Entry: 1}}, []int64{2, 9},
			func(row int64) bool { return row%24 < 10 }},
		{[]lower.Digit{{Upper: 4, Entry: -1}, {Upper: 12, Entry: 0}}, []int64{1, 0}, // some blocks lie in two of the first
			func(row int64) bool { return row/8*8/12 != (row/8*8+7)/12 || row/8*8%12 < 1 && row%8 < 2 }},
		{[]lower.Digit{{Upper: 48, Entry: 0}}, []int64{20, 0}, func(row int64) bool { return row < 20 }},
		{[]lower.Digit{{Upper: 3, Entry: 0}, {Upper: 16, Entry: 1}}, []int64{2, 11},
			func(row int64) bool { return row < 32 && row%16 < 12 }},
	} {
		for _, threads := range []int{1, 2, 5, 12} { // of 12 iterations
			within(t, threads, c.rows, c.extents, c.want)
		}
	}
	f, out := blocked()
	extents := &tir.Buffer{Name: "within", Type: tir.I64, Shape: []int64{2}}
	for _, bounds := range []map[*tir.Buffer][][]lower.Digit{nil, {out: {nil, nil}}, {out: {{{Upper: 48, Entry: -1}}, nil}}} {
		if g := lower.Within(f, bounds, nil, extents, 2); g != f {
			t.Errorf("%v: it is another function:\n%s", bounds, g)
		}
	}
}

// within makes the rows of a kernel that are needed.
func within(t *testing.T, threads int, rows []lower.Digit, entries []int64, want func(row int64) bool) {
	t.Helper()
	f, out := blocked()
	extents := &tir.Buffer{Name: "within", Type: tir.I64, Shape: []int64{2}}
	g := lower.Within(f, map[*tir.Buffer][][]lower.Digit{out: {rows, nil}}, nil, extents, threads)
	if err := tir.Check(g); err != nil {
		t.Fatal(err)
	}
	if len(g.Params) != 3 || g.Params[1] != extents || !strings.Contains(g.String(), "if ") {
		t.Fatalf("%v: nothing is left out:\n%s", rows, g)
	}
	if threads == 1 && !strings.Contains(g.String(), "parallel f in 12:") {
		t.Errorf("one thread has another loop\n%s", g)
	}
	if turns := strings.Contains(g.String(), fmt.Sprintf("parallel f_t in %d:", threads)); turns != (threads == 2 || threads == 5) && len(rows) == 1 {
		t.Errorf("%d threads take turns: %t\n%s", threads, turns, g)
	}
	args := interp.NewTensors(g.Params)
	for i := range 48 * 128 {
		binary.LittleEndian.PutUint32(args[0].Data[4*i:], math.Float32bits(1))
	}
	for i, e := range entries {
		binary.LittleEndian.PutUint64(args[1].Data[8*i:], uint64(e))
	}
	if err := interp.RunPart(g, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
		t.Fatal(err)
	}
	for i := range int64(48 * 128) {
		made := math.Float32frombits(binary.LittleEndian.Uint32(args[2].Data[4*i:])) == 2
		if made != want(i/128) {
			t.Fatalf("%v, extents %v: row %d is made: %t", rows, entries, i/128, made)
		}
	}
}

// TestWithinMasks: where all of an iteration is hidden, it writes the number, and where nobody needs it, nothing.
func TestWithinMasks(t *testing.T) {
	f, out := blocked()
	extents := &tir.Buffer{Name: "within", Type: tir.I64, Shape: []int64{2}}
	rows := func(entry int) [][]lower.Digit { return [][]lower.Digit{{{Upper: 48, Entry: entry}}, nil} }
	mask := lower.Mask{Digits: rows(0), Value: &tir.FloatImm{Value: 7, Type: tir.F32}}
	for _, bounds := range []map[*tir.Buffer][][]lower.Digit{nil, {out: rows(1)}} {
		g := lower.Within(f, bounds, map[*tir.Buffer]lower.Mask{out: mask}, extents, 2)
		if err := tir.Check(g); err != nil {
			t.Fatal(err)
		}
		args := interp.NewTensors(g.Params)
		for i := range 48 * 128 {
			binary.LittleEndian.PutUint32(args[0].Data[4*i:], math.Float32bits(1))
		}
		binary.LittleEndian.PutUint64(args[1].Data, 11)
		binary.LittleEndian.PutUint64(args[1].Data[8:], 30)
		if err := interp.RunPart(g, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
			t.Fatal(err)
		}
		for i := range int64(48 * 128) {
			want := float32(2)
			if row := i / 128; row >= 32 && bounds != nil {
				want = 0
			} else if row >= 16 {
				want = 7
			}
			got := math.Float32frombits(binary.LittleEndian.Uint32(args[2].Data[4*i:]))
			if got != want && !(want == 0 && got != 2 && got != 7) {
				t.Fatalf("%v: row %d is %v, want %v\n%s", bounds, i/128, got, want, g)
			}
		}
	}
}

// TestWithinTiles: a product whose tile has accumulators makes the rows of the edge that are needed, in all its loops.
func TestWithinTiles(t *testing.T) {
	a := &tir.Buffer{Name: "A", Type: tir.F32, Shape: []int64{40, 32}}
	b := &tir.Buffer{Name: "B", Type: tir.F32, Shape: []int64{32, 16}}
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{40, 16}}
	acc := &tir.Buffer{Name: "acc", Type: tir.F32, Shape: []int64{10, 16}, Scope: tir.Local}
	tile, k := tir.NewVar("tile"), tir.NewVar("k")
	nest := func(body func(row, column tir.Expr) tir.Stmt) tir.Stmt {
		r, x := tir.NewVar("r"), tir.NewVar("x")
		return &tir.For{Var: r, Extent: tir.Int(10), Kind: tir.Unrolled,
			Body: &tir.For{Var: x, Extent: tir.Int(16), Kind: tir.Vectorized, Body: body(r, x)}}
	}
	load := func(b *tir.Buffer, at ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: at} }
	store := func(b *tir.Buffer, v tir.Expr, at ...tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: b, Index: at, Value: v}
	}
	place := func(r tir.Expr) tir.Expr {
		return tir.Bin(tir.Add, tir.Bin(tir.Mul, tile, tir.Int(10)), r)
	}
	body := tir.Stmt(&tir.Alloc{Buffer: acc, Body: &tir.Seq{Stmts: []tir.Stmt{
		nest(func(r, x tir.Expr) tir.Stmt { return store(acc, tir.Float(tir.F32, 0), r, x) }),
		&tir.For{Var: k, Extent: tir.Int(32), Body: nest(func(r, x tir.Expr) tir.Stmt {
			return store(acc, tir.Bin(tir.Add, load(acc, r, x), tir.Bin(tir.Mul, load(a, place(r), k), load(b, k, x))), r, x)
		})},
		nest(func(r, x tir.Expr) tir.Stmt { return store(c, load(acc, r, x), place(r), x) }),
	}}})
	f := &tir.Func{Name: "main", Params: []*tir.Buffer{a, b, c}, Outputs: 1,
		Body: &tir.For{Var: tile, Extent: tir.Int(4), Kind: tir.Parallel, Body: body}}
	extents := &tir.Buffer{Name: "within", Type: tir.I64, Shape: []int64{1}}
	g := lower.Within(f, map[*tir.Buffer][][]lower.Digit{c: {{{Upper: 40, Entry: 0}}, nil}}, nil, extents, 2)
	if err := tir.Check(g); err != nil {
		t.Fatal(err)
	}
	text := g.String()
	for _, rows := range []int{3, 5, 10} { // each in three loops
		if n := strings.Count(text, fmt.Sprintf("unroll r in %d:", rows)) +
			strings.Count(text, fmt.Sprintf(" in %d:\n", rows)); n < 3 {
			t.Errorf("%d loops of %d rows, want 3\n%s", n, rows, text)
		}
	}
	for _, extent := range []int64{0, 1, 13, 14, 15, 16, 39, 40} {
		args := interp.NewTensors(g.Params)
		for _, i := range []int{0, 1} {
			for at := range len(args[i].Data) / 4 {
				binary.LittleEndian.PutUint32(args[i].Data[4*at:], math.Float32bits(1))
			}
		}
		binary.LittleEndian.PutUint64(args[2].Data, uint64(extent))
		if err := interp.RunPart(g, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
			t.Fatal(err)
		}
		for row := range int64(40) {
			made := math.Float32frombits(binary.LittleEndian.Uint32(args[3].Data[64*row:])) == 32
			left := extent - row/10*10
			want := left > 0 && (left > 5 || row%10 < 5) && (left > 3 || row%10 < 3)
			if made != want {
				t.Errorf("extent %d: row %d is made: %t", extent, row, made)
			}
		}
	}
}

// TestWithinTurns: threads have as much to do as each other where few rows of each block of columns are needed.
func TestWithinTurns(t *testing.T) {
	shape := []int64{128, 1024}
	in := &tir.Buffer{Name: "A", Type: tir.F32, Shape: shape}
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: shape}
	v, x, c := tir.NewVar("f"), tir.NewVar("x"), tir.NewVar("c")
	at := []tir.Expr{ // all rows of a block of columns, then the next block
		tir.Bin(tir.Add, tir.Bin(tir.Mul, tir.Bin(tir.FloorMod, v, tir.Int(16)), tir.Int(8)), x),
		tir.Bin(tir.Add, tir.Bin(tir.Mul, tir.Bin(tir.FloorDiv, v, tir.Int(16)), tir.Int(128)), c)}
	body := tir.Stmt(&tir.Store{Buffer: out, Index: at, Value: tir.Bin(tir.Mul, &tir.Load{Buffer: in, Index: at},
		&tir.FloatImm{Value: 2, Type: tir.F32})})
	body = &tir.For{Var: x, Extent: tir.Int(8), Body: &tir.For{Var: c, Extent: tir.Int(128), Body: body}}
	f := &tir.Func{Name: "main", Params: []*tir.Buffer{in, out}, Outputs: 1,
		Body: &tir.For{Var: v, Extent: tir.Int(128), Kind: tir.Parallel, Body: body}}
	extents := &tir.Buffer{Name: "within", Type: tir.I64, Shape: []int64{1}}
	for _, threads := range []int{2, 4} {
		g := lower.Within(f, map[*tir.Buffer][][]lower.Digit{out: {{{Upper: 128, Entry: 0}}, nil}}, nil, extents, threads)
		for _, rows := range []int64{8, 24, 40, 128} {
			var made []int64 // by each thread
			loop := g.Body.(*tir.For)
			for thread := range threads {
				one := *g
				one.Body = tir.SubstituteStmt(loop.Body, map[*tir.Var]tir.Expr{loop.Var: tir.Int(int64(thread))})
				args := interp.NewTensors(g.Params)
				for i := range len(args[0].Data) / 4 {
					binary.LittleEndian.PutUint32(args[0].Data[4*i:], math.Float32bits(1))
				}
				binary.LittleEndian.PutUint64(args[1].Data, uint64(rows))
				if err := interp.RunPart(&one, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
					t.Fatal(err)
				}
				n := int64(0)
				for i := range len(args[2].Data) / 4 {
					if math.Float32frombits(binary.LittleEndian.Uint32(args[2].Data[4*i:])) == 2 {
						n++
					}
				}
				made = append(made, n)
			}
			if want := rows * 1024 / int64(threads); slices.Max(made) > want {
				t.Errorf("%d threads, %d rows: they make %d elements, want %d each", threads, rows, made, want)
			}
		}
	}
}
