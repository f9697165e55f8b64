package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// A part of a loop is relaxed, the rest stays: every value must be between the
// ends.
func TestRelaxCovers(t *testing.T) {
	env := func(v *tir.Var) (Span, bool) {
		if v == vy {
			r := testRanges[vy]
			return Span{Lo: ConstAffine(r.Lo), Hi: ConstAffine(r.Hi)}, true
		}
		return Span{}, false
	}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		a, f := randomAffine(r, 5)
		checkSpan(t, seed, a.String(), a.Relax(env, testBounds), f)
	}
}

func checkSpan(t *testing.T, seed uint64, text string, sp Span, f func(map[*tir.Var]int64) int64) {
	t.Helper()
	if sp.Lo.Uses(vy) || sp.Hi.Uses(vy) {
		t.Errorf("seed %d: %s: ends %s, %s depend on y", seed, text, sp.Lo, sp.Hi)
	}
	size, exact := sp.Size(testBounds)
	failed := false
	everywhere(func(m map[*tir.Var]int64) {
		v, lo, hi := f(m), sp.Lo.value(m), sp.Hi.value(m)
		if (v < lo || v > hi || hi-lo >= size || exact && hi-lo+1 != size) && !failed {
			failed = true
			t.Errorf("seed %d: %s: %d is not in %d..%d (%s..%s) of size %d", seed, text, v, lo, hi, sp.Lo, sp.Hi, size)
		}
	})
}

func TestSpansAreTight(t *testing.T) {
	c := ConstAffine
	tile := Span{Lo: x.Times(4), Hi: x.Times(4).AddConst(3)}
	for _, tt := range []struct {
		got            Span
		lo, hi         string
		size           int64
		exact, isPoint bool
	}{
		{tile.FloorDiv(4, nil), "x", "x", 1, true, true},
		{tile.FloorDiv(8, nil), "floordiv(x, 2)", "floordiv(x, 2)", 1, true, true},
		{tile.FloorMod(8, nil), "(floormod(x, 2)*4)", "((floormod(x, 2)*4) + 3)", 4, true, false},
		{tile.FloorMod(6, nil), "0", "5", 6, true, false},
		{tile.FloorDiv(6, nil), "floordiv((x*2), 3)", "floordiv(((x*2) + 1), 3)", 2, false, false},
		{tile.Times(6).FloorMod(3, nil), "0", "0", 1, true, true}, // multiples of 6
		{tile.Times(6).Plus(PointSpan(y)).FloorMod(3, nil), "floormod(y, 3)", "floormod(y, 3)", 1, true, true},
		{tile.Times(6).Plus(tile.Times(4)).FloorMod(2, nil), "0", "0", 1, true, true},
		{tile.Times(6).Plus(tile.Times(4)).FloorMod(3, nil), "0", "2", 3, true, false},
		{tile.Times(6).Plus(tile).FloorMod(3, nil), "0", "2", 3, true, false},
		{tile.Times(-6).Plus(PointSpan(c(1))).FloorMod(3, nil), "1", "1", 1, true, true},
		{tile.Times(-1), "((x*-4) - 3)", "(x*-4)", 4, true, false},
		{PointSpan(z).FloorMod(4, nil), "floormod(z, 4)", "floormod(z, 4)", 1, true, true},
		{Span{Lo: y, Hi: y.AddConst(2)}.FloorMod(8, testBounds), "y", "(y + 2)", 3, true, false},
		{tile.Union(Span{Lo: x.Times(4).AddConst(2), Hi: x.Times(4).AddConst(9)}, nil), "(x*4)", "((x*4) + 9)", 10, true, false},
		{tile.Union(PointSpan(c(0)), testBounds), "0", "((x*4) + 3)", 28, false, false},
		{PointSpan(x).Union(PointSpan(y), testBounds), "min(x, y)", "max(x, y)", 7, false, false},
	} {
		size, exact := tt.got.Size(testBounds)
		if tt.got.Lo.String() != tt.lo || tt.got.Hi.String() != tt.hi || size != tt.size || exact != tt.exact || tt.got.IsPoint() != tt.isPoint {
			t.Errorf("got %s..%s, %d %v, want %s..%s, %d %v", tt.got.Lo, tt.got.Hi, size, exact, tt.lo, tt.hi, tt.size, tt.exact)
		}
	}
}

