package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func TestJoining(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 20 {
		rank := 1 + r.IntN(4)
		s, at := smallShape(r, rank), r.IntN(rank)
		var parts []*graph.Tensor
		for i := range 1 + r.IntN(5) {
			p := slices.Clone(s)
			p[at] = r.Int64N(4)
			if i == 0 {
				p[at] = 2
			}
			parts = append(parts, numbers(r, tir.F32, p...))
		}
		joined := nodeCase{op: "Concat", version: 11, in: parts,
			attrs: []graph.Attr{graph.IntAttr("axis", int64(at-rank))}}.check(t)
		var sizes []int64
		for _, p := range parts {
			if p.Shape[at] > 0 {
				sizes = append(sizes, p.Shape[at])
			}
		}
		axis := graph.IntAttr("axis", int64(at))
		nodeCase{op: "Split", version: 13, in: []*graph.Tensor{joined[0], graph.Ints(sizes...)}, fixed: []int{1},
			outputs: len(sizes), attrs: []graph.Attr{axis}}.check(t)
		nodeCase{op: "Split", version: 2, in: joined, outputs: len(sizes),
			attrs: []graph.Attr{axis, graph.IntsAttr("split", sizes...)}}.check(t)
	}
	x := numbers(r, tir.F32, 7)
	got := nodeCase{op: "Split", version: 18, in: []*graph.Tensor{x}, outputs: 3,
		attrs: []graph.Attr{graph.IntAttr("num_outputs", 3)}}.check(t)
	if got[0].Shape[0] != 3 || got[2].Shape[0] != 1 {
		t.Errorf("7 elements in 3 parts: %v %v %v", got[0].Shape, got[1].Shape, got[2].Shape)
	}
	nodeCase{op: "Split", version: 13, in: []*graph.Tensor{numbers(r, tir.F32, 2, 6)}, outputs: 2,
		attrs: []graph.Attr{graph.IntAttr("axis", -1)}}.check(t)
}

// TestSplitWithoutNames: parts that have no name are parts.
func TestSplitWithoutNames(t *testing.T) {
	x := numbers(rand.New(rand.NewPCG(1, 18)), tir.F32, 2, 6)
	for left := range 3 {
		c := nodeCase{op: "Split", version: 13, outputs: 3, in: []*graph.Tensor{x},
			attrs: []graph.Attr{graph.IntAttr("axis", 1)}}
		n := c.node()
		n.Outputs[left] = nil
		if err := inferOnly(n); err != nil {
			t.Fatal(err)
		}
		for i, v := range n.Outputs {
			if v != nil && !slices.Equal(v.Shape, []int64{2, 2}) {
				t.Errorf("part %d is %s", i, v)
			}
		}
		checkInferred(t, n, c.in)
	}
}
