package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

var (
	vx, vy, vz = tir.NewVar("x"), tir.NewVar("y"), tir.NewVar("z")
	testRanges = map[*tir.Var]Interval{vx: {0, 6}, vy: {0, 3}, vz: {-2, 5}}
	x, y, z    = VarAffine(vx), VarAffine(vy), VarAffine(vz)
)

func testBounds(v *tir.Var) (Interval, bool) { r, ok := testRanges[v]; return r, ok }

func TestAffineForms(t *testing.T) {
	c := ConstAffine
	for _, tt := range []struct {
		got  Affine
		want string
	}{
		{x.Plus(y).Minus(x), "y"},
		{x.Times(4).Plus(y).FloorDiv(4, testBounds), "x"},
		{x.Times(4).Plus(y).FloorMod(4, testBounds), "y"},
		{x.Times(4).Plus(z).FloorDiv(4, testBounds), "(x + floordiv(z, 4))"},
		{x.Times(6).Plus(y.Times(4)).AddConst(3).FloorDiv(8, nil), "floordiv((((x*3) + (y*2)) + 1), 4)"},
		{x.Times(6).Plus(y.Times(4)).AddConst(3).FloorMod(8, nil), "((floormod((((x*3) + (y*2)) + 1), 4)*2) + 1)"},
		{x.Times(4).Plus(y).FloorDiv(12, testBounds), "floordiv(x, 3)"},
		{x.Times(4).Plus(y).FloorMod(12, testBounds), "((floormod(x, 3)*4) + y)"},
		{x.FloorDiv(2, nil).FloorDiv(3, nil), "floordiv(x, 6)"},
		{x.FloorDiv(2, nil).AddConst(1).FloorDiv(3, nil), "floordiv((x + 2), 6)"},
		{x.FloorMod(6, nil).FloorMod(3, nil), "floormod(x, 3)"},
		{z.FloorMod(6, nil).FloorDiv(3, nil), "floormod(floordiv(z, 3), 2)"},
		{z.FloorDiv(3, nil).Times(3).Plus(z.FloorMod(3, nil)), "z"},
		{z.FloorDiv(3, nil).Times(6).Plus(z.FloorMod(3, nil).Times(2)).Plus(y), "((z*2) + y)"},
		{z.FloorDiv(12, nil).Times(3).Plus(z.FloorDiv(4, nil).FloorMod(3, nil)), "floordiv(z, 4)"},
		{z.FloorDiv(4, nil).FloorMod(3, nil).Times(4).Plus(z.FloorMod(4, nil)), "floormod(z, 12)"},
		{z.FloorDiv(4, nil).FloorMod(3, nil).Times(4).Plus(y).Plus(z.FloorMod(4, nil)), "(y + floormod(z, 12))"},
		{x.Times(-1).AddConst(3), "((x*-1) + 3)"},
		{y.Minus(x.Times(2)).AddConst(-3), "((y - (x*2)) - 3)"},
		{x.Min(x.AddConst(2), testBounds), "x"},
		{x.Min(x.AddConst(-2), testBounds), "(x - 2)"},
		{x.Max(y, testBounds), "max(x, y)"},
		{x.Max(c(6), testBounds), "6"},
		{x.Times(0), "0"},
		{c(-7).FloorDiv(2, nil), "-4"},
		{c(-7).FloorMod(2, nil), "1"},
	} {
		if got := tt.got.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestUses(t *testing.T) {
	a := x.FloorDiv(3, nil).Min(y.FloorMod(3, nil), nil).Plus(ConstAffine(1))
	if !a.Uses(vx) || !a.Uses(vy) || a.Uses(vz) {
		t.Errorf("%s uses x, y and not z", a)
	}
}

// randomAffine builds the same value as a simplified form and as a function.
func randomAffine(r *rand.Rand, depth int) (Affine, func(map[*tir.Var]int64) int64) {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(4) == 0 {
			c := r.Int64N(9) - 4
			return ConstAffine(c), func(map[*tir.Var]int64) int64 { return c }
		}
		v := []*tir.Var{vx, vy, vz}[r.IntN(3)]
		return VarAffine(v), func(m map[*tir.Var]int64) int64 { return m[v] }
	}
	a, f := randomAffine(r, depth-1)
	switch r.IntN(8) {
	case 0, 1:
		b, g := randomAffine(r, depth-1)
		return a.Plus(b), func(m map[*tir.Var]int64) int64 { return f(m) + g(m) }
	case 2:
		b, g := randomAffine(r, depth-1)
		return a.Minus(b), func(m map[*tir.Var]int64) int64 { return f(m) - g(m) }
	case 3:
		c := r.Int64N(13) - 6
		return a.Times(c), func(m map[*tir.Var]int64) int64 { return f(m) * c }
	case 4:
		n := 1 + r.Int64N(12)
		return a.FloorDiv(n, testBounds), func(m map[*tir.Var]int64) int64 { return FloorDiv(f(m), n) }
	case 5:
		n := 1 + r.Int64N(12)
		return a.FloorMod(n, testBounds), func(m map[*tir.Var]int64) int64 { return floorMod(f(m), n) }
	case 6:
		b, g := randomAffine(r, depth-1)
		return a.Min(b, testBounds), func(m map[*tir.Var]int64) int64 { return min(f(m), g(m)) }
	}
	b, g := randomAffine(r, depth-1)
	return a.Max(b, testBounds), func(m map[*tir.Var]int64) int64 { return max(f(m), g(m)) }
}

// everywhere calls f for each point of testRanges.
func everywhere(f func(m map[*tir.Var]int64)) {
	m := map[*tir.Var]int64{}
	for m[vx] = testRanges[vx].Lo; m[vx] <= testRanges[vx].Hi; m[vx]++ {
		for m[vy] = testRanges[vy].Lo; m[vy] <= testRanges[vy].Hi; m[vy]++ {
			for m[vz] = testRanges[vz].Lo; m[vz] <= testRanges[vz].Hi; m[vz]++ {
				f(m)
			}
		}
	}
}

// value computes an affine form at a point.
func (a Affine) value(m map[*tir.Var]int64) int64 {
	v := a.Const
	for _, t := range a.terms {
		var w int64
		switch x := t.atom; x.kind {
		case varAtom:
			w = m[x.v]
		case divAtom:
			w = FloorDiv(x.x.value(m), x.n)
		case modAtom:
			w = floorMod(x.x.value(m), x.n)
		case minAtom:
			w = min(x.x.value(m), x.y.value(m))
		case maxAtom:
			w = max(x.x.value(m), x.y.value(m))
		}
		v += t.coef * w
	}
	return v
}

func TestAffineKeepsValuesAndBounds(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, f := randomAffine(r, 5)
		bounds, ok := a.Range(testBounds)
		if !ok {
			t.Fatalf("seed %d: %s has no bounds", seed, a)
		}
		failed := false
		everywhere(func(m map[*tir.Var]int64) {
			v := f(m)
			if got := a.value(m); got != v && !failed {
				failed = true
				t.Errorf("seed %d: %s is %d at %d %d %d, want %d", seed, a, got, m[vx], m[vy], m[vz], v)
			}
			if (v < bounds.Lo || v > bounds.Hi) && !failed {
				failed = true
				t.Errorf("seed %d: %s is %d, outside %v", seed, a, v, bounds)
			}
		})
	}
}

func BenchmarkAffineFloorDiv(b *testing.B) {
	a := x.Times(12).Plus(y.Times(4)).Plus(z)
	for b.Loop() {
		a.FloorDiv(24, testBounds)
	}
}

// TestFloorDiv: quotients are rounded down, whatever the signs.
func TestFloorDiv(t *testing.T) {
	for _, c := range []struct{ a, n, want int64 }{
		{7, 2, 3}, {-7, 2, -4}, {7, -2, -4}, {-7, -2, 3}, {6, 3, 2}, {-6, 3, -2}, {6, -3, -2}, {-6, -3, 2}, {0, 5, 0},
		{0, -5, 0}, {1, 5, 0}, {-1, 5, -1},
	} {
		if got := FloorDiv(c.a, c.n); got != c.want {
			t.Errorf("%d/%d is %d, want %d", c.a, c.n, got, c.want)
		}
	}
}
