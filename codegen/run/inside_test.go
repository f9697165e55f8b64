package run

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

// indexed is a workload that reads a table of 64 elements at an index.
func indexed(index string) string {
	return fmt.Sprintf("input t: float32[64]\ninput a: int64[8]\ninput b: int32[8]\ninput c: uint8[8]\ninput d: int8[8]\n"+
		"y(i: 8, j: 4) = %s + t[0]*float32(floormod(a[i], 3))*float32(floormod(b[i], 3i32))*float32(floormod(c[i], 3u8))*float32(floormod(d[i], 3i8))\noutput y\n", index)
}

// TestKeepInside: integers have those values for which the indices made of them lie inside.
func TestKeepInside(t *testing.T) {
	index := func(low, high int64) filling { return filling{low, high, true, true} }
	small := filling{-100, 100, true, false}
	for _, c := range []struct {
		value string
		input string
		want  filling
	}{
		{"t[a[i]]", "a", index(0, 63)},
		{"t[a[i] + j]", "a", index(0, 60)},
		{"t[j + a[i]*8]", "a", index(0, 7)},
		{"t[a[i]*8 - j]", "a", index(1, 7)},
		{"t[j - a[i]]", "a", index(-60, 0)},
		{"t[63 - int64(b[i])]", "b", index(0, 63)},
		{"t[int64(b[i] - 1i32)]", "b", index(1, 64)},
		{"t[a[i]*(0 - 2) + 10]", "a", index(-26, 5)},
		{"t[floordiv(a[i] - 4, 4)]", "a", index(4, 259)},
		{"t[(a[i] + 80)/2]", "a", index(-80, 47)},
		{"t[int64(d[i]) + 64]", "d", index(-64, -1)},
		{"t[a[i] + j] + t[a[i] - 1]", "a", index(1, 60)},
		{"t[a[i] + int64(b[i])]", "a", index(0, 31)},
		{"t[a[i] + int64(b[i])]", "b", index(0, 32)},
		{"t[a[i] - int64(b[i])]", "a", index(31, 63)},
		{"t[a[i] - int64(b[i])]", "b", index(0, 31)},
		{"t[floormod(a[i]*7 + j, 64)]", "a", index(0, 63)},
		{"t[floormod(a[i], 100)]", "a", index(0, 63)},
		{"t[floormod(a[i] + 90, 100)]", "a", index(-90, -27)},
		{"t[min(max(a[i] + j*50, 0), 63)]", "a", index(0, 63)},
		{"t[min(a[i] + 1, 63)]", "a", index(0, 63)},
		{"t[max(a[i] + 5, 0)]", "a", index(-5, 58)},
		{"t[select(a[i] < 0, a[i] + 64, a[i])]", "a", index(0, 63)},
		{"t[select(j < 2, a[i], a[i] + 4)]", "a", index(0, 59)},
		{"t[int64(floor(float32(b[i])*0.5))]", "b", index(0, 63)},
		{"if_then_else(a[i] >= 3, t[a[i] - 3], 0)", "a", index(0, 63)},
		{"if_then_else(a[i] + j < 64, t[a[i] + j], 0)", "a", index(0, 63)},
		{"if_then_else(!(b[i] < 1i32), t[int64(b[i]) - 1], 0)", "b", index(0, 63)},
		{"if_then_else(j < 1, t[a[i] + j*20], t[a[i]])", "a", index(0, 63)},
		{"if_then_else(c[i] < 9u8, t[a[i] - 1], 0)", "a", index(1, 64)},
		{"if_then_else(c[i] < 9u8, t[a[i] + j*30], 0)", "a", index(0, 63)}, // there is no such a
		{"if_then_else(c[i] < 9u8, t[a[i] - 1] + t[int64(b[i]) + j*30], 0)", "a", index(0, 63)},
		{"t[int64(int8(b[i]*5i32))/4 + 32]", "b", index(0, 63)}, // it wraps around
		{"float32(a[i])", "a", small},
		{"float32(a[i])", "c", filling{}},
	} {
		d := parsed(t, indexed(c.value))
		fills, err := fillings(d)
		if err != nil {
			t.Errorf("%s: %v", c.value, err)
			continue
		}
		for _, b := range d.Inputs() {
			if got := fills[b]; b.Name == c.input && got != c.want {
				t.Errorf("%s: %s has %+v, want %+v", c.value, b.Name, got, c.want)
			}
		}
	}
}

