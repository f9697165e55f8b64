package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
)

// extentFormulas are extents of two dimensions: their sum, half of the first, and a product.
var extentFormulas = extent.FormulaAttrs([]int64{0, 1}, []int64{5, 40}, []int64{1, 3}, []extent.Formula{
	{Over: 1, Terms: []extent.Term{{Times: 1, Entries: []int{0}}, {Times: 2, Entries: []int{1}}}},
	{Over: 2, Plus: 1, Terms: []extent.Term{{Times: 1, Entries: []int{0}}}},
	{Over: 3, Plus: -1, Terms: []extent.Term{{Times: 1, Entries: []int{0, 1}}}},
})

func TestExtents(t *testing.T) {
	for _, c := range []struct{ dims, want []int64 }{
		{[]int64{0, 1}, []int64{0, 1, 2, 0, -1}},
		{[]int64{5, 40}, []int64{5, 40, 85, 3, 66}},
	} {
		got := nodeCase{op: "wmtune.Extents", in: []*graph.Tensor{graph.Ints(c.dims...)}, attrs: extentFormulas}.check(t)
		if !slices.Equal(got[0].I, c.want) {
			t.Errorf("%v: %v, want %v", c.dims, got[0].I, c.want)
		}
	}
	n, err := newNode("wmtune.Extents", 1, 1, []*graph.Tensor{graph.Ints(0, 0)}, func(int) bool { return false },
		extentFormulas...)
	if err != nil || !faults(t, n, graph.Ints(0, 0)) || !faults(t, n, graph.Ints(6, 1)) || !faults(t, n, graph.Ints(5, 3)) || faults(t, n, graph.Ints(5, 1)) {
		t.Errorf("an extent outside of its range is no error, or one inside is: %v", err)
	}
	if _, err := reference(n, []*graph.Tensor{graph.Ints(6, 1)}); err == nil {
		t.Errorf("the reference takes an extent outside of its range")
	}
}

// TestWithinBounds: the programs that spread, cut and mask do what their references do, whichever digits vary.
func TestWithinBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	digits := []extent.Digit{{Axis: 0, Upper: 2, Entry: -1}, {Axis: 1, Upper: 3, Entry: 1}, {Axis: 1, Upper: 21, Entry: 0},
		{Axis: 2, Upper: 2, Entry: -1}}
	last := []extent.Digit{{Axis: 0, Upper: 40, Entry: 0}, {Axis: 1, Upper: 2, Entry: -1}}
	for _, c := range []struct {
		shape  []int64
		digits []extent.Digit
		hides  []int64
	}{{[]int64{2, 63, 2}, digits, []int64{1, 2}}, {[]int64{2, 63, 2}, digits, []int64{2}}, {[]int64{40, 2}, last, []int64{0}}} {
		for _, entries := range [][]int64{{21, 3}, {0, 2}, {17, 2}, {16, 0}, {1, 1}} {
			for _, kind := range []tir.DType{tir.F32, tir.I8, tir.Bool, tir.F16} {
				in := []*graph.Tensor{numbers(rng, kind, c.shape...), graph.Ints(entries...)}
				attrs := extent.Attrs(c.digits)
				spread := nodeCase{op: "wmtune.Spread", in: in, attrs: attrs}.check(t)
				cut := nodeCase{op: "wmtune.Cut", in: []*graph.Tensor{spread[0], in[1]}, attrs: attrs}.check(t)
				for i := range cut[0].Len() {
					if x, y := cut[0].At(i), in[0].At(i); x != y && x == x {
						t.Errorf("%v: element %d is %v after Spread and Cut, and was %v", entries, i, x, y)
					}
				}
				number := []graph.Attr{graph.FloatAttr("value", math.Inf(-1)), graph.IntAttr("ivalue", 1)}
				nodeCase{op: "wmtune.Mask", in: in,
					attrs: append(append(attrs, graph.IntsAttr("hides", c.hides...)), number...)}.check(t)
			}
		}
	}
}

// TestRows: the programs that pack and unpack rows do what their references do where all places are true, of operands
// that have one place for several, too.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	digits := []extent.Digit{{Axis: 0, Upper: 2, Entry: 1}, {Axis: 1, Upper: 3, Entry: -1}, {Axis: 1, Upper: 7, Entry: 0}}
	attrs := append(extent.Attrs(digits), graph.IntAttr("rows", 2))
	entries := graph.Ints(7, 2, 42)
	for _, shape := range [][]int64{{2, 21, 4}, {1, 21, 4}, {2, 1, 4}, {2, 21}} {
		wide := numbers(rng, tir.F32, shape...)
		rows := nodeCase{op: "wmtune.Pack", in: []*graph.Tensor{wide, entries}, attrs: attrs}.check(t)[0]
		back := nodeCase{op: "wmtune.Unpack", in: []*graph.Tensor{rows, entries}, attrs: attrs}.check(t)[0]
		inner := graph.Elems(shape[2:])
		for i := range back.Len() {
			batch, place := int64(i)/(21*inner)%shape[0], int64(i)/inner%21%shape[1]
			if x, y := back.At(i), wide.At(int((batch*shape[1]+place)*inner+int64(i)%inner)); x != y && x == x {
				t.Fatalf("%v: element %d is %v after Pack and Unpack, and was %v", shape, i, x, y)
			}
		}
	}
}
