package lower

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestNotVectorized has loops that states do not lead to, and that must become
// serial.
func TestNotVectorized(t *testing.T) {
	a, c := &tir.Buffer{Name: "A", Type: tir.F32, Shape: []int64{8}}, &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8}}
	load := func(i tir.Expr) tir.Expr { return &tir.Load{Buffer: a, Index: []tir.Expr{i}} }
	store := func(i tir.Expr, v tir.Expr) tir.Stmt { return &tir.Store{Buffer: c, Index: []tir.Expr{i}, Value: v} }
	inner := func(kind tir.ForKind, extent, at tir.Expr) tir.Stmt {
		return &tir.For{Var: tir.NewVar("j"), Extent: extent, Kind: kind, Body: store(at, tir.Float(tir.F32, 1))}
	}
	i := tir.NewVar("i")
	cases := []struct {
		name   string
		extent tir.Expr
		body   tir.Stmt
		want   bool
	}{
		{"good", tir.Int(8), store(i, load(i)), true},
		{"serial loop inside", tir.Int(8), inner(tir.Serial, tir.Int(2), i), true},
		{"extent not constant", tir.Bin(tir.Min, tir.Int(8), tir.Int(4)), store(i, load(i)), false},
		{"carried by the lanes", tir.Int(8), store(tir.Int(0), load(i)), false},
		{"extent by lane", tir.Int(8), inner(tir.Serial, i, i), false},
		{"vector inside", tir.Int(8), inner(tir.Vectorized, tir.Int(2), i), true},
		{"parallel inside", tir.Int(8), inner(tir.Parallel, tir.Int(2), i), false},
		{"barrier inside", tir.Int(8), &tir.Seq{Stmts: []tir.Stmt{&tir.Barrier{Scope: tir.Shared}, store(i, load(i))}}, false},
		{"shared memory inside", tir.Int(8), &tir.Alloc{Buffer: &tir.Buffer{Name: "S", Type: tir.F32, Scope: tir.Shared}, Body: store(i, load(i))}, false},
	}
	for _, tc := range cases {
		got := vectorized(&tir.For{Var: i, Extent: tc.extent, Kind: tir.Vectorized, Body: tc.body})
		if (got != nil) != tc.want {
			t.Errorf("%s: got\n%v", tc.name, got)
		}
	}
}

// TestLanesOfPaddedTemporary widens a buffer with strides.
func TestLanesOfPaddedTemporary(t *testing.T) {
	b := perLane(&tir.Buffer{Name: "T", Type: tir.F32, Shape: []int64{2, 3}, Strides: []int64{5, 1}}, 8)
	if got := b.String(); got != "T: float32[2, 3, 8] strides[40, 8, 1]" {
		t.Error(got)
	}
}