// TestKeepInsideByOtherTensors: what is asked of integers that are computed is asked of
// the inputs that they are made of.
func TestKeepInsideByOtherTensors(t *testing.T) {
	for _, c := range []struct {
		tensor string
		want   filling
	}{
		{"x(i: 8) = a[i] + i", filling{0, 56, true, true}},
		{"x(i: 8) = sum(k: 8) a[k]", filling{0, 7, true, true}},
		{"x(i: 8) = sum(k: 8) a[k]\n from 16", filling{-2, 5, true, true}},
		{"x(i: 8) = max(k: 8) a[k] - 1", filling{1, 64, true, true}},
		{"x(i: 8) = min(k: 8) a[k] - 1", filling{1, 64, true, true}},
		{"x(i: 8) -> x, v = reduce(k: 8) {a[k] + 2, t[k]} from {9223372036854775807, -inf} fold (ka, a) (kb, b) {select(a > b || a == b && ka < kb, ka, kb), max(a, b)}", filling{-2, 61, true, true}},
	} {
		d := parsed(t, fmt.Sprintf("input t: float32[64]\ninput a: int64[8]\n%s\ny(i: 8) = t[x[i]]\noutput y\n", c.tensor))
		fills, err := fillings(d)
		if err != nil {
			t.Errorf("%s: %v", c.tensor, err)
		} else if got := fills[d.Inputs()[1]]; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.tensor, got, c.want)
		}
	}
}

// TestIndices: the values of inputs that indices are made of, by way of other tensors as well.
func TestIndices(t *testing.T) {
	got, err := Indices(parsed(t, "input t: float32[64]\ninput a: int64[8]\ninput c: int64[8]\nx(i: 8) = a[i] + i\n"+
		"y(i: 8) = t[x[i]] + float32(c[i])\noutput y\n"))
	if want := map[string][2]int64{"a": {0, 56}}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, want %v; %v", got, want, err)
	}
	if got, err = Indices(parsed(t, indexed("t[a[i] + j*30]"))); err == nil {
		t.Errorf("%v, want an error", got)
	}
}

// TestKeepInsideRefuses: no values would do, or none that can be found.
func TestKeepInsideRefuses(t *testing.T) {
	for _, c := range []struct{ value, says string }{
		{"t[a[i] + j*30]", "index 0 of t, (a[i] + (j*30)), depends on a in a way that wmtune cannot choose inputs for: it would run from 0 to 153, but the dimension from 0 to 63: wrap it in floormod, or in min and max"},
		{"t[a[i]*a[i] + int64(c[i])]", "depends on a and c in a way"},
		{"t[floordiv(a[i] - 32, max(int64(c[i]), 3)) + 10]", "depends on a and c in a way that wmtune cannot choose inputs for: it would run from -1 to 20"},
		{"t[int64(c[i]) + 64]", "depends on c in a way"},
		{"select(j < 1, t[a[i] + j*30], 0)", "depends on a in a way"},
	} {
		if _, err := fillings(parsed(t, indexed(c.value))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.value, err, c.says)
		}
	}
}

// TestKeepInsideRandomly interprets workloads with random indices: none of those that
// are not refused reads outside, and none whose reads are guarded is refused.
func TestKeepInsideRandomly(t *testing.T) {
	ran := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		index := randomIndex(r, 3)
		value := fmt.Sprintf("t[%s]", index)
		guarded := seed%3 == 0
		if guarded {
			value = fmt.Sprintf("if_then_else(%s >= 0 && %s < 64, %s, 0)", index, index, value)
		}
		d, err := compute.Parse(indexed(value))
		if err != nil || !strings.Contains(index, "[") { // no input is in it
			continue
		}
		c, err := NewInterpreter(d, seed)
		if err != nil {
			if guarded || !strings.Contains(err.Error(), "wrap it in floormod") {
				t.Errorf("%s: %v", value, err)
			}
			continue
		}
		ran++
		for k := range d.Results()[0].Elems() {
			if _, err := c.reference.at(d.Results()[0], k); err != nil {
				t.Fatalf("%s: %v", value, err)
			}
		}
	}
	if ran < 300 {
		t.Errorf("only %d of 600 were not refused", ran)
	}
}

func randomIndex(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(5) == 0 {
		return []string{"a[i]", "int64(b[i])", "int64(c[i])", "int64(d[i])", "a[j]", "i", "j", "3", "1"}[r.IntN(9)]
	}
	x, y, n := randomIndex(r, depth-1), randomIndex(r, depth-1), 1+r.IntN(9)
	switch r.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", x, y)
	case 2:
		return fmt.Sprintf("(%s - %s)", x, y)
	case 3:
		return fmt.Sprintf("(%s*%d)", x, n)
	case 4:
		return fmt.Sprintf("(%s/%d)", x, n)
	case 5:
		return fmt.Sprintf("floordiv(%s, %d)", x, n)
	case 6:
		return fmt.Sprintf("floormod(%s, %d)", x, 20*n)
	case 7:
		return fmt.Sprintf("min(%s, %s)", x, y)
	case 8:
		return fmt.Sprintf("max(%s, %s)", x, y)
	case 9:
		return fmt.Sprintf("select(%s < %s, %s, %s)", x, y, y, x)
	}
	return fmt.Sprintf("int64(int8(%s))", x)
}
