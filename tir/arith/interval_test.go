package arith

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func TestRange(t *testing.T) {
	u := VarAffine(tir.NewVar("u")) // of unknown range
	for _, tt := range []struct {
		a    Affine
		want Interval
	}{
		{x.Plus(y.Times(-2)), Interval{-6, 6}},
		{z.FloorMod(4, nil), Interval{0, 3}},
		{z.AddConst(2).FloorMod(9, nil), Interval{0, 7}},
		{z.AddConst(7).FloorDiv(4, nil).Minus(z.FloorDiv(4, nil)), Interval{1, 2}},
		{z.AddConst(7).FloorDiv(4, nil).Times(3).Minus(z.FloorDiv(4, nil).Times(2)), Interval{3, 7}},
		{u.AddConst(3).FloorDiv(4, nil).Minus(u.FloorDiv(4, nil)), Interval{0, 1}},
	} {
		got, ok := tt.a.Range(testBounds)
		if !ok || got != tt.want {
			t.Errorf("%s: got %v %v, want %v", tt.a, got, ok, tt.want)
		}
	}
}

func TestRangeOfUnknown(t *testing.T) {
	u := VarAffine(tir.NewVar("u"))
	for _, a := range []Affine{u, u.FloorDiv(2, nil), u.Min(x, nil), x.Times(math.MaxInt64 / 2), x.Times(math.MinInt64 / 2)} {
		if got, ok := a.Range(testBounds); ok {
			t.Errorf("%s: got %v, want none", a, got)
		}
	}
	if got, ok := u.FloorMod(8, nil).Range(testBounds); !ok || got != (Interval{0, 7}) {
		t.Errorf("a remainder is bounded by itself: got %v %v", got, ok)
	}
}
