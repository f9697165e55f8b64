package tir

import (
	"math"
	"testing"
)

// TestIntRange: the ends of a type are values of it, and what is next to them wraps around to the other end.
func TestIntRange(t *testing.T) {
	for _, d := range DTypes() {
		lo, hi, ok := d.IntRange()
		switch {
		case d.IsFloat() || d == U64:
			if ok {
				t.Errorf("%s has integers from %d to %d", d, lo, hi)
			}
			continue
		case d == Bool:
			if !ok || lo != 0 || hi != 1 {
				t.Errorf("%s: %d to %d, %v", d, lo, hi, ok)
			}
			continue
		}
		values := uint64(1) << (d.Bits() - 1) * 2 // 0 for 64 bits
		if !ok || uint64(hi)-uint64(lo)+1 != values || d.IsUnsigned() != (lo == 0) {
			t.Errorf("%s: %d to %d, %v", d, lo, hi, ok)
		}
		if d.Wrap(lo) != lo || d.Wrap(hi) != hi || d.Wrap(hi+1) != lo || d.Wrap(lo-1) != hi {
			t.Errorf("%s: %d, %d, %d, %d wrap to %d, %d, %d, %d", d, lo, hi, hi+1, lo-1, d.Wrap(lo), d.Wrap(hi), d.Wrap(hi+1),
				d.Wrap(lo-1))
		}
	}
}

// TestNumbersOfU64: an int64 stands for them by its bits.
func TestNumbersOfU64(t *testing.T) {
	for _, c := range []struct {
		v      int64
		number float64
		text   string
	}{
		{5, 5, "5"}, {-1, 0x1p64, "18446744073709551615"}, {math.MinInt64, 0x1p63, "9223372036854775808"},
	} {
		if got := U64.Number(c.v); got != c.number {
			t.Errorf("%d stands for %v, want %v", c.v, got, c.number)
		}
		if got := U64.FormatInt(c.v); got != c.text {
			t.Errorf("%d is printed as %s, want %s", c.v, got, c.text)
		}
	}
	for _, c := range []struct {
		t    DType
		v    float64
		want int64
	}{
		{U64, 0x1p63, math.MinInt64}, {U64, 0x1.8p63, -1 << 62}, {U64, -2.5, -2}, {U64, 2.5, 2},
		{U16, 65537.5, 1}, {I16, 40000, 40000 - 65536}, {U32, -1, math.MaxUint32}, {I8, -130, 126},
	} {
		if got := c.t.Truncate(c.v); got != c.want {
			t.Errorf("%v becomes %d as a %s, want %d", c.v, got, c.t, c.want)
		}
	}
	if e := Const(U64, 0x1p63).String(); e != "(uint64)9223372036854775808" {
		t.Errorf("2^63 is printed as %s", e)
	}
}
