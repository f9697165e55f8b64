package lower_test

import (
	"encoding/binary"
	"fmt"
	"math"
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

// TestWithin: iterations whose rows nobody needs are left out, and no others: of rows that count in two digits, too.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		rows    []lower.Digit
		extents []int64
		want    func(row int64) bool // rows that are made
	}{
		{[]lower.Digit{{Upper: 48, Entry: 0}}, []int64{17, 0}, func(row int64) bool { return row < 24 }},
		{[]lower.Digit{{Upper: 48, Entry: 0}}, []int64{0, 0}, func(int64) bool { return false }},
		{[]lower.Digit{{Upper: 48, Entry: 1}}, []int64{0, 48}, func(int64) bool { return true }},
		{[]lower.Digit{{Upper: 3, Entry: 0}, {Upper: 16, Entry: 1}}, []int64{2, 5},
			func(row int64) bool { return row < 32 && row%16 < 8 }},
		{[]lower.Digit{{Upper: 2, Entry: -1}, {Upper: 24, Entry: 1}}, []int64{2, 9},
			func(row int64) bool { return row%24 < 16 }},
		{[]lower.Digit{{Upper: 4, Entry: -1}, {Upper: 12, Entry: 0}}, []int64{1, 0}, // some blocks lie in two of the first
			func(row int64) bool { return row/8*8/12 != (row/8*8+7)/12 || row/8*8%12 < 1 }},
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
	if turns := strings.Contains(g.String(), fmt.Sprintf("parallel f_t in %d:", threads)); turns != (threads == 2 || threads == 5) {
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
