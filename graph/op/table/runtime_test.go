package table

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// run infers the node of a case with the shapes that it declares, and runs its program.
func (c nodeCase) run(t *testing.T) error {
	t.Helper()
	n := c.node()
	row, err := op.Find(n)
	if err != nil {
		t.Fatal(err)
	}
	if row.Form(n) != op.FormOpaque {
		t.Fatalf("%s: form %d", c, row.Form(n))
	}
	for i, v := range n.Outputs {
		v.Type, v.Shape, v.Ranked = c.in[0].Type, c.declared[i], true
	}
	_, err = compiled(n, c.in)
	return err
}

// runTimeCases are nodes whose operands are known at run time only, with the shapes that they imply.
func runTimeCases(r *rand.Rand) []nodeCase {
	x := numbers(r, tir.F32, 4, 1, 6)
	ints := graph.Ints
	i32 := func(v ...int64) *graph.Tensor {
		return &graph.Tensor{Type: tir.I32, Shape: []int64{int64(len(v))}, I: v}
	}
	list := []nodeCase{
		{op: "Reshape", in: []*graph.Tensor{x, ints(0, 2, -1)}},
		{op: "Reshape", in: []*graph.Tensor{x, ints(24)}},
		{op: "Squeeze", in: []*graph.Tensor{x, ints(1)}},
		{op: "Squeeze", in: []*graph.Tensor{numbers(r, tir.F32, 1, 3, 1, 1), ints(-1, 0)}},
		{op: "Unsqueeze", in: []*graph.Tensor{x, ints(0, -1)}},
		{op: "Expand", in: []*graph.Tensor{x, ints(3, 1)}},
		{op: "Expand", in: []*graph.Tensor{x, ints(2, 4, 5, 6)}},
		{op: "Expand", in: []*graph.Tensor{x, ints(6)}},
		{op: "Tile", in: []*graph.Tensor{x, ints(1, 3, 2)}},
		{op: "Split", in: []*graph.Tensor{x, ints(1, 2, 3)}, outputs: 3, attrs: []graph.Attr{graph.IntAttr("axis", -1)}},
		{op: "Slice", in: []*graph.Tensor{x, ints(1, -3), ints(1000, -1), ints(0, 2)}},
		{op: "Slice", in: []*graph.Tensor{x, i32(-1, -100), i32(-100, 3), i32(-1, 0), i32(-2, 2)}},
		{op: "Slice", in: []*graph.Tensor{x, ints(1, 0, 1), ints(3, 1, 1<<62)}},
		{op: "CenterCropPad", in: []*graph.Tensor{x, ints(5, 4), nil}, attrs: []graph.Attr{graph.IntsAttr("axes", 1, -1)}},
		{op: "Pad", in: []*graph.Tensor{x, ints(0, 1, -2, 2, 0, 3), graph.Scalar(tir.F32, 7)}},
		{op: "Pad", in: []*graph.Tensor{x, ints(0, 1, 2, -1, 0, 3)}},
	}
	list[len(list)-3].in = list[len(list)-3].in[:2]
	for axis := range int64(3) { // each leads to the same shape
		list = append(list, nodeCase{op: "ReduceSum", in: []*graph.Tensor{numbers(r, tir.F32, 3, 3, 3), ints(axis)},
			attrs: []graph.Attr{graph.IntAttr("keepdims", 0)}})
	}
	for _, mode := range []string{"constant", "reflect", "edge", "wrap"} {
		for range 8 {
			pads := integersIn(r, tir.I64, -1, 5, 4)
			if r.IntN(2) == 0 {
				pads.I[r.IntN(4)] = 11
			}
			list = append(list, nodeCase{op: "Pad", in: []*graph.Tensor{x, pads, nil, ints(-1, 0)},
				attrs: []graph.Attr{graph.StrAttr("mode", mode)}})
		}
	}
	for i := range list {
		list[i].version = 19
	}
	return list
}

func TestRunTimeOperands(t *testing.T) {
	for _, c := range runTimeCases(rand.New(rand.NewPCG(1, 12))) {
		n := c.node()
		row, err := op.Find(n)
		if err != nil {
			t.Fatal(err)
		}
		want, err := row.Eval(nil, n, c.in)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			c.declared = append(c.declared, w.Shape)
		}
		c.check(t)
		if c.op == "Pad" || c.op == "Slice" || c.op == "CenterCropPad" {
			c.declared[0] = slices.Clone(c.declared[0])
			c.declared[0][len(c.declared[0])-1]++
			if err := c.run(t); !errors.Is(err, ErrRunTime) {
				t.Errorf("%s: declared as %v: %v", c, c.declared, err)
			}
		}
	}
}

func TestRunTimeContradictions(t *testing.T) {
	x := graph.NewTensor(tir.F32, 2, 1, 1, 3)
	for _, c := range []nodeCase{
		{op: "Reshape", in: []*graph.Tensor{x, graph.Ints(3, 2)}, declared: [][]int64{{2, 3}}},
		{op: "Reshape", in: []*graph.Tensor{x, graph.Ints(0, 3)}, declared: [][]int64{{3, 2}}},
		{op: "Squeeze", in: []*graph.Tensor{x, graph.Ints(0)}, declared: [][]int64{{2, 1, 3}}},
		{op: "Squeeze", in: []*graph.Tensor{x, graph.Ints(1, 1)}, declared: [][]int64{{2, 3}}},
		{op: "Unsqueeze", in: []*graph.Tensor{x, graph.Ints(0)}, declared: [][]int64{{2, 1, 1, 3, 1}}},
		{op: "Unsqueeze", in: []*graph.Tensor{x, graph.Ints(5)}, declared: [][]int64{{2, 1, 1, 3, 1}}},
		{op: "Expand", in: []*graph.Tensor{x, graph.Ints(2, 1, 3)}, declared: [][]int64{{2, 2, 2, 3}}},
		{op: "Expand", in: []*graph.Tensor{x, graph.Ints(4)}, declared: [][]int64{{2, 1, 1, 3}}},
		{op: "Tile", in: []*graph.Tensor{x, graph.Ints(1, 2, 1, 1)}, declared: [][]int64{{2, 1, 2, 3}}},
		{op: "Split", in: []*graph.Tensor{x, graph.Ints(1, 2)}, declared: [][]int64{{2, 1, 1, 2}, {2, 1, 1, 1}}, outputs: 2,
			attrs: []graph.Attr{graph.IntAttr("axis", -1)}},
		{op: "Slice", in: []*graph.Tensor{x, graph.Ints(0), graph.Ints(2), graph.Ints(7)}, declared: [][]int64{{2, 1, 1, 2}}},
		{op: "Slice", in: []*graph.Tensor{x, graph.Ints(0), graph.Ints(2), graph.Ints(3), graph.Ints(0)},
			declared: [][]int64{{2, 1, 1, 2}}},
		{op: "Pad", in: []*graph.Tensor{x, graph.Ints(-4, 4), nil, graph.Ints(3)}, declared: [][]int64{{2, 1, 1, 3}}},
	} {
		c.version = 19
		if err := c.run(t); !errors.Is(err, ErrRunTime) {
			t.Errorf("%s declared as %v: %v", c, c.declared, err)
		}
	}
}
