package arith

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

var (
	vi, vj, vk = tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k")
	floor      = func(x tir.Expr, c int64) tir.Expr { return tir.Bin(tir.FloorDiv, x, tir.Int(c)) }
	mod        = func(x tir.Expr, c int64) tir.Expr { return tir.Bin(tir.FloorMod, x, tir.Int(c)) }
	plus       = func(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
	minus      = func(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }
	mult       = func(x tir.Expr, c int64) tir.Expr { return tir.Bin(tir.Mul, x, tir.Int(c)) }
	less       = func(x tir.Expr, c int64) tir.Expr { return tir.Bin(tir.LT, x, tir.Int(c)) }
)

// newTestSimplifier knows i in 0..7, j in 0..3 and k in 0..30.
func newTestSimplifier() *Simplifier {
	s := NewSimplifier()
	s.Bind(vi, 0, 7)
	s.Bind(vj, 0, 3)
	s.Bind(vk, 0, 30)
	return s
}

func TestSimplify(t *testing.T) {
	tile := plus(mult(vi, 4), vj) // 0..31
	a := &tir.Buffer{Name: "A", Type: tir.I64, Shape: []int64{64}}
	cases := []struct {
		e    tir.Expr
		want string
	}{
		{minus(tile, mult(vi, 4)), "j"},
		{plus(vi, tir.Int(0)), "i"},
		{minus(vi, vi), "0"},
		{minus(tir.Int(3), vi), "(3 - i)"},
		{minus(mult(vi, 2), plus(mult(vj, 3), tir.Int(5))), "(((i*2) - (j*3)) - 5)"},
		{floor(tile, 4), "i"},
		{mod(tile, 4), "j"},
		{floor(tile, 8), "floordiv(i, 2)"},
		{mod(tile, 8), "((floormod(i, 2)*4) + j)"},
		{floor(plus(mult(vi, 4), tir.Int(3)), 4), "i"},
		{floor(floor(vk, 3), 5), "floordiv(k, 15)"},
		{mod(mod(vk, 12), 4), "floormod(k, 4)"},
		{plus(mult(floor(vk, 5), 5), mod(vk, 5)), "k"},
		{plus(mult(floor(vk, 5), 10), mult(mod(vk, 5), 2)), "(k*2)"},
		{minus(vk, mult(floor(vk, 5), 5)), "(k - (floordiv(k, 5)*5))"},
		{floor(minus(vj, tir.Int(4)), 4), "-1"},
		{mod(minus(vj, tir.Int(4)), 4), "j"},
		{tir.Bin(tir.Min, vj, tir.Int(3)), "j"},
		{tir.Bin(tir.Max, vj, plus(vi, tir.Int(4))), "(i + 4)"},
		{tir.Bin(tir.Min, vi, tir.Int(3)), "min(i, 3)"},
		{tir.Bin(tir.Mul, plus(vi, tir.Int(1)), tir.Bin(tir.Mul, tir.Int(2), tir.Int(3))), "((i*6) + 6)"},
		{tir.Bin(tir.Mul, vi, vj), "(i*j)"},
		{minus(tir.Bin(tir.Mul, vi, vj), tir.Bin(tir.Mul, vi, vj)), "0"},
		{less(tile, 32), "(bool)1"},
		{less(tile, 0), "(bool)0"},
		{less(tile, 30), "(((i*4) + j) < 30)"},
		{less(plus(mult(vi, 8), mult(vj, 2)), 62), "(((i*4) + j) < 31)"},
		{less(plus(mult(vi, 8), vj), 56), "(i < 7)"},
		{less(plus(mult(vi, 8), vj), 52), "(i < 7)"},
		{less(plus(mult(vi, 8), vj), 51), "(((i*8) + j) < 51)"},
		{tir.Bin(tir.GE, vi, tir.Int(3)), "(i >= 3)"},
		{tir.Bin(tir.GT, vi, vj), "((j + 1) <= i)"},
		{tir.Bin(tir.EQ, mult(vi, 2), tir.Int(3)), "(bool)0"},
		{tir.Bin(tir.NE, vi, tir.Int(9)), "(bool)1"},
		{tir.Bin(tir.EQ, vi, tir.Int(3)), "(i == 3)"},
		{tir.Bin(tir.And, less(vi, 9), less(vj, 2)), "(j < 2)"},
		{tir.Bin(tir.And, less(vi, 4), less(vi, 5)), "(i < 4)"},
		{tir.Bin(tir.Or, less(vi, 9), less(vj, 2)), "(bool)1"},
		{&tir.Not{X: less(vi, 4)}, "(i >= 4)"},
		{&tir.Not{X: less(vi, 8)}, "(bool)0"},
		{&tir.Select{Cond: less(vj, 4), Then: tile, Else: vk}, "((i*4) + j)"},
		{&tir.Select{Cond: less(vi, 3), Then: floor(vi, 3), Else: vk, Lazy: true}, "tir.if_then_else((i < 3), 0, k)"},
		{&tir.Select{Cond: less(vi, 3), Then: floor(vi, 3), Else: vk}, "select((i < 3), floordiv(i, 3), k)"},
		{&tir.Load{Buffer: a, Index: []tir.Expr{minus(tile, vj)}}, "A[(i*4)]"},
		{less(&tir.Load{Buffer: a, Index: []tir.Expr{minus(vi, vi)}}, 5), "(A[0] < 5)"},
		{tir.Bin(tir.Add, tir.Const(tir.I32, 1), tir.Const(tir.I32, 2)), "(1 + 2)"}, // data, not an index
	}
	for _, tc := range cases {
		if got := newTestSimplifier().Expr(tc.e).String(); got != tc.want {
			t.Errorf("%s => %s, want %s", tc.e, got, tc.want)
		}
	}
}

func TestAssume(t *testing.T) {
	tile := plus(mult(vi, 8), mult(vj, 2))
	cases := []struct {
		assume, e tir.Expr
		want      string
	}{
		{less(vi, 4), less(vi, 5), "(bool)1"},
		{&tir.Not{X: less(vi, 7)}, vi, "7"},
		{less(vi, 1), plus(mult(vi, 8), vj), "j"},
		{less(tile, 20), less(tile, 21), "(bool)1"},
		{less(tile, 20), less(plus(tile, vk), 19), "((((i*8) + (j*2)) + k) < 19)"},
		// i*8 + j*2 >= 62 leaves only i = 7, j = 3.
		{tir.Bin(tir.GE, tile, tir.Int(62)), minus(tir.Int(100), tile), "38"},
		{tir.AllOf(tir.Bin(tir.GE, plus(mult(vi, 4), vj), tir.Int(12)), tir.Bin(tir.LE, plus(mult(vi, 4), vj), tir.Int(12))),
			minus(tir.Int(100), mult(plus(mult(vi, 4), vj), 3)), "64"},
		{tir.Bin(tir.EQ, vi, tir.Int(3)), mult(vi, 2), "6"},
		{tir.Bin(tir.EQ, floor(vk, 4), tir.Int(2)), plus(floor(vk, 4), vi), "(i + 2)"},
		// Quotients of one dividend bound each other, but not the dividend.
		{&tir.Not{X: less(floor(vk, 3), 10)}, floor(vk, 6), "5"},
		{less(floor(vk, 3), 5), floor(vk, 15), "0"},
		{less(floor(vk, 3), 5), less(floor(vk, 15), 1), "(bool)1"},
		{tir.Bin(tir.EQ, floor(vk, 12), tir.Int(1)), less(floor(vk, 6), 4), "(bool)1"},
		{tir.Bin(tir.EQ, floor(vk, 12), tir.Int(1)), less(floor(vk, 6), 3), "(floordiv(k, 6) < 3)"},
		{tir.Bin(tir.EQ, floor(vk, 12), tir.Int(1)), less(floor(vk, 5), 3), "(floordiv(k, 5) < 3)"},
		{tir.Bin(tir.EQ, floor(vk, 12), tir.Int(1)), less(vk, 24), "(k < 24)"},
	}
	for _, tc := range cases {
		s := newTestSimplifier()
		before := s.Expr(tc.e).String()
		m := s.Assume(tc.assume)
		if got := s.Expr(tc.e).String(); got != tc.want {
			t.Errorf("given %s: %s => %s, want %s", tc.assume, tc.e, got, tc.want)
		}
		s.Release(m)
		if got := s.Expr(tc.e).String(); got != before {
			t.Errorf("after %s is released: %s => %s, before it was %s", tc.assume, tc.e, got, before)
		}
	}
}

func TestExtremesAndSolve(t *testing.T) {
	cases := []struct {
		cond             tir.Expr
		always, possible string
		lo, hi           string // "" for no bound
	}{
		{less(plus(mult(vj, 8), vi), 30), "(j < 3)", "(bool)1", "", "(30 - (j*8))"},
		{less(plus(mult(vj, 16), mult(vi, 2)), 45), "(j < 2)", "(j < 3)", "", "(23 - (j*8))"},
		{tir.Bin(tir.GE, minus(vi, vj), tir.Int(0)), "(j < 1)", "(bool)1", "j", ""},
		{less(plus(vj, floor(vi, 2)), 5), "(j < 2)", "(bool)1", "", "(10 - (j*2))"},
		{tir.Bin(tir.GE, floor(plus(vi, tir.Int(3)), 4), vj), "(j < 1)", "(j < 3)", "((j*4) - 3)", ""},
		{less(plus(vj, mod(vi, 2)), 3), "(j < 2)", "(j < 3)", "none", "none"},
	}
	for _, tc := range cases {
		s := newTestSimplifier()
		always, possible, ok := s.Extremes(tc.cond, vi)
		if !ok || always.String() != tc.always || possible.String() != tc.possible {
			t.Errorf("extremes of %s: %v, %v, %v, want %s, %s", tc.cond, always, possible, ok, tc.always, tc.possible)
		}
		lo, hi, ok := s.Solve(tc.cond, vi)
		if tc.lo == "none" {
			if ok {
				t.Errorf("%s is solved: %v, %v", tc.cond, lo, hi)
			}
			continue
		}
		text := func(e tir.Expr) string {
			if e == nil {
				return ""
			}
			return s.Expr(e).String()
		}
		if !ok || text(lo) != tc.lo || text(hi) != tc.hi {
			t.Errorf("solution of %s: %q to %q, want %q to %q", tc.cond, text(lo), text(hi), tc.lo, tc.hi)
		}
	}
	if _, _, ok := newTestSimplifier().Extremes(tir.Bin(tir.EQ, vi, vj), vi); ok {
		t.Error("an equality has extremes")
	}
	if _, _, ok := NewSimplifier().Extremes(less(vi, 3), vi); ok {
		t.Error("a variable without range has extremes")
	}
}

// randomIndex returns a random index expression of i, j and k.
func randomIndex(r *rand.Rand, depth int) tir.Expr {
	if depth == 0 || r.IntN(6) == 0 {
		switch r.IntN(4) {
		case 0:
			return tir.Int(r.Int64N(20) - 5)
		case 1:
			return vi
		case 2:
			return vj
		}
		return vk
	}
	x := func() tir.Expr { return randomIndex(r, depth-1) }
	switch r.IntN(9) {
	case 0, 1, 2:
		return plus(x(), x())
	case 3:
		return minus(x(), x())
	case 4:
		return mult(x(), r.Int64N(9)-2)
	case 5:
		return floor(x(), 1+r.Int64N(12))
	case 6:
		return mod(x(), 1+r.Int64N(12))
	case 7:
		return tir.Bin([]tir.BinOp{tir.Min, tir.Max}[r.IntN(2)], x(), x())
	}
	return &tir.Select{Cond: randomCond(r, depth-1), Then: x(), Else: x(), Lazy: r.IntN(2) == 0}
}

func randomCond(r *rand.Rand, depth int) tir.Expr {
	if depth > 0 {
		switch r.IntN(8) {
		case 0:
			return tir.Bin(tir.And, randomCond(r, depth-1), randomCond(r, depth-1))
		case 1:
			return tir.Bin(tir.Or, randomCond(r, depth-1), randomCond(r, depth-1))
		case 2:
			return &tir.Not{X: randomCond(r, depth-1)}
		}
	}
	ops := []tir.BinOp{tir.LT, tir.LE, tir.GT, tir.GE, tir.LT, tir.GE, tir.EQ, tir.NE}
	return tir.Bin(ops[r.IntN(len(ops))], randomIndex(r, depth), randomIndex(r, max(0, depth-1)))
}

// eval evaluates an index or condition.
func eval(e tir.Expr, at map[*tir.Var]int64) int64 {
	switch e := e.(type) {
	case *tir.Var:
		return at[e]
	case *tir.IntImm:
		return e.Value
	case *tir.Not:
		return 1 - eval(e.X, at)
	case *tir.Select:
		if eval(e.Cond, at) != 0 {
			return eval(e.Then, at)
		}
		return eval(e.Else, at)
	case *tir.Binary:
		x, y := eval(e.X, at), eval(e.Y, at)
		is := func(b bool) int64 {
			if b {
				return 1
			}
			return 0
		}
		switch e.Op {
		case tir.Add:
			return x + y
		case tir.Sub:
			return x - y
		case tir.Mul:
			return x * y
		case tir.FloorDiv:
			return FloorDiv(x, y)
		case tir.FloorMod:
			return x - y*FloorDiv(x, y)
		case tir.Min:
			return min(x, y)
		case tir.Max:
			return max(x, y)
		case tir.LT:
			return is(x < y)
		case tir.LE:
			return is(x <= y)
		case tir.GT:
			return is(x > y)
		case tir.GE:
			return is(x >= y)
		case tir.EQ:
			return is(x == y)
		case tir.NE:
			return is(x != y)
		case tir.And:
			return x & y
		case tir.Or:
			return x | y
		}
	}
	panic(fmt.Sprintf("eval of %T", e))
}

// eachPoint calls f with all values of i, j and k that some conditions hold for.
func eachPoint(conds []tir.Expr, f func(at map[*tir.Var]int64)) {
	at := map[*tir.Var]int64{}
	for at[vi] = 0; at[vi] <= 7; at[vi]++ {
		for at[vj] = 0; at[vj] <= 3; at[vj]++ {
		next:
			for at[vk] = 0; at[vk] <= 30; at[vk]++ {
				for _, c := range conds {
					if eval(c, at) == 0 {
						continue next
					}
				}
				f(at)
			}
		}
	}
}

// TestRandomExpressions simplifies random expressions under random nested
// assumptions and evaluates them at every point where those hold.
func TestRandomExpressions(t *testing.T) {
	n := uint64(1500)
	if testing.Short() {
		n = 300
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 0))
		s := newTestSimplifier()
		var conds []tir.Expr
		var marks []Mark
		for range 6 {
			switch {
			case r.IntN(3) == 0 && len(conds) < 3:
				c := randomCond(r, 1)
				conds, marks = append(conds, c), append(marks, s.Assume(c))
			case r.IntN(3) == 0 && len(conds) > 0:
				s.Release(marks[len(marks)-1])
				conds, marks = conds[:len(conds)-1], marks[:len(marks)-1]
			}
			e := randomIndex(r, 3)
			if r.IntN(2) == 0 {
				e = randomCond(r, 2)
			}
			got := s.Expr(e)
			lo, hi, bounded := int64(0), int64(0), false
			if e.DType() == tir.Index {
				lo, hi, bounded = s.Bounds(e)
			}
			bad := false
			eachPoint(conds, func(at map[*tir.Var]int64) {
				want := eval(e, at)
				if v := eval(got, at); !bad && v != want {
					t.Errorf("seed %d: given %v: %s => %s: %d becomes %d at i=%d j=%d k=%d", seed, conds, e, got, want, v, at[vi], at[vj], at[vk])
					bad = true
				}
				if bounded && !bad && (want < lo || want > hi) {
					t.Errorf("seed %d: given %v: %s is %d at i=%d j=%d k=%d, bounds are %d..%d", seed, conds, e, want, at[vi], at[vj], at[vk], lo, hi)
					bad = true
				}
			})
			if again := s.Expr(got); again.String() != got.String() && len(conds) == 0 {
				if third := s.Expr(again); third.String() != again.String() {
					t.Errorf("seed %d: %s never settles: %s, %s", seed, e, again, third)
				}
			}
		}
	}
}

