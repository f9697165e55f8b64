package op

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func TestCuts(t *testing.T) {
	const far, farBack = 1<<63 - 1, -1 << 63
	for _, c := range []struct {
		n, start, end, step int64
		want                cut
	}{
		{10, 2, 5, 1, cut{2, 1, 3}},
		{10, -3, far, 1, cut{7, 1, 3}},
		{10, 20, far, 1, cut{10, 1, 0}},
		{10, 0, 10, 3, cut{0, 3, 4}},
		{10, 9, farBack, -1, cut{9, -1, 10}},
		{10, 20, 0, -4, cut{9, -4, 3}},
		{10, -20, 3, 1, cut{0, 1, 3}},
		{10, -1, -20, -3, cut{9, -3, 4}},
		{10, 3, 8, far, cut{3, 11, 1}},
		{10, 8, 3, farBack, cut{8, -11, 1}},
		{10, 3, 8, -1, cut{3, -1, 0}},
		{0, -1, farBack, -1, cut{0, 1, 0}},
	} {
		if got := newCut(c.n, c.start, c.end, c.step); got != c.want {
			t.Errorf("%d elements, %d:%d:%d: %v, want %v", c.n, c.start, c.end, c.step, got, c.want)
		}
	}
}

func TestSlicing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	x := numbers(r, tir.F32, 4, 5, 6)
	i32 := func(v ...int64) *graph.Tensor {
		return &graph.Tensor{Type: tir.I32, Shape: []int64{int64(len(v))}, I: v}
	}
	for _, c := range []nodeCase{
		{op: "Slice", version: 9, attrs: []graph.Attr{graph.IntsAttr("starts", 1, -3), graph.IntsAttr("ends", 1000, -1),
			graph.IntsAttr("axes", 0, 2)}},
		{op: "Slice", version: 9, attrs: []graph.Attr{graph.IntsAttr("starts", 1, 2), graph.IntsAttr("ends", 3, 3)}},
		{op: "Slice", version: 10, in: []*graph.Tensor{nil, i32(1), i32(-1), i32(-2)}, fixed: []int{1, 2, 3}},
		{op: "Slice", version: 13, in: []*graph.Tensor{nil, graph.Ints(-1, 0), graph.Ints(-100, 5), graph.Ints(2, 1),
			graph.Ints(-2, 3)}, fixed: []int{1, 2, 3, 4}},
		{op: "Slice", version: 13, in: []*graph.Tensor{nil, graph.Ints(3), graph.Ints(1), nil, graph.Ints(-1)},
			fixed: []int{1, 2, 4}},
		{op: "Pad", version: 2, attrs: []graph.Attr{graph.IntsAttr("pads", 1, 0, 2, 0, 3, 0), graph.FloatAttr("value", 1.5)}},
		{op: "Pad", version: 11, in: []*graph.Tensor{nil, graph.Ints(0, 1, -2, 2, 0, 3)}, fixed: []int{1}},
		{op: "Pad", version: 13, in: []*graph.Tensor{nil, graph.Ints(0, 1, -2, 2, 0, 3), graph.Scalar(tir.F32, 7)},
			fixed: []int{1}},
		{op: "Pad", version: 18, in: []*graph.Tensor{nil, graph.Ints(1, 2, 3, -1), nil, graph.Ints(-1, 0)},
			fixed: []int{1, 3}},
		{op: "Pad", version: 18, in: []*graph.Tensor{nil, graph.Ints(0, 0, 0, 0, 0, -1), graph.Scalar(tir.F32, 7)},
			fixed: []int{1}},
		{op: "CenterCropPad", version: 18, in: []*graph.Tensor{nil, graph.Ints(7, 2, 6)}, fixed: []int{1}},
		{op: "CenterCropPad", version: 18, in: []*graph.Tensor{nil, graph.Ints(3, 8)}, fixed: []int{1},
			attrs: []graph.Attr{graph.IntsAttr("axes", -1, 1)}},
	} {
		if c.in == nil {
			c.in = []*graph.Tensor{nil}
		}
		c.in[0] = x
		c.check(t)
	}
	for _, mode := range []string{"constant", "reflect", "edge", "wrap"} {
		for range 20 {
			pads := graph.NewTensor(tir.I64, 6)
			for i := range pads.I {
				pads.I[i] = r.Int64N(5) - 1
			}
			if r.IntN(4) == 0 {
				pads.I[r.IntN(6)] = 11 // reflects more than once
			}
			nodeCase{op: "Pad", version: 19, in: []*graph.Tensor{x, pads}, fixed: []int{1},
				attrs: []graph.Attr{graph.StrAttr("mode", mode)}}.check(t)
		}
	}
}

func TestPadTable(t *testing.T) {
	for _, c := range []struct {
		mode string
		m    margin
		want []int64
	}{
		{"constant", margin{2, 1}, []int64{-1, -1, 0, 1, 2, -1}},
		{"edge", margin{2, 1}, []int64{0, 0, 0, 1, 2, 2}},
		{"reflect", margin{2, 1}, []int64{2, 1, 0, 1, 2, 1}},
		{"reflect", margin{3, 5}, []int64{1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}},
		{"wrap", margin{4, 2}, []int64{2, 0, 1, 2, 0, 1, 2, 0, 1}},
		{"reflect", margin{-1, 1}, []int64{1, 2, 1}},
		{"constant", margin{-1, -1}, []int64{1}},
	} {
		if got := padTable(c.mode, upTo(3), c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.mode, c.m, got, c.want)
		}
	}
}
