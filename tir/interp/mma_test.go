package interp

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// multiplies is a warp that copies A and B to shared memory, each thread a part, multiplies them after
// the statements between, and stores its elements to C.
func multiplies(typ tir.DType, between tir.Stmt, lane func(tx tir.Expr) tir.Expr) *tir.Func {
	depth := tir.MMADepth(typ)
	a, b, c := buffer("A", typ, 16, depth), buffer("B", typ, depth, 8), buffer("C", tir.F32, 16, 8)
	sa := &tir.Buffer{Name: "SA", Type: typ, Shape: []int64{16, depth}, Scope: tir.Shared}
	sb := &tir.Buffer{Name: "SB", Type: typ, Shape: []int64{depth, 8}, Scope: tir.Shared}
	own := &tir.Buffer{Name: "own", Type: tir.F32, Shape: []int64{4}, Scope: tir.Local}
	tx, e := tir.NewVar("tx"), tir.NewVar("e")
	fetch := func(to, from *tir.Buffer) tir.Stmt {
		i := tir.NewVar("i")
		at := add(tir.Bin(tir.Mul, i, tir.Int(32)), tx)
		n := from.Shape[1]
		row, col := tir.Bin(tir.FloorDiv, at, tir.Int(n)), tir.Bin(tir.FloorMod, at, tir.Int(n))
		return &tir.For{Var: i, Extent: tir.Int(from.Elems() / 32), Body: store(to, load(from, row, col), row, col)}
	}
	loop := func(body tir.Stmt) tir.Stmt { return &tir.For{Var: e, Extent: tir.Int(4), Body: body} }
	row, col := tir.MMAPlace(tx, e)
	body := tir.Sequence(loop(store(own, tir.Float(tir.F32, 1), e)), fetch(sa, a), fetch(sb, b), between,
		&tir.MMA{Buffer: own, Lane: lane(tx),
			A: tir.Operand{First: load(sa, tir.Int(0), tir.Int(0)).(*tir.Load), Row: []int64{1, 0}, Col: []int64{0, 1}},
			B: tir.Operand{First: load(sb, tir.Int(0), tir.Int(0)).(*tir.Load), Row: []int64{1, 0}, Col: []int64{0, 1}}},
		tir.FreshLoops(loop(store(c, load(own, e), row, col))))
	for _, s := range []*tir.Buffer{own, sb, sa} {
		body = &tir.Alloc{Buffer: s, Body: body}
	}
	return function(1, &tir.For{Var: tx, Extent: tir.Int(32), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: body}, a, b, c)
}

// TestMMA: each lane adds its elements of the product, in float32, of what was there before the
// last barrier.
func TestMMA(t *testing.T) {
	self := func(tx tir.Expr) tir.Expr { return tx }
	for _, opt := range []Options{{Races: true}, {Races: true, Reverse: true}, {Races: true, Shuffle: true}} {
		f := multiplies(tir.F16, barrier(), self)
		args := tensors(f)
		if err := Run(f, args, opt); err != nil {
			t.Fatal(err)
		}
		for i := range 16 {
			for j := range 8 {
				want := 1.0
				for k := range 16 {
					want += args[0].Float(i*16+k) * args[1].Float(k*8+j)
				}
				if got := args[2].Float(i*8 + j); got != want {
					t.Errorf("C[%d, %d] is %g, want %g", i, j, got, want)
				}
			}
		}
	}
	for _, c := range []struct {
		what    string
		between tir.Stmt
		lane    func(tir.Expr) tir.Expr
		why     string
	}{
		{"no barrier", nil, self, "race: a warp reads SA[0, 0], which thread 0 wrote with no barrier between"},
		{"another lane", barrier(), func(tx tir.Expr) tir.Expr { return tir.Bin(tir.Sub, tir.Int(31), tx) }, "is said to be lane 31"},
	} {
		f := multiplies(tir.F16, c.between, c.lane)
		if err := Run(f, tensors(f), Options{Races: true}); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.what, err, c.why)
		}
	}
}

// TestMMARounds: elements of float32 are rounded to 10 bits of mantissa before they are
// multiplied, halves away from zero.
func TestMMARounds(t *testing.T) {
	f := multiplies(tir.F32, barrier(), func(tx tir.Expr) tir.Expr { return tx })
	args := tensors(f)
	pairs := []struct{ exact, kept float64 }{
		{0x1.002p0, 0x1.004p0}, {-0x1.002p0, -0x1.004p0}, {0x1.001ffep0, 1}, {0x1.ffep0, 2}, {0x1.006p-3, 0x1.008p-3}, {0x1.004p5, 0x1.004p5}, {0, 0}, {-0x1.8p-130, -0x1.8p-130},
	}
	for i := range 16 {
		for k, p := range pairs {
			args[0].SetFloat(i*8+k, p.exact)
		}
	}
	for k := range pairs {
		for j := range 8 {
			args[1].SetFloat(k*8+j, 0)
		}
		args[1].SetFloat(k*8+k, 0x1.002p1)
	}
	if err := Run(f, args, Options{Races: true}); err != nil {
		t.Fatal(err)
	}
	for j, p := range pairs {
		if got, want := args[2].Float(3*8+j), 1+p.kept*0x1.004p1; got != float64(float32(want)) {
			t.Errorf("1 + %x * 0x1.002p1 is %x, want %x", p.exact, got, want)
		}
	}
	for _, v := range []float64{math.Inf(1), math.Inf(-1)} {
		if got := roundTF32(float32(v)); float64(got) != v {
			t.Errorf("%v becomes %v", v, got)
		}
	}
	if nan := math.Float32frombits(0xffffffff); roundTF32(nan) == roundTF32(nan) {
		t.Error("what is no number becomes one")
	}
}
