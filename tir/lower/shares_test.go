package lower_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// fused is a kernel over 6 rows, 4 columns and 8 channels whose threads have halves of the columns, or blocks of the
// channels: the digits of f are columns, channels, rows, the slowest first.
func fused() (f *tir.Func, in, out *tir.Buffer) {
	shape := []int64{6, 4, 8}
	in = &tir.Buffer{Name: "A", Type: tir.F32, Shape: shape}
	out = &tir.Buffer{Name: "C", Type: tir.F32, Shape: shape}
	v, x, c := tir.NewVar("f"), tir.NewVar("x"), tir.NewVar("c")
	div := func(n int64) tir.Expr { return tir.Bin(tir.FloorDiv, v, tir.Int(n)) }
	at := []tir.Expr{
		tir.Bin(tir.FloorMod, v, tir.Int(6)),
		tir.Bin(tir.Add, tir.Bin(tir.Mul, div(24), tir.Int(2)), x),
		tir.Bin(tir.Add, tir.Bin(tir.Mul, tir.Bin(tir.FloorMod, div(6), tir.Int(4)), tir.Int(2)), c),
	}
	body := tir.Stmt(&tir.Store{Buffer: out, Index: at, Value: tir.Bin(tir.Mul, &tir.Load{Buffer: in, Index: at},
		&tir.FloatImm{Value: 3, Type: tir.F32})})
	body = &tir.For{Var: x, Extent: tir.Int(2), Body: &tir.For{Var: c, Extent: tir.Int(2), Body: body}}
	return &tir.Func{Name: "main", Params: []*tir.Buffer{in, out}, Outputs: 1,
		Body: &tir.For{Var: v, Extent: tir.Int(48), Kind: tir.Parallel, Body: body}}, in, out
}

// TestShares: a thread has rows, or what it has of the input; the result is the same.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		name   string
		period int64 // of the input's division
		rows   bool
		want   string // of the store's place
		got    int64  // period of the output's
	}{
		{"as it is", 0, false, "C[floormod(f, 6), ((floordiv(f, 24)*2) + x), ((floormod(floordiv(f, 6), 4)*2) + c)]", 32},
		{"rows", 0, true, "C[floordiv(f, 8), ((floormod(floordiv(f, 4), 2)*2) + x), ((floormod(f, 4)*2) + c)]", 192},
		{"like an input by rows", 192, false,
			"C[floordiv(f, 8), ((floormod(floordiv(f, 4), 2)*2) + x), ((floormod(f, 4)*2) + c)]", 192},
		{"like an input by channels", 8, true,
			"C[floormod(f, 6), ((floormod(floordiv(f, 6), 2)*2) + x), ((floordiv(f, 12)*2) + c)]", 8},
		{"like an input by columns", 32, true,
			"C[floormod(f, 6), ((floordiv(f, 24)*2) + x), ((floormod(floordiv(f, 6), 4)*2) + c)]", 32},
		{"like no input", 50, true,
			"C[floordiv(f, 8), ((floormod(floordiv(f, 4), 2)*2) + x), ((floormod(f, 4)*2) + c)]", 192},
	} {
		f, in, out := fused()
		g, periods := lower.Shares(f, map[*tir.Buffer]int64{in: c.period}, c.rows, target.Generic(32, 2))
		if err := tir.Check(g); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if text := g.String(); !strings.Contains(text, c.want+" =") || periods[out] != c.got {
			t.Errorf("%s: period %d, want %d\n%s\nwant %s", c.name, periods[out], c.got, text, c.want)
		}
		args := interp.NewTensors(f.Params)
		for i := range in.Elems() {
			binary.LittleEndian.PutUint32(args[0].Data[4*i:], math.Float32bits(float32(i)))
		}
		if err := interp.Run(g, args, interp.Options{Shuffle: true, Races: true}); err != nil {
			t.Fatal(err)
		}
		for i := range out.Elems() {
			if v := math.Float32frombits(binary.LittleEndian.Uint32(args[1].Data[4*i:])); v != float32(3*i) {
				t.Fatalf("%s: element %d is %g", c.name, i, v)
			}
		}
	}
}

