package interp

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// rounds is a loop in which each thread puts one element of A into shared memory
// and adds its neighbour's to C, with barriers or without.
func rounds(before, after tir.Stmt) *tir.Func {
	a, c := buffer("A", tir.F32, 3, 4), buffer("C", tir.F32, 4)
	s := &tir.Buffer{Name: "S", Type: tir.F32, Shape: []int64{4}, Scope: tir.Shared}
	k, tx := tir.NewVar("k"), tir.NewVar("tx")
	next := tir.Bin(tir.FloorMod, add(tx, tir.Int(1)), tir.Int(4))
	body := tir.Sequence(before, store(s, load(a, k, tx), tx), after, store(c, add(load(c, tx), load(s, next)), tx))
	init := store(c, tir.Float(tir.F32, 0), tx)
	all := &tir.For{Var: tx, Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: "threadIdx.x",
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
