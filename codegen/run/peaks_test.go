package run

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestPeaks: each run of elements has one that is larger than all others, and one that is smaller, at every level, if
// its type and its filling have room. Their places and their sizes differ, and what was limited stays inside.
func TestPeaks(t *testing.T) {
	const run, rows = 500, 40
	for _, typ := range tir.DTypes() {
		for level, l := range levels {
			plain := typ.IsFloat() && l.signed && l.middle == 0
			ts := tensor{Name: "A", Type: typ, Shape: []int64{rows, run}, Peaks: peaks{Runs: []int64{run}}}
			if typ.Bytes() == 8 && typ.IsInt() {
				ts.Fill = filling{Low: 3, High: 900, Limited: true, Index: true}
			}
			if typ == tir.Bool || level > 2 && typ.IsInt() && !ts.Fill.Limited {
				continue
			}
			data := make([]byte, ts.bytes())
			fill(data, ts, 1, peakSet, 0, level)
			places, sizes := map[int]bool{}, map[float64]bool{}
			edges := 0
			for row := range rows {
				var list []float64
				for i := range run {
					list = append(list, number(data[(row*run+i)*typ.Bytes():], typ))
				}
				sorted := slices.Sorted(slices.Values(list))
				if sorted[0] >= sorted[1] || sorted[run-1] <= sorted[run-2] || sorted[0] == 0 && typ.IsFloat() {
					t.Fatalf("%s, level %d, row %d: from %v to %v", typ, level, row, sorted[:2], sorted[run-2:])
				}
				for i, v := range sorted {
					sorted[i] = math.Abs(v)
				}
				if slices.Sort(sorted); plain && sorted[0] >= sorted[1] {
					t.Fatalf("%s, level %d, row %d: the nearest to 0 are %v", typ, level, row, sorted[:2])
				}
				if ts.Fill.Limited && (slices.Min(list) < 3 || slices.Max(list) > 900) {
					t.Fatalf("%s, level %d, row %d: from %v to %v", typ, level, row, slices.Min(list), slices.Max(list))
				}
				at := slices.Index(list, slices.Max(list))
				if places[at], sizes[list[at]] = true, true; at == 0 || at == run-1 {
					edges++
				}
			}
			if len(places) < rows/4 || edges < rows/4 || edges > rows*3/4 {
				t.Errorf("%s, level %d: %d places, %d of %d at an end", typ, level, len(places), edges, rows)
			}
			if len(sizes) != heights && (level == 0 || typ.IsFloat()) {
				t.Errorf("%s, level %d: the largest are %v", typ, level, sizes)
			}
			before := make([]byte, ts.bytes())
			ts.Peaks = peaks{}
			fill(before, ts, 1, peakSet, 0, level)
			if typ.IsFloat() {
				same := 0
				for i := range rows * run {
					if slices.Equal(before[i*typ.Bytes():(i+1)*typ.Bytes()], data[i*typ.Bytes():(i+1)*typ.Bytes()]) {
						same++
					}
				}
				if planted := map[bool]int{true: 3, false: 2}[plain]; same != rows*(run-planted) {
					t.Errorf("%s, level %d: %d of %d elements are as they were", typ, level, same, rows*run)
				}
			}
		}
	}
	for _, c := range []struct {
		typ  tir.DType
		fill filling
	}{
		{tir.I32, filling{Low: 4, High: 5, Limited: true}}, {tir.U16, filling{Low: -3, High: 9, Limited: true}},
	} {
		ts := tensor{Type: c.typ, Shape: []int64{100}, Fill: c.fill}
		plain, data := make([]byte, ts.bytes()), make([]byte, ts.bytes())
		fill(plain, ts, 1, peakSet, 0, 0)
		ts.Peaks.Runs = []int64{50}
		if fill(data, ts, 1, peakSet, 0, 0); !slices.Equal(plain, data) {
			t.Errorf("%s from %d to %d have peaks", c.typ, c.fill.Low, c.fill.High)
		}
	}
}

