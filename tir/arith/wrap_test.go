package arith

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestDataWrapsAround: arithmetic on elements of int64 is not that of numbers; on elements in a known range it is.
func TestDataWrapsAround(t *testing.T) {
	element := func(name string, typ tir.DType) tir.Expr {
		return &tir.Load{Buffer: &tir.Buffer{Name: name, Type: typ, Shape: []int64{8}}, Index: []tir.Expr{vi}}
	}
	op := tir.Bin
	x, y, few := element("X", tir.I64), element("Y", tir.I64), &tir.Cast{X: element("W", tir.I32), To: tir.I64}
	clamp := op(tir.Max, op(tir.Min, x, tir.Int(99)), tir.Int(0))
	wrapped := &tir.Select{Cond: op(tir.LT, few, tir.Int(0)), Then: plus(few, tir.Int(9)), Else: few}
	inside := op(tir.And, op(tir.GE, x, tir.Int(0)), less(x, 100))
	guarded := func(e tir.Expr) tir.Expr { return &tir.Select{Cond: inside, Then: e, Else: tir.Int(0), Lazy: true} }
	random := func(x tir.Expr) tir.Expr { return plus(mult(x, 6364136223846793005), tir.Int(1442695040888963407)) }
	for _, tt := range []struct {
		e    tir.Expr
		want string
	}{
		{mod(random(x), 1000000), "floormod(((X[i]*6364136223846793005) + 1442695040888963407), 1000000)"},
		{mod(random(few), 1000000), "floormod(((int64(W[i])*6364136223846793005) + 1442695040888963407), 1000000)"},
		{mod(random(vi), 1000000), "floormod(((i*6364136223846793005) + 1442695040888963407), 1000000)"},
		{floor(mult(x, 4), 4), "floordiv((X[i]*4), 4)"},
		{floor(plus(mult(x, 4), vj), 8), "floordiv(((X[i]*4) + j), 8)"},
		{floor(floor(x, 1<<40), 1<<40), "floordiv(floordiv(X[i], 1099511627776), 1099511627776)"},
		{op(tir.GT, plus(x, tir.Int(1)), x), "((X[i] + 1) > X[i])"},
		{op(tir.GT, minus(x, y), minus(x, plus(y, tir.Int(1)))), "((X[i] - Y[i]) > ((X[i] - Y[i]) - 1))"},
		{op(tir.Max, plus(x, tir.Int(1)), x), "max((X[i] + 1), X[i])"},
		{op(tir.And, op(tir.LE, plus(x, tir.Int(5)), y), op(tir.LE, x, y)), "(((X[i] + 5) <= Y[i]) && (X[i] <= Y[i]))"},
		{op(tir.And, less(plus(x, tir.Int(5)), 10), less(x, 5)), "(((X[i] + 5) < 10) && (X[i] < 5))"},
		{less(tir.Int(math.MinInt64), math.MaxInt64), "(-9223372036854775808 < 9223372036854775807)"},
		{less(plus(vi, tir.Int(math.MaxInt64-1)), 0), "((i + 9223372036854775806) < 0)"},
		// Sums are what they are modulo 2^64.
		{minus(plus(x, vi), x), "i"},
		{op(tir.EQ, plus(x, tir.Int(1)), x), "(bool)0"},
		{plus(mult(floor(x, 5), 5), mod(x, 5)), "X[i]"},
		// Nothing is computed.
		{floor(floor(x, 3), 5), "floordiv(X[i], 15)"},
		{op(tir.And, op(tir.LT, x, y), op(tir.LE, x, y)), "(X[i] < Y[i])"},
		// Clamped, of few bits, or under a guard, it cannot wrap around.
		{floor(plus(mult(clamp, 4), vj), 4), "max(min(X[i], 99), 0)"},
		{op(tir.GT, plus(clamp, tir.Int(1)), clamp), "(bool)1"},
		{floor(plus(mult(few, 4), vj), 8), "floordiv(int64(W[i]), 2)"},
		{op(tir.GT, plus(few, tir.Int(1)), few), "(bool)1"},
		{mod(plus(mult(wrapped, 4), vj), 4), "j"},
		{mod(plus(mult(floor(few, 3), 4), vj), 4), "j"},
		{mod(plus(mult(op(tir.BitAnd, x, tir.Int(63)), 4), vj), 4), "j"},
		{guarded(floor(plus(mult(x, 4), vj), 4)), "tir.if_then_else(((X[i] >= 0) && (X[i] < 100)), X[i], 0)"},
		// A variable of which nothing is known is an index.
		{floor(plus(mult(tir.NewVar("v"), 4), vj), 4), "v"},
	} {
		if got := newTestSimplifier().Expr(tt.e).String(); got != tt.want {
			t.Errorf("%s => %s, want %s", tt.e, got, tt.want)
		}
	}
	s := newTestSimplifier()
	if _, _, ok := s.Solve(op(tir.LT, plus(x, mult(vi, 4)), tir.Int(60)), vi); ok {
		t.Error("what may wrap around is solved")
	}
}

// TestRandomData evaluates random expressions of indices and of data, before and after, at random numbers.
func TestRandomData(t *testing.T) {
	numbers := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1 << 32, -1, 0, 1, 3, 1 << 31, 1 << 60, 1 << 62,
		math.MaxInt64}
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 2))
		number := func() int64 {
			if r.IntN(2) == 0 {
				return numbers[r.IntN(len(numbers))]
			}
			return int64(r.Uint64()) >> r.IntN(64)
		}
		s := newTestSimplifier()
		x := tir.NewVar("x")
		s.Bind(x, math.MinInt64, math.MaxInt64)
		e := randomIndex(r, 3)
		if r.IntN(2) == 0 {
			e = randomCond(r, 2)
		}
		factor := int64(1)
		if r.IntN(4) == 0 {
			factor = number()
		}
		e = tir.Substitute(e, map[*tir.Var]tir.Expr{vk: x, vj: mult(vj, factor)})
		got := s.Expr(e)
		for range 30 {
			at := map[*tir.Var]int64{vi: r.Int64N(8), vj: r.Int64N(4), x: number()}
			if want, v := eval(e, at), eval(got, at); v != want {
				t.Errorf("seed %d: %s => %s: %d becomes %d at i=%d j=%d x=%d", seed, e, got, want, v, at[vi], at[vj], at[x])
				break
			}
		}
	}
}
