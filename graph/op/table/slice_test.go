package table

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

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
