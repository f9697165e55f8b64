package compute

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func TestFLOPs(t *testing.T) {
	in := "input x: float32[4, 8]\ninput n: int32[4]\ninput h: bfloat16[4]\ninput b: bool[4]\n" +
		"used() = sum(i: 4, k: 8) x[i, k] + float32(n[i]) + float32(h[i]) + float32(b[i])\n    flop 1\n"
	cases := []struct {
		name, op string
		want     float64
	}{
		{"addition", "y(i: 4) = x[i, 0] + 1", 4},
		{"index arithmetic is free", "y(i: 4) = x[floormod(i*2 + 1, 4), 7 - i]", 0},
		{"conditions on indices are free in float ops", "y(i: 4) = if_then_else(i >= 1 && i < 3, x[i, 0], 0)", 0},
		{"conditions on floats count", "y(i: 4) = select(x[i, 0] < 1, x[i, 0], 0)", 4},
		{"matmul", "y(i: 4, j: 4) = sum(k: 8) x[i, k]*x[j, k]", 2 * 4 * 4 * 8},
		{"the longer branch of a select", "y(i: 4) = select(i < 2, x[i, 0] + 1, x[i, 0]*2 + 1)", 8},
		{"both branches of a guard", "y(i: 4) = if_then_else(i < 2, x[i, 0] + 1, x[i, 0]*2 + 1)", 12},
		{"calls are free, their arguments not", "y(i: 4) = exp(x[i, 0] - 1) + pow(x[i, 0], x[i, 1]*2)", 12},
		{"casts are free, their operands not", "y(i: 4) = x[i, 0] + float32(n[i] + 1)", 4},
		{"whole numbers", "y(i: 4) = n[i]*2 + 1", 8},
		{"axes count in ops of whole numbers", "y(i: 4) = int32(i + 1) + n[i]", 8},
		{"conditions as results count conditions", "y(i: 4) = !(b[i] && b[i])", 8},
		{"comparison of floats gives a condition", "y(i: 4) = x[i, 0] < 1", 0},
		{"maximum", "y(i: 4) = max(k: 8) x[i, k]", 32},
		{"scalar", "y() = 1f + 2f", 1},
		{"override", "y(i: 4) = x[i, 0] + 1\n    flop 77", 77},
		{"tuple: all parts once per result", "y(i: 4) = reduce(k: 8) {x[i, k], x[i, k]*2} from {0, 0} fold (a, c) (d, e) {a + d, max(c, e)}",
			4 * 8 * 2 * (0 + 1 + 1 + 1)},
	}
	for _, c := range cases {
		outs := "y"
		if c.name == "tuple: all parts once per result" {
			outs = "y.v0, y.v1"
		}
		d := mustParse(t, in+c.op+"\noutput used, "+outs+"\n")
		if got := d.FLOPs() - 1; got != c.want {
			t.Errorf("%s: %v FLOPs, want %v", c.name, got, c.want)
		}
	}
}

// TestBFloatClass: bfloat16 is a class of its own in TVM.
func TestBFloatClass(t *testing.T) {
	classes := map[tir.DType]typeClass{
		tir.Bool: unsigned, tir.U8: unsigned, tir.I8: signed, tir.I32: signed, tir.I64: signed,
		tir.F16: float, tir.F32: float, tir.F64: float, tir.BF16: bfloat,
		tir.I16: signed, tir.U16: unsigned, tir.U32: unsigned, tir.U64: unsigned,
	}
	for _, dt := range tir.DTypes() {
		if got := typeClassOf(dt); got != classes[dt] {
			t.Errorf("class of %s is %d, want %d", dt, got, classes[dt])
		}
	}
}
