package interp

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

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
