package interp

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// multiplies is a warp that copies A and B to shared memory, each thread a part, multiplies them after
// the statements between, and stores its elements to C.
func multiplies(between tir.Stmt, lane func(tx tir.Expr) tir.Expr) *tir.Func {
	a, b, c := buffer("A", tir.F16, 16, 16), buffer("B", tir.F16, 16, 8), buffer("C", tir.F32, 16, 8)
	sa := &tir.Buffer{Name: "SA", Type: tir.F16, Shape: []int64{16, 16}, Scope: tir.Shared}
	sb := &tir.Buffer{Name: "SB", Type: tir.F16, Shape: []int64{16, 8}, Scope: tir.Shared}
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
		f := multiplies(barrier(), self)
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
		f := multiplies(c.between, c.lane)
		if err := Run(f, tensors(f), Options{Races: true}); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.what, err, c.why)
		}
	}
}