// TestPeaksOfBooleans: in each run one differs; where either is asked for, in turn.
func TestPeaksOfBooleans(t *testing.T) {
	const run, rows = 100, 10
	for _, c := range []struct {
		any, all bool
		trues    [2]int // of a run of even and of odd number
	}{
		{true, false, [2]int{1, 1}}, {false, true, [2]int{run - 1, run - 1}}, {true, true, [2]int{1, run - 1}},
	} {
		ts := tensor{Type: tir.Bool, Shape: []int64{rows, run}, Peaks: peaks{[]int64{run}, c.any, c.all}}
		data := make([]byte, ts.bytes())
		fill(data, ts, 1, peakSet, 0, 0)
		for row := range rows {
			n := 0
			for _, b := range data[row*run : (row+1)*run] {
				n += int(b)
			}
			if n != c.trues[row%2] {
				t.Errorf("any %v, all %v: %d of row %d are true", c.any, c.all, n, row)
			}
		}
	}
}

// TestPeaksOf: inputs have peaks whose elements are folded to an extreme, as they are or after a function of each, and
// no others.
func TestPeaksOf(t *testing.T) {
	const x, b, c = "input x: float32[6, 64]\n", "input b: bool[6, 64]\n", "input c: bool[6, 64]\n"
	for _, k := range []struct{ text, want string }{
		{x + "m(i: 6) = max(k: 64) x[i, k]\noutput m", "x [64]"},
		{x + "m(k: 64) = min(i: 6) x[i, k]\noutput m", ""}, // few enough that they differ
		{x + "input w: float32[64]\nm(i: 6, j: 6) = max(k: 64) x[i, k]*2 - w[k]\noutput m", "x [64] w [64]"},
		{x + "input w: float32[64]\nm(i: 6) = sum(k: 64) x[i, k]*w[k]\nt() = max(i: 6) m[i]\noutput t", ""},
		{x + "m(i: 6) = max(k: 64) x[i, k]\nt() = max(i: 6) m[i]\noutput t", "x [64 384]"},
		{x + "m() = max(i: 6, k: 64) x[i, k]\noutput m", "x [384]"},
		{x + "m(i: 6) = max(k: 64) x[i, k]\ne(i: 6, k: 64) = exp(x[i, k] - m[i])\ns(i: 6) = sum(k: 64) e[i, k]\n" +
			"y(i: 6, k: 64) = e[i, k]/s[i]\noutput y", "x [64]"},
		{x + b + "s(i: 6, k: 64) = select(b[i, k], x[i, k]*0.1, -inf)\nm(i: 6) = max(k: 64) s[i, k]\noutput m", "x [64]"},
		{x + "m(i: 6) = reduce(k: 64) {x[i, k]} from {1f} fold (a) (b) {a*b}\noutput m", ""},
		{x + "m(i: 6) -> at, v = reduce(k: 64) {int32(k), x[i, k]} from {2147483647, -inf}\n" +
			"    fold (p, u) (q, w) {select(u > w, p, q), max(u, w)}\noutput at", "x [64]"},
		{b + "a(i: 6) = max(k: 64) uint8(b[i, k])\noutput a", "b [64] any"},
		{b + "a(i: 6) = min(k: 64) uint8(b[i, k])\noutput a", "b [64] all"},
		{b + "a(i: 6) = max(k: 64) uint8(!b[i, k])\noutput a", "b [64] all"},
		{b + c + "a(i: 6) = max(k: 64) uint8(b[i, k]) - uint8(c[i, k])\noutput a", "b [64] any c [64] all"},
		{b + "a(i: 6) = reduce(k: 64) {b[i, k]} from {bool(0)} fold (p) (q) {p || q}\noutput a", "b [64] any"},
	} {
		d := parsed(t, k.text)
		found, got := peaksOf(d), ""
		for _, in := range d.Inputs() {
			p := found[in]
			if len(p.Runs) == 0 {
				continue
			}
			got += fmt.Sprintf(" %s %v", in.Name, p.Runs)
			if in.Type == tir.Bool && p.Any {
				got += " any"
			}
			if in.Type == tir.Bool && p.All {
				got += " all"
			}
		}
		if got = got[min(1, len(got)):]; got != k.want {
			t.Errorf("%q, want %q of\n%s", got, k.want, k.text)
		}
	}
}
