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

func TestSelecting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, upper := range []int64{0, 1} {
		for _, k := range []int64{-7, -2, 0, 1, 6} {
			diagonal := &graph.Tensor{Type: tir.I64, Shape: []int64{}, I: []int64{k}}
			for _, fixed := range [][]int{nil, {1}} {
				nodeCase{op: "Trilu", version: 14, in: []*graph.Tensor{numbers(r, tir.I64, 2, 4, 5), diagonal}, fixed: fixed,
					attrs: []graph.Attr{graph.IntAttr("upper", upper)}}.check(t)
			}
		}
	}
	nodeCase{op: "Trilu", version: 14, in: []*graph.Tensor{numbers(r, tir.F32, 3, 3)}}.check(t)

	for _, version := range []int{9, 11} {
		for axis := int64(-3); axis <= 2; axis++ {
			for _, fixed := range [][]int{nil, {1}, {1, 2}} {
				depth := graph.Scalar(tir.F32, 5)
				nodeCase{op: "OneHot", version: version, in: []*graph.Tensor{integersIn(r, tir.I64, -7, 7, 3, 4), depth,
					numbers(r, tir.F32, 2)}, fixed: fixed, attrs: []graph.Attr{graph.IntAttr("axis", axis)},
					declared: [][]int64{slices.Insert([]int64{3, 4}, int(axis+3)%3, 5)}}.check(t)
			}
		}
	}
	for _, time := range []int64{0, 1} {
		for _, fixed := range [][]int{nil, {1}} {
			s := []int64{5, 3, 2}
			if time == 1 {
				s = []int64{3, 5, 2}
			}
			nodeCase{op: "ReverseSequence", version: 10, in: []*graph.Tensor{numbers(r, tir.F32, s...), graph.Ints(5, 0, 3)},
				fixed: fixed, attrs: []graph.Attr{graph.IntAttr("time_axis", time), graph.IntAttr("batch_axis", 1-time)}}.check(t)
		}
	}
}

func TestOneHotCountsFromTheEnd(t *testing.T) {
	for version, want := range map[int][]int64{9: {0, 0, 1}, 11: {0, 1, 1}} {
		values := &graph.Tensor{Type: tir.I32, Shape: []int64{2}, I: []int64{0, 1}}
		y := nodeCase{op: "OneHot", version: version, fixed: []int{1},
			in: []*graph.Tensor{graph.Ints(-2, 2), graph.Scalar(tir.I64, 3), values}}.check(t)[0]
		if got := []int64{y.I[0], y.I[1], y.I[5]}; !slices.Equal(got, want) {
			t.Errorf("version %d: %v, want %v", version, got, want)
		}
	}
}

// TestContradictions: operands that are known at run time only must be what the program was made for.
func TestContradictions(t *testing.T) {
	for _, c := range []nodeCase{
		{op: "OneHot", version: 11, in: []*graph.Tensor{graph.Ints(1, 2), graph.Scalar(tir.I64, 4), graph.Ints(0, 1)},
			declared: [][]int64{{2, 5}}},
		{op: "ReverseSequence", version: 10, in: []*graph.Tensor{graph.NewTensor(tir.F32, 3, 2), graph.Ints(1, 4)}},
		{op: "TensorScatter", version: 24, in: []*graph.Tensor{graph.NewTensor(tir.F32, 2, 3, 4),
			graph.NewTensor(tir.F32, 2, 1, 4), graph.Ints(2, 3)}},
		{op: "ReverseSequence", version: 10, in: []*graph.Tensor{graph.NewTensor(tir.F32, 3, 2), graph.Ints(1, -1)}},
	} {
		n := c.node()
		var declared []op.Type
		for _, s := range c.declared {
			declared = append(declared, op.Type{DType: tir.I64, Shape: s})
		}
		if err := inferOnly(n, declared...); err != nil {
			t.Fatal(err)
		}
		if _, err := compiled(n, c.in); !errors.Is(err, ErrRunTime) {
			t.Errorf("%s: %v", c, err)
		}
	}
}
