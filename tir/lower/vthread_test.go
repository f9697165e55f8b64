package lower

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// A virtual thread that fetches to shared memory what others do not keeps its loop:
// with one memory for all, others would read what is not theirs.
func TestVthreadKeepsItsFetch(t *testing.T) {
	v, i, thread := tir.NewVar("v"), tir.NewVar("i"), tir.NewVar("t")
	in := &tir.Buffer{Name: "A", Type: tir.F32, Shape: []int64{2, 8}}
	out := &tir.Buffer{Name: "B", Type: tir.F32, Shape: []int64{2, 8}}
	shared := &tir.Buffer{Name: "S", Type: tir.F32, Shape: []int64{8}, Scope: tir.Shared}
	program := func(row tir.Expr) *tir.Func {
		body := tir.Sequence(
			&tir.Store{Buffer: shared, Index: []tir.Expr{thread}, Value: &tir.Load{Buffer: in, Index: []tir.Expr{row, thread}}},
			&tir.For{Var: i, Extent: tir.Int(1), Body: &tir.Store{Buffer: out, Index: []tir.Expr{v, thread}, Value: &tir.Load{Buffer: shared, Index: []tir.Expr{thread}}}})
		loop := &tir.For{Var: v, Extent: tir.Int(2), Kind: tir.Vthread, Body: &tir.Alloc{Buffer: shared, Body: body}}
		return &tir.Func{Name: "main", Params: []*tir.Buffer{in, out}, Outputs: 1,
			Body: &tir.For{Var: thread, Extent: tir.Int(8), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: loop}}
	}
	for _, c := range []struct {
		name string
		f    *tir.Func
		kept bool
	}{
		{"a fetch of all", program(tir.Int(1)), false},
		{"a fetch of its own", program(v), true},
	} {
		got, err := vthread(c.f, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if kept := got.String() == c.f.String(); kept != c.kept {
			t.Errorf("%s: kept %v, want %v:\n%s", c.name, kept, c.kept, got)
		}
		if err := tir.Check(got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