// TestRandomExtremes checks the meaning of Extremes and Solve by enumeration.
func TestRandomExtremes(t *testing.T) {
	solved := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newTestSimplifier()
		cond := tir.Bin([]tir.BinOp{tir.LT, tir.GE}[r.IntN(2)], randomIndex(r, 2), tir.Int(r.Int64N(40)-5))
		always, possible, ok := s.Extremes(cond, vk)
		if !ok {
			continue
		}
		lo, hi, linear := s.Solve(cond, vk)
		bad := false
		eachPoint(nil, func(at map[*tir.Var]int64) {
			holds := eval(cond, at) != 0
			switch {
			case bad:
			case eval(always, at) != 0 && !holds:
				t.Errorf("seed %d: %s does not hold where %s says always", seed, cond, always)
				bad = true
			case eval(possible, at) == 0 && holds:
				t.Errorf("seed %d: %s holds where %s says it is not possible", seed, cond, possible)
				bad = true
			case linear:
				solved++
				in := (lo == nil || at[vk] >= eval(lo, at)) && (hi == nil || at[vk] < eval(hi, at))
				if in != holds {
					t.Errorf("seed %d: %s: %v, but the solution %v..%v says %v", seed, cond, holds, lo, hi, in)
					bad = true
				}
			}
		})
		if tir.Uses(always, vk) || tir.Uses(possible, vk) {
			t.Errorf("seed %d: %s, %s still use the variable", seed, always, possible)
		}
	}
	if solved == 0 {
		t.Error("nothing was solved")
	}
}

func BenchmarkSimplify(b *testing.B) {
	tile := plus(plus(mult(vi, 8), mult(vj, 2)), floor(vk, 5))
	for b.Loop() {
		s := newTestSimplifier()
		s.Expr(tir.Bin(tir.And, less(tile, 60), less(plus(tile, vk), 90)))
	}
}