// TestSharesUnknown: a loop of no constant length, and one whose digits do not divide each other, stay as they are.
func TestSharesUnknown(t *testing.T) {
	f, _, _ := fused()
	loop := *f.Body.(*tir.For)
	loop.Extent = tir.NewVar("n")
	f.Body = &loop
	if g, periods := lower.Shares(f, nil, true, target.Generic(32, 2)); g != f || len(periods) != 0 {
		t.Errorf("of no constant length: %v\n%s", periods, g)
	}
	f, _, out := fused()
	odd := *f.Body.(*tir.For)
	odd.Body = &tir.Store{Buffer: out, Index: []tir.Expr{
		tir.Bin(tir.FloorMod, odd.Var, tir.Int(6)), tir.Bin(tir.FloorMod, odd.Var, tir.Int(4)), tir.Int(0),
	}, Value: &tir.FloatImm{Value: 1, Type: tir.F32}}
	f.Body = &odd
	if g, _ := lower.Shares(f, nil, true, target.Generic(32, 2)); g != f {
		t.Errorf("of digits that do not divide each other:\n%s", g)
	}
}

// TestSharesFurthest: without inputs to follow, a thread has rows, whichever digit counts them.
func TestSharesFurthest(t *testing.T) {
	f, _, _ := fused()
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{3, 4, 2}}
	loop := *f.Body.(*tir.For)
	loop.Extent = tir.Int(24)
	loop.Body = &tir.Store{Buffer: out, Index: []tir.Expr{
		tir.Bin(tir.FloorMod, tir.Bin(tir.FloorDiv, loop.Var, tir.Int(4)), tir.Int(3)),
		tir.Bin(tir.FloorMod, loop.Var, tir.Int(4)), tir.Bin(tir.FloorDiv, loop.Var, tir.Int(12)),
	}, Value: &tir.FloatImm{Value: 1, Type: tir.F32}}
	f.Params, f.Body = []*tir.Buffer{out}, &loop
	const want = "C[floordiv(f, 8), floormod(f, 4), floormod(floordiv(f, 4), 2)] ="
	g, periods := lower.Shares(f, nil, true, target.Generic(32, 2))
	if periods[out] != 24 || !strings.Contains(g.String(), want) {
		t.Errorf("period %d, want 24\n%s\nwant %s", periods[out], g, want)
	}
}

// TestSharesWeights: a product whose input is divided by rows has rows, too, unless it would read its weights again for
// each of them and no cache holds these.
func TestSharesWeights(t *testing.T) {
	const rows = 4
	wide := target.Generic(64, 2)
	wide.Features = []string{"avx512f"}
	for _, c := range []struct {
		name  string
		depth int64
		width int64   // of a block of columns; there are two blocks
		near  float64 // bytes that a cache holds; -1: as the target has it
		on    target.Target
		rows  bool
	}{
		{"few weights", 16, 1, 0, wide, true},
		{"many weights", 16, 64, 0, wide, false},
		{"many weights in a cache", 16, 64, 1 << 20, wide, true},
		{"320 KB of weights in 256 KB", 8192, 5, -1, target.Generic(32, 2), false},
		{"320 KB of weights in 1 MB", 8192, 5, -1, wide, true},
	} {
		restore, depth := func() {}, c.depth
		if c.near >= 0 {
			restore = lower.NearBytes(c.near)
		}
		a, b := buf("A", tir.F32, rows, depth), buf("B", tir.F32, 2, depth, c.width)
		out := buf("C", tir.F32, rows, 2*c.width)
		f, j, k := v("f"), v("j"), v("k")
		row, block := tir.Bin(tir.FloorMod, f, tir.Int(rows)), tir.Bin(tir.FloorDiv, f, tir.Int(rows))
		column := add(mul(block, n(c.width)), j)
		p := fn("product", 1, loop(tir.Parallel, f, 2*rows, loop(tir.Serial, j, c.width, loop(tir.Serial, k, depth,
			set(out, add(at(out, row, column), mul(at(a, row, k), at(b, block, k, j))), row, column)))), a, b, out)
		g, periods := lower.Shares(p, map[*tir.Buffer]int64{a: rows * depth}, true, c.on)
		restore()
		period, want := 2*c.width, "C[floormod(f, 4), "
		if c.rows {
			period, want = rows*2*c.width, "C[floordiv(f, 2), "
		}
		if !strings.Contains(g.String(), want) || periods[out] != period {
			t.Errorf("%s: period %d, want %d\n%s\nwant %s", c.name, periods[out], period, g, want)
		}
	}
}
