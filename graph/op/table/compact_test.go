package table

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	for i := range 60 {
		s := smallShape(r, 1+r.IntN(3))
		at := r.IntN(len(s))
		s[at] = 1 + r.Int64N(9)
		kind := []tir.DType{tir.F32, tir.I8, tir.F16, tir.U64, tir.I64}[i%5]
		x := numbers(r, kind, s...)
		for j := range x.Len() { // some are equal
			if x.F != nil {
				x.F[j] = math.Round(x.F[j] / 16)
				if r.IntN(6) == 0 {
					x.F[j] = math.NaN()
				}
			} else {
				x.I[j] /= 32
			}
		}
		k := 1 + r.Int64N(s[at])
		attrs := []graph.Attr{graph.IntAttr("axis", int64(at)), graph.IntAttr("largest", int64(i/5%2))}
		shape := slices.Clone(s)
		shape[at] = k
		nodeCase{op: "TopK", version: 11, in: []*graph.Tensor{x, graph.Ints(k)}, fixed: [][]int{nil, {1}}[i%2], outputs: 2,
			attrs: attrs, declared: [][]int64{shape, shape}}.check(t)
		nodeCase{op: "TopK", version: 7, in: []*graph.Tensor{x}, outputs: 1 + i%2,
			attrs: []graph.Attr{attrs[0], graph.IntAttr("k", k)}}.check(t)
	}
	// More than are kept sorted.
	x := numbers(r, tir.F32, 2, 131)
	const insertionLimit = 64 // as topk.go has it
	for _, k := range []int64{insertionLimit, insertionLimit + 1, 131} {
		nodeCase{op: "TopK", version: 11, in: []*graph.Tensor{x, graph.Ints(k)}, fixed: []int{1}, outputs: 2}.check(t)
	}
}

// TestTopKSelects: rows that are selected from in vectors, with equals, NaN, both zeros and infinities.
func TestTopKSelects(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct {
		shape []int64
		k     int64
	}{{[]int64{1, 1000}, 5}, {[]int64{3, 130}, 30}, {[]int64{700}, 1}, {[]int64{2, 4, 257}, 64}, {[]int64{1, 2100}, 300},
		{[]int64{1, 128}, 32}} {
		for _, spread := range []int{3, 40, 1 << 20} { // how many numbers there are: most are equal, some, or none
			x := graph.NewTensor(tir.F32, c.shape...)
			for j := range x.F {
				x.F[j] = float64(float32(r.IntN(spread)-spread/2) / 8)
				switch r.IntN(40) {
				case 0:
					x.F[j] = math.NaN()
				case 1:
					x.F[j] = math.Copysign(0, -1)
				case 2:
					x.F[j] = math.Inf(r.IntN(3) - 1)
				}
			}
			for _, largest := range []int64{0, 1} {
				nodeCase{op: "TopK", version: 11, in: []*graph.Tensor{x, graph.Ints(c.k)}, fixed: []int{1}, outputs: 2,
					attrs: []graph.Attr{graph.IntAttr("largest", largest)}}.check(t)
			}
		}
	}
}

func TestTopKOfEquals(t *testing.T) {
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{5}, F: []float64{1, 3, 3, math.NaN(), 3}}
	for largest, want := range map[int64][]int64{1: {3, 1, 2}, 0: {0, 1, 2}} {
		out := nodeCase{op: "TopK", version: 11, in: []*graph.Tensor{x, graph.Ints(3)}, fixed: []int{1}, outputs: 2,
			attrs: []graph.Attr{graph.IntAttr("largest", largest)}}.check(t)
		if !slices.Equal(out[1].I, want) {
			t.Errorf("largest %d: %v, want %v", largest, out[1].I, want)
		}
	}
}

func TestCompacting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	for i := range 40 {
		s := smallShape(r, 1+r.IntN(3))
		at := r.IntN(len(s))
		kind := []tir.DType{tir.F32, tir.I8, tir.Bool, tir.F16, tir.U64}[i%5]
		x := numbers(r, kind, s...)
		for j := range x.Len() {
			if x.F != nil {
				x.F[j] = math.Round(x.F[j] / 16)
			} else if kind != tir.Bool {
				x.I[j] /= 48
			}
		}
		var attrs []graph.Attr
		items := graph.Elems(s)
		if i%2 == 0 {
			attrs, items = []graph.Attr{graph.IntAttr("axis", int64(at))}, s[at]
		}
		for _, fixed := range [][]int{nil, {1}} {
			c := nodeCase{op: "Compress", version: 11, in: []*graph.Tensor{x, numbers(r, tir.Bool, 1+r.Int64N(items))},
				fixed: fixed, attrs: attrs}
			if fixed == nil || slices.Contains(c.in[1].I, 1) {
				c.check(t)
			}
		}
		nodeCase{op: "NonZero", version: 13, in: []*graph.Tensor{x}}.check(t)
		attrs = append(attrs, graph.IntAttr("sorted", r.Int64N(2)))
		nodeCase{op: "Unique", version: 11, in: []*graph.Tensor{x}, outputs: 4, attrs: attrs}.check(t)
		nodeCase{op: "Unique", version: 11, in: []*graph.Tensor{x}, outputs: 1 + r.IntN(3), attrs: attrs}.check(t)
	}
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{6}, F: []float64{2, math.NaN(), 1, 2, math.NaN(), 1}}
	for sorted, want := range map[int64][]int64{1: {2, 0, 1}, 0: {0, 1, 2}} {
		out := nodeCase{op: "Unique", version: 11, in: []*graph.Tensor{x}, outputs: 4,
			attrs: []graph.Attr{graph.IntAttr("sorted", sorted)}}.check(t)
		if !slices.Equal(out[1].I, want) || !slices.Equal(out[3].I, []int64{2, 2, 2}) {
			t.Errorf("sorted %d: first items %v, counts %v", sorted, out[1].I, out[3].I)
		}
	}
}

// TestCompressTooLong: a condition that holds beyond the last item is an error.
func TestCompressTooLong(t *testing.T) {
	c := nodeCase{op: "Compress", version: 11, in: []*graph.Tensor{graph.Ints(1, 2), {Type: tir.Bool, Shape: []int64{3},
		I: []int64{1, 0, 1}}}}
	n := c.node()
	row, _ := op.Find(n)
	if _, err := row.Eval(nil, n, c.in); err == nil {
		t.Error("the reference accepts it")
	}
	if err := inferOnly(n); err != nil {
		t.Fatal(err)
	}
	if _, err := compiled(n, c.in); !errors.Is(err, ErrRunTime) {
		t.Error(err)
	}
}

// TestUniqueOfMany: the reference does not take quadratic time.
func TestUniqueOfMany(t *testing.T) {
	const items = 200000
	x := graph.NewTensor(tir.I64, items)
	for i := range x.I {
		x.I[i] = int64(i/2*7919%(items/2)) - 9
	}
	for sorted, want := range map[int64]int64{1: x.I[2] + 9, 0: 1} {
		c := nodeCase{op: "Unique", version: 11, outputs: 4, in: []*graph.Tensor{x},
			attrs: []graph.Attr{graph.IntAttr("sorted", sorted)}}
		out, err := reference(c.node(), c.in)
		if err != nil || out[0].Len() != items/2 || out[2].I[3] != want || out[3].I[items/2-1] != 2 {
			t.Errorf("sorted %d: %d items, item 3 is number %d, not %d: %v", sorted, out[0].Len(), out[2].I[3], want,
				err)
		}
	}
}
