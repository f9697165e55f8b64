package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func TestMoving(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rank := r.IntN(5)
		x := numbers(r, tir.F32, smallShape(r, rank)...)
		perm := []int64{}
		for _, p := range r.Perm(rank) {
			perm = append(perm, int64(p))
		}
		nodeCase{op: "Transpose", version: 13, in: []*graph.Tensor{x},
			attrs: []graph.Attr{graph.IntsAttr("perm", perm...)}}.check(t)
		nodeCase{op: "Transpose", version: 13, in: []*graph.Tensor{x}}.check(t)
		repeats := graph.Ints(smallShape(r, rank)...)
		y := nodeCase{op: "Tile", version: 6, in: []*graph.Tensor{x, repeats}, fixed: []int{1}}.check(t)[0]
		for d, k := range repeats.I {
			if y.Shape[d] != k*x.Shape[d] {
				t.Errorf("%v times %v has shape %v", x.Shape, repeats.I, y.Shape)
			}
		}
		to := smallShape(r, rank+1)
		for d, e := range x.Shape {
			if e != 1 {
				to[d+1] = e
			}
			if r.IntN(3) == 0 {
				to[d+1] = 1
			}
		}
		nodeCase{op: "Expand", version: 8, in: []*graph.Tensor{x, graph.Ints(to...)}, fixed: []int{1}}.check(t)
	}
	x := numbers(r, tir.I8, 2, 12, 3, 4)
	for _, mode := range []string{"DCR", "CRD"} {
		nodeCase{op: "DepthToSpace", version: 13, in: []*graph.Tensor{x},
			attrs: []graph.Attr{graph.IntAttr("blocksize", 2), graph.StrAttr("mode", mode)}}.check(t)
		nodeCase{op: "SpaceToDepth", version: 28, in: []*graph.Tensor{numbers(r, tir.F32, 2, 3, 4, 6)},
			attrs: []graph.Attr{graph.IntAttr("blocksize", 2), graph.StrAttr("mode", mode)}}.check(t)
	}
}

// TestTransposeBlocks: blocks, with ends of rows and of columns, move to where the reference has them.
func TestTransposeBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ shape, perm []int64 }{
		{[]int64{35, 36}, []int64{1, 0}}, {[]int64{2, 20, 3, 9}, []int64{0, 2, 3, 1}}, {[]int64{2, 3, 1, 7, 17}, []int64{0, 3, 4, 2, 1}},
		{[]int64{3, 5, 2, 16}, []int64{3, 0, 2, 1}}, {[]int64{1, 4, 5, 1, 6}, []int64{4, 3, 2, 1, 0}},
	} {
		for _, dt := range []tir.DType{tir.F32, tir.I64} {
			n := nodeCase{op: "Transpose", version: 13, in: []*graph.Tensor{numbers(r, dt, c.shape...)},
				attrs: []graph.Attr{graph.IntsAttr("perm", c.perm...)}}
			n.check(t)
			if k := n.node(); inferOnly(k) != nil || standsAlone(k) != (c.shape[1] != 3) {
				t.Errorf("%s: blocks %t", n, standsAlone(k))
			}
		}
	}
}

// TestDepthToSpaceExample is the example of the operator's documentation.
func TestDepthToSpaceExample(t *testing.T) {
	x := graph.NewTensor(tir.I32, 1, 8, 1, 1)
	for i := range x.I {
		x.I[i] = int64(i)
	}
	for mode, want := range map[string][]int64{"DCR": {0, 2, 4, 6, 1, 3, 5, 7}, "CRD": {0, 1, 2, 3, 4, 5, 6, 7}} {
		y := nodeCase{op: "DepthToSpace", version: 13, in: []*graph.Tensor{x},
			attrs: []graph.Attr{graph.IntAttr("blocksize", 2), graph.StrAttr("mode", mode)}}.check(t)
		if !slices.Equal(y[0].I, want) {
			t.Errorf("%s: %v, want %v", mode, y[0].I, want)
		}
		back := nodeCase{op: "SpaceToDepth", version: 28, in: y,
			attrs: []graph.Attr{graph.IntAttr("blocksize", 2), graph.StrAttr("mode", mode)}}.check(t)
		if !slices.Equal(back[0].I, x.I) {
			t.Errorf("SpaceToDepth of DepthToSpace: %v", back[0].I)
		}
	}
}
