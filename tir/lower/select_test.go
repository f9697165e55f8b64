package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// TestForCPUSelects: the steps of a sum that a program written by hand marks get the target's instruction, or none.
func TestForCPUSelects(t *testing.T) {
	x := &tir.Buffer{Name: "X", Type: tir.U8, Shape: []int64{4}}
	w := &tir.Buffer{Name: "W", Type: tir.I8, Shape: []int64{16, 4}}
	c := &tir.Buffer{Name: "C", Type: tir.I32, Shape: []int64{16}}
	j, k := tir.NewVar("j"), tir.NewVar("k")
	load := func(b *tir.Buffer, at ...tir.Expr) tir.Expr {
		return &tir.Cast{X: &tir.Load{Buffer: b, Index: at}, To: tir.I32}
	}
	sum := tir.Bin(tir.Add, &tir.Load{Buffer: c, Index: []tir.Expr{j}}, tir.Bin(tir.Mul, load(x, k), load(w, j, k)))
	steps := &tir.For{Var: k, Extent: tir.Int(4), Kind: tir.Tensorized,
		Body: &tir.Store{Buffer: c, Index: []tir.Expr{j}, Value: sum}}
	f := &tir.Func{Name: "f", Params: []*tir.Buffer{x, w, c}, Outputs: 1,
		Body: &tir.For{Var: j, Extent: tir.Int(16), Kind: tir.Vectorized, Body: steps}}
	for feature, want := range map[string]string{"avx512vnni": "tensorize k in 4 by vpdpbusd.512", "avx512f": "unroll k in 4"} {
		m := target.Generic(64, 1)
		m.Features = []string{feature}
		g, err := lower.ForCPU(f, m)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(g.String(), want) {
			t.Errorf("%s: %s", feature, g)
		}
	}
}
