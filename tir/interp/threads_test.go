package interp

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// rounds is a loop in which each thread puts one element of A into shared memory
// and adds its neighbour's to C, with barriers or without.
func rounds(before, after tir.Stmt) *tir.Func {
	next := func(tx tir.Expr) tir.Expr { return tir.Bin(tir.FloorMod, add(tx, tir.Int(1)), tir.Int(4)) }
	return roundsOf(4, next, before, after)
}

func roundsOf(n int64, neighbour func(tx tir.Expr) tir.Expr, before, after tir.Stmt) *tir.Func {
	a, c := buffer("A", tir.F32, 3, n), buffer("C", tir.F32, n)
	s := &tir.Buffer{Name: "S", Type: tir.F32, Shape: []int64{n}, Scope: tir.Shared}
	k, tx := tir.NewVar("k"), tir.NewVar("tx")
	next := neighbour(tx)
	body := tir.Sequence(before, store(s, load(a, k, tx), tx), after, store(c, add(load(c, tx), load(s, next)), tx))
	init := store(c, tir.Float(tir.F32, 0), tx)
	all := &tir.For{Var: tx, Extent: tir.Int(n), Kind: tir.ThreadBound, Thread: "threadIdx.x",
		Body: &tir.Alloc{Buffer: s, Body: tir.Sequence(init, loop(k, 3, body))}}
	return function(1, all, a, c)
}

func barrier() tir.Stmt { return &tir.Barrier{Scope: tir.Shared} }

// TestRaces removes each of two barriers. Which thread comes first decides
// whether the values are wrong; that there is a race shows in either order.
func TestRaces(t *testing.T) {
	for _, c := range []struct {
		what          string
		before, after tir.Stmt
		why           string
	}{
		{"both", barrier(), barrier(), ""},
		{"none between rounds", nil, barrier(), "with no barrier between"},
		{"none before reading", barrier(), nil, "with no barrier between"},
	} {
		for _, opt := range []Options{{Races: true}, {Races: true, Reverse: true}, {Races: true, Shuffle: true, Seed: 1}} {
			f := rounds(c.before, c.after)
			args := tensors(f)
			err := Run(f, args, opt)
			switch {
			case c.why == "" && err != nil:
				t.Errorf("%s, %+v: %v", c.what, opt, err)
			case c.why == "" && !equal(floats(args[1]), []float64{18, 21, 24, 15}):
				t.Errorf("%s, %+v: got %v", c.what, opt, floats(args[1]))
			case c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why) && !strings.Contains(err.Error(), "which was not written")):
				t.Errorf("%s, %+v: error %v, want %q", c.what, opt, err, c.why)
			}
		}
	}
}

// TestWarps: a barrier of a warp orders what its threads do, and nothing between two warps.
func TestWarps(t *testing.T) {
	of := func(n int64) func(tx tir.Expr) tir.Expr { // the next thread of n
		return func(tx tir.Expr) tir.Expr {
			first := tir.Bin(tir.Sub, tx, tir.Bin(tir.FloorMod, tx, tir.Int(n)))
			return add(first, tir.Bin(tir.FloorMod, add(tx, tir.Int(1)), tir.Int(n)))
		}
	}
	warp := func() tir.Stmt { return &tir.Barrier{Scope: tir.Warp} }
	for _, c := range []struct {
		what          string
		next          func(tx tir.Expr) tir.Expr
		before, after tir.Stmt
		why           string
	}{
		{"a neighbour in the warp", of(32), warp(), warp(), ""},
		{"none between rounds", of(32), nil, warp(), "with no barrier between"},
		{"none before reading", of(32), warp(), nil, "reads S"},
		{"a neighbour in another warp", of(64), warp(), warp(), "reads S"},
		{"another warp reads before the block waits", of(64), warp(), barrier(), "with no barrier between"},
		{"another warp reads after the block waits", of(64), barrier(), warp(), "reads S"},
		{"the block waits", of(64), barrier(), barrier(), ""},
	} {
		orders := []Options{{Races: true}, {Races: true, Reverse: true}, {Races: true, Shuffle: true, Seed: 1}}
		for _, opt := range orders {
			err := Run(roundsOf(64, c.next, c.before, c.after), tensors(roundsOf(64, c.next, nil, nil)), opt)
			if c.why == "" && err != nil || c.why != "" && (err == nil ||
				!strings.Contains(err.Error(), c.why) && !strings.Contains(err.Error(), "which was not written")) {
				t.Errorf("%s, %+v: error %v, want %q", c.what, opt, err, c.why)
			}
		}
	}
}

// TestOrder: where a barrier is missing, the order of the threads decides the
// result.
func TestOrder(t *testing.T) {
	var results [][]float64
	for _, reverse := range []bool{false, true} {
		f := rounds(nil, barrier())
		args := tensors(f)
		if err := Run(f, args, Options{Reverse: reverse}); err != nil {
			t.Fatal(err)
		}
		results = append(results, floats(args[1]))
	}
	if equal(results[0], results[1]) {
		t.Errorf("%v in both orders: threads do not run in the order asked for", results[0])
	}
}

// TestTwoWriters: threads may not write one element.
func TestTwoWriters(t *testing.T) {
	c, tx := buffer("C", tir.F32, 1), tir.NewVar("tx")
	f := function(1, &tir.For{Var: tx, Extent: tir.Int(2), Kind: tir.ThreadBound, Thread: "threadIdx.x",
		Body: store(c, tir.Float(tir.F32, 1), tir.Int(0))}, c)
	err := Run(f, tensors(f), Options{Races: true})
	if err == nil || !strings.Contains(err.Error(), "thread 1 writes C[0], which thread 0 wrote") {
		t.Errorf("error %v", err)
	}
}