func TestExprSpan(t *testing.T) {
	env := func(v *tir.Var) (Span, bool) { return Span{Lo: ConstAffine(0), Hi: ConstAffine(3)}, v == vy }
	b := func(op tir.BinOp, x, y tir.Expr) tir.Expr { return tir.Bin(op, x, y) }
	buf := &tir.Buffer{Name: "b", Type: tir.I64, Shape: []int64{8}}
	for _, tt := range []struct {
		e    tir.Expr
		want string
	}{
		{tir.Int(5), "5..5"},
		{vx, "x..x"},
		{b(tir.Add, vx, vy), "x..(x + 3)"},
		{b(tir.Sub, vx, vy), "(x - 3)..x"},
		{b(tir.Mul, vy, tir.Int(2)), "0..6"},
		{b(tir.Mul, tir.Int(-2), vy), "-6..0"},
		{b(tir.Mul, vy, vy), "none"},
		{b(tir.FloorDiv, vy, tir.Int(2)), "0..1"},
		{b(tir.FloorDiv, vy, vx), "none"},
		{b(tir.FloorDiv, vy, tir.Int(-2)), "none"},
		{b(tir.FloorMod, b(tir.Add, vy, tir.Int(8)), tir.Int(8)), "0..3"},
		{b(tir.FloorMod, vy, tir.Int(0)), "none"},
		{b(tir.Min, vy, tir.Int(1)), "0..1"},
		{b(tir.Max, vy, tir.Int(1)), "1..3"},
		{b(tir.LT, vy, tir.Int(1)), "none"},
		{&tir.Cast{X: vy, To: tir.I32}, "0..3"},
		{&tir.Cast{X: tir.Float(tir.F32, 1), To: tir.I64}, "none"},
		// A conversion to a type that does not have the value wraps around.
		{&tir.Cast{X: b(tir.Mul, vy, tir.Int(85)), To: tir.U8}, "0..255"},
		{&tir.Cast{X: b(tir.Mul, vy, tir.Int(86)), To: tir.U8}, "none"},
		{&tir.Cast{X: b(tir.Sub, vy, tir.Int(1)), To: tir.U8}, "none"},
		{&tir.Cast{X: b(tir.Sub, vy, tir.Int(1)), To: tir.I8}, "-1..2"},
		{&tir.Cast{X: b(tir.Sub, vy, tir.Int(1)), To: tir.U64}, "none"},
		// So does arithmetic in such a type.
		{b(tir.Sub, &tir.Cast{X: vy, To: tir.U16}, tir.Const(tir.U16, 3)), "none"},
		{b(tir.Add, &tir.Cast{X: vy, To: tir.U16}, tir.Const(tir.U16, 3)), "3..6"},
		{b(tir.FloorMod, &tir.IntImm{Value: -1, Type: tir.U64}, &tir.IntImm{Value: 8, Type: tir.U64}), "none"},
		{&tir.Cast{X: &tir.Cast{X: vy, To: tir.U64}, To: tir.I64}, "0..3"},
		{&tir.Select{Cond: tir.BoolImm(true), Then: vy, Else: tir.Int(9)}, "0..9"},
		{&tir.Select{Cond: tir.BoolImm(true), Then: vy, Else: &tir.Load{Buffer: buf, Index: []tir.Expr{vy}}}, "none"},
		{b(tir.Add, vy, &tir.Load{Buffer: buf, Index: []tir.Expr{vy}}), "none"},
	} {
		got := "none"
		if sp, ok := ExprSpan(tt.e, env, testBounds); ok {
			got = sp.Lo.String() + ".." + sp.Hi.String()
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.e, got, tt.want)
		}
	}
}
