package compile

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// rows is a kernel that computes fn of an array of some rows and columns, with a thread for each row.
func rows(fn tir.Intrinsic, extent tir.Expr, n, columns int64) *tir.Func {
	a := &tir.Buffer{Name: "A", Type: tir.F32, Shape: []int64{n, columns}}
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{n, columns}}
	i, j := tir.NewVar("i"), tir.NewVar("j")
	at := []tir.Expr{i, j}
	value := &tir.Call{Fn: fn, Args: []tir.Expr{&tir.Load{Buffer: a, Index: at}}}
	row := &tir.For{Var: j, Extent: tir.Int(columns), Kind: tir.Vectorized,
		Body: &tir.Store{Buffer: c, Index: at, Value: value}}
	return &tir.Func{Name: "rows", Params: []*tir.Buffer{a, c}, Outputs: 1,
		Body: &tir.For{Var: i, Extent: extent, Kind: tir.Parallel, Body: row}}
}

// TestSerialLoops: a loop is divided if that shortens it.
func TestSerialLoops(t *testing.T) {
	unknown := tir.NewVar("n")
	for _, c := range []struct {
		name   string
		extent tir.Expr
		n      int64
		column int64
		want   tir.ForKind
	}{
		{"small", tir.Int(8), 8, 128, tir.Serial},
		{"large", tir.Int(8), 8, 4096, tir.Parallel},
		{"one iteration", tir.Int(1), 1, 1 << 20, tir.Serial},
		{"unknown length", unknown, 8, 128, tir.Parallel},
	} {
		f := rows(tir.Exp, c.extent, c.n, c.column)
		for _, threads := range []int{1, 2, 16} {
			hardware := target.Generic(32, threads)
			want := c.want
			if threads == 1 && c.extent != tir.Expr(unknown) {
				want = tir.Serial
			}
			if got := serialLoops(f, hardware).Body.(*tir.For).Kind; got != want {
				t.Errorf("%s on %d threads: kind %d, want %d", c.name, threads, got, want)
			}
		}
		if f.Body.(*tir.For).Kind != tir.Parallel {
			t.Errorf("%s: the function itself has changed", c.name)
		}
	}
}

// TestSerialLoopsUnknown: a loop stays parallel if a loop in it has no constant length.
func TestSerialLoopsUnknown(t *testing.T) {
	f := rows(tir.Exp, tir.Int(8), 8, 128)
	f.Body.(*tir.For).Body.(*tir.For).Extent = tir.NewVar("n")
	if got := serialLoops(f, target.Generic(32, 2)).Body.(*tir.For).Kind; got != tir.Parallel {
		t.Errorf("kind %d", got)
	}
}

// TestSerialLoopsEach: each loop is judged by itself, and loops in a parallel one are let be.
func TestSerialLoopsEach(t *testing.T) {
	small, large := rows(tir.Exp, tir.Int(8), 8, 128), rows(tir.Exp, tir.Int(8), 8, 4096)
	large.Body.(*tir.For).Body = &tir.For{Var: tir.NewVar("k"), Extent: tir.Int(2), Kind: tir.Parallel,
		Body: large.Body.(*tir.For).Body}
	f := &tir.Func{Params: append(small.Params, large.Params...), Outputs: 1, Body: tir.Sequence(small.Body, large.Body)}
	loops := serialLoops(f, target.Generic(32, 2)).Body.(*tir.Seq).Stmts
	if loops[0].(*tir.For).Kind != tir.Serial || loops[1].(*tir.For).Kind != tir.Parallel ||
		loops[1].(*tir.For).Body.(*tir.For).Kind != tir.Parallel {
		t.Errorf("kinds: %s", f.String())
	}
}

// TestLoopTime: estimates are within a factor of 3 of what BenchmarkParallel of codegen/model measured.
func TestLoopTime(t *testing.T) {
	for columns, measured := range map[int64]float64{128: 304, 512: 1191, 2048: 4764, 8192: 19290} {
		loop := rows(tir.Exp, tir.Int(8), 8, columns).Body.(*tir.For)
		if ns, ok := loopTime(loop); !ok || ns > 3*measured || ns < measured/3 {
			t.Errorf("%d columns: %.0f ns, measured %.0f", columns, ns, measured)
		}
	}
	loop := rows(tir.Exp, tir.Int(8), 8, 128).Body.(*tir.For)
	once, _ := loopTime(loop)
	store := loop.Body.(*tir.For).Body.(*tir.Store)
	for range 3 {
		store.Value = &tir.Call{Fn: tir.Exp, Args: []tir.Expr{store.Value}}
	}
	if four, _ := loopTime(loop); four < 2*once { // of the same bytes
		t.Errorf("four times as many calls take %.0f ns, one %.0f", four, once)
	}
}