// TestOtherBarrier: threads that wait at different barriers do not wait for each
// other.
func TestOtherBarrier(t *testing.T) {
	c, tx := buffer("C", tir.F32, 4), tir.NewVar("tx")
	two := &tir.If{Cond: tir.Bin(tir.LT, tx, tir.Int(2)), Then: barrier(), Else: barrier()}
	body := tir.Sequence(two, store(c, tir.Float(tir.F32, 1), tx))
	f := function(1, &tir.For{Var: tx, Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: body}, c)
	if err := Run(f, tensors(f), Options{}); err == nil || !strings.Contains(err.Error(), "thread 2 waits at another barrier") {
		t.Errorf("error %v", err)
	}
}

// fetches is a program of four threads, each of which stores an element of A to shared
// memory asynchronously and then reads its neighbour's, after the given statements. Its
// own buffer, S, is what before and after may access.
func fetches(before, between, after func(s *tir.Buffer, tx tir.Expr) tir.Stmt) *tir.Func {
	a, c := buffer("A", tir.F32, 4), buffer("C", tir.F32, 4)
	s := &tir.Buffer{Name: "S", Type: tir.F32, Shape: []int64{4}, Scope: tir.Shared}
	tx := tir.NewVar("tx")
	of := func(f func(*tir.Buffer, tir.Expr) tir.Stmt) tir.Stmt {
		if f == nil {
			return nil
		}
		return f(s, tx)
	}
	next := tir.Bin(tir.FloorMod, add(tx, tir.Int(1)), tir.Int(4))
	start := &tir.Store{Buffer: s, Index: []tir.Expr{tx}, Value: load(a, tx), Async: true}
	body := tir.Sequence(of(before), start, of(between), store(c, load(s, next), tx), of(after))
	return function(1, &tir.For{Var: tx, Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: &tir.Alloc{Buffer: s, Body: body}}, a, c)
}

// reading reads an element of s where a condition holds.
func reading(s *tir.Buffer, at, cond tir.Expr) tir.Stmt {
	own := &tir.Buffer{Name: "x", Type: s.Type, Scope: tir.Local}
	return &tir.If{Cond: cond, Then: &tir.Alloc{Buffer: own, Body: &tir.Store{Buffer: own, Value: load(s, at)}}}
}

// TestAsync: what is stored asynchronously is there for all after a wait and a barrier,
// in this order, and for nobody before.
func TestAsync(t *testing.T) {
	wait := func(*tir.Buffer, tir.Expr) tir.Stmt { return &tir.Wait{} }
	both := func(*tir.Buffer, tir.Expr) tir.Stmt { return tir.Sequence(&tir.Wait{}, barrier()) }
	own := func(s *tir.Buffer, tx tir.Expr) tir.Stmt { return store(s, tir.Float(tir.F32, 1), tx) }
	next := func(s *tir.Buffer, tx tir.Expr) tir.Stmt {
		return store(s, tir.Float(tir.F32, 1), tir.Bin(tir.FloorMod, add(tx, tir.Int(1)), tir.Int(4)))
	}
	for _, c := range []struct {
		what                   string
		before, between, after func(*tir.Buffer, tir.Expr) tir.Stmt
		why                    string
	}{
		{"a wait and a barrier", nil, both, nil, ""},
		{"a barrier", nil, func(*tir.Buffer, tir.Expr) tir.Stmt { return barrier() }, nil, "stores asynchronously and has not waited for"},
		{"a wait", nil, wait, nil, "which was not written"},
		{"a barrier and a wait", nil, func(*tir.Buffer, tir.Expr) tir.Stmt { return tir.Sequence(barrier(), &tir.Wait{}) }, nil, "stores asynchronously and has not waited for"},
		{"another store to it before the wait", nil, func(s *tir.Buffer, tx tir.Expr) tir.Stmt { return tir.Sequence(own(s, tx), both(s, tx)) }, nil, "writes S[0], which thread 0 stores asynchronously"},
		{"another asynchronous store to it", func(s *tir.Buffer, tx tir.Expr) tir.Stmt {
			return &tir.Store{Buffer: s, Index: []tir.Expr{tx}, Value: tir.Float(tir.F32, 1), Async: true}
		}, both, nil, "writes S[0], which thread 0 stores asynchronously"},
		{"another's read just before", func(s *tir.Buffer, tx tir.Expr) tir.Stmt {
			return tir.Sequence(own(s, tx), barrier(), reading(s, add(tx, tir.Int(1)), tir.Bin(tir.LT, tx, tir.Int(3))))
		}, func(*tir.Buffer, tir.Expr) tir.Stmt { return tir.Sequence(barrier(), &tir.Wait{}, barrier()) }, nil, "race: thread"},
		{"another's store to it before", next, both, nil, "race: thread"},
		{"a store to it behind, which another reads", nil, both, own, "race: thread"},
	} {
		f := fetches(c.before, c.between, c.after)
		for _, opt := range []Options{{Races: true}, {Races: true, Reverse: true}} {
			args := tensors(f)
			err := Run(f, args, opt)
			if c.why == "" && (err != nil || !equal(floats(args[1]), []float64{floats(args[0])[1], floats(args[0])[2], floats(args[0])[3], floats(args[0])[0]})) {
				t.Errorf("%s: %v, got %v", c.what, err, floats(args[1]))
			}
			if c.why != "" && !opt.Reverse && (err == nil || !strings.Contains(err.Error(), c.why)) || c.why != "" && err == nil {
				t.Errorf("%s, %+v: error %v, want %q", c.what, opt, err, c.why)
			}
		}
	}
}

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
