package table

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

func TestReshaping(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := numbers(r, tir.F32, 2, 6, 1, 4)
	f, one := graph.NewTensor(tir.I8, 0, 3), []int{1}
	for _, c := range []struct {
		nodeCase
		want []int64
	}{
		{nodeCase{op: "Reshape", version: 13, in: []*graph.Tensor{x, graph.Ints(3, -1, 2)}, fixed: one}, []int64{3, 8, 2}},
		{nodeCase{op: "Reshape", version: 5, in: []*graph.Tensor{x, graph.Ints(0, 2, 3, 4)}, fixed: []int{1}},
			[]int64{2, 2, 3, 4}},
		{nodeCase{op: "Reshape", version: 5, in: []*graph.Tensor{x, graph.Ints(0, 0, -1)}, fixed: one}, []int64{2, 6, 4}},
		{nodeCase{op: "Reshape", version: 5, in: []*graph.Tensor{numbers(r, tir.I64, 1), graph.Ints()}, fixed: []int{1}},
			[]int64{}},
		{nodeCase{op: "Flatten", version: 9, in: []*graph.Tensor{x}}, []int64{2, 24}},
		{nodeCase{op: "Flatten", version: 11, in: []*graph.Tensor{x}, attrs: []graph.Attr{graph.IntAttr("axis", -1)}},
			[]int64{12, 4}},
		{nodeCase{op: "Flatten", version: 11, in: []*graph.Tensor{x}, attrs: []graph.Attr{graph.IntAttr("axis", 4)}},
			[]int64{48, 1}},
		{nodeCase{op: "Squeeze", version: 11, in: []*graph.Tensor{x}}, []int64{2, 6, 4}},
		{nodeCase{op: "Squeeze", version: 11, in: []*graph.Tensor{x}, attrs: []graph.Attr{graph.IntsAttr("axes", -2)}},
			[]int64{2, 6, 4}},
		{nodeCase{op: "Squeeze", version: 13, in: []*graph.Tensor{x, graph.Ints(2)}, fixed: one}, []int64{2, 6, 4}},
		{nodeCase{op: "Unsqueeze", version: 11, in: []*graph.Tensor{x}, attrs: []graph.Attr{graph.IntsAttr("axes", 5, 0)}},
			[]int64{1, 2, 6, 1, 4, 1}},
		{nodeCase{op: "Unsqueeze", version: 13, in: []*graph.Tensor{x, graph.Ints(-1, 1)}, fixed: []int{1}},
			[]int64{2, 1, 6, 1, 4, 1}},
	} {
		if got := c.check(t); !slices.Equal(got[0].Shape, c.want) {
			t.Errorf("%s: shape %v, want %v", c, got[0].Shape, c.want)
		}
	}
	n := nodeCase{op: "Reshape", version: 14, in: []*graph.Tensor{f, graph.Ints(3, 0)}, fixed: []int{1},
		attrs: []graph.Attr{graph.IntAttr("allowzero", 1)}}.node()
	row, err := op.Find(n)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := row.Infer(n); err != nil || !slices.Equal(got[0].Shape, []int64{3, 0}) {
		t.Errorf("zeros are allowed: %v, %v", got, err)
	}
}

func TestReshapingRejects(t *testing.T) {
	x, one := graph.NewTensor(tir.F32, 2, 3), []int{1}
	for _, c := range []struct {
		nodeCase
		err string
	}{
		{nodeCase{op: "Reshape", version: 13, in: []*graph.Tensor{x, graph.Ints(-1, -1)}, fixed: one}, "two dimensions"},
		{nodeCase{op: "Reshape", version: 13, in: []*graph.Tensor{x, graph.Ints(5)}, fixed: one}, "6 elements, not 5"},
		{nodeCase{op: "Reshape", version: 13, in: []*graph.Tensor{x, graph.Ints(4, -1)}, fixed: one}, "does not take"},
		{nodeCase{op: "Reshape", version: 13, in: []*graph.Tensor{x, graph.Ints(1, 6, 0)}, fixed: one}, "keeps dimension"},
		{nodeCase{op: "Reshape", version: 13, in: []*graph.Tensor{x, graph.Ints(6)}}, "not constant"},
		{nodeCase{op: "Squeeze", version: 13, in: []*graph.Tensor{x, graph.Ints(1)}, fixed: one}, "is not 1"},
		{nodeCase{op: "Unsqueeze", version: 13, in: []*graph.Tensor{x, graph.Ints(1, 1)}, fixed: one}, "twice"},
		{nodeCase{op: "Unsqueeze", version: 13, in: []*graph.Tensor{x, graph.Ints(3)}, fixed: one}, "axis 3"},
		{nodeCase{op: "Flatten", version: 13, in: []*graph.Tensor{x}, attrs: []graph.Attr{graph.IntAttr("axis", 3)}},
			"axis 3"},
	} {
		n := c.node()
		row, _ := op.Find(n)
		if _, err := row.Types(n); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c, err, c.err)
		}
	}
}

// TestReindex compares indices with a count over all elements, for random pairs of shapes.
func TestReindex(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	factors := []int64{1, 2, 2, 3, 1, 2}
	for range 200 {
		group := func() []int64 {
			s := []int64{1}
			for _, f := range factors {
				if r.IntN(2) == 0 {
					s = append(s, f)
				} else {
					s[len(s)-1] *= f
				}
			}
			return s
		}
		x := numbers(r, tir.I32, group()...)
		nodeCase{op: "Reshape", version: 14, in: []*graph.Tensor{x, graph.Ints(group()...)}, fixed: []int{1}}.check(t)
	}
}
