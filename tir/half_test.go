package tir

import (
	"math"
	"testing"
)

// TestRounded: to the nearest number, ties to even; of a bfloat16 by way of float32.
func TestRounded(t *testing.T) {
	cases := []struct {
		v    float64
		t    DType
		want float64
	}{
		{0.1, F64, 0.1},
		{0.1, F32, 0.10000000149011612},
		{1 + 0x1p-11, F16, 1}, // ties to even
		{1 + 3*0x1p-11, F16, 1 + 0x1p-9},
		{0.1, F16, 0.0999755859375},
		{65519, F16, 65504},
		{65520, F16, math.Inf(1)},
		{-70000, F16, math.Inf(-1)},
		{0x1p-25, F16, 0},
		{0x1.8p-25, F16, 0x1p-24},
		{0x1p-15, F16, 0x1p-15},
		{0x1p-14 + 0x1p-25, F16, 0x1p-14},
		{1 + 0x1p-8, BF16, 1},
		{1 + 0x1p-8 + 0x1p-40, BF16, 1}, // by way of float32, as in programs
		{1 + 3*0x1p-8, BF16, 1 + 0x1p-6},
		{0x1p-134, BF16, 0},
		{3.4e38, BF16, math.Inf(1)},
		{math.Inf(-1), BF16, math.Inf(-1)},
		{0, F16, 0},
	}
	for _, c := range cases {
		if got := Rounded(c.t, c.v); got != c.want {
			t.Errorf("%v rounds to %s %v, want %v", c.v, c.t, got, c.want)
		}
	}
}
