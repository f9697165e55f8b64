package arith

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func TestCoefficient(t *testing.T) {
	v, w := tir.NewVar("v"), tir.NewVar("w")
	for _, c := range []struct {
		e    tir.Expr
		k    int64
		fine bool
	}{
		{v, 1, true}, {w, 0, true}, {tir.Int(7), 0, true},
		{tir.Bin(tir.Add, tir.Bin(tir.Mul, v, tir.Int(3)), w), 3, true},
		{tir.Bin(tir.Sub, w, tir.Bin(tir.Mul, tir.Int(4), v)), -4, true},
		{tir.Bin(tir.Mul, tir.Bin(tir.Add, v, v), tir.Int(5)), 10, true},
		{tir.Bin(tir.FloorDiv, v, tir.Int(2)), 0, false},
		{tir.Bin(tir.Mul, v, w), 0, false},
		{tir.Bin(tir.FloorMod, w, tir.Int(2)), 0, true},
	} {
		if k, ok := Coefficient(c.e, v); k != c.k || ok != c.fine {
			t.Errorf("%s: %d, %t, want %d, %t", c.e, k, ok, c.k, c.fine)
		}
	}
}
