package table

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

func TestGathering(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for i := range 40 {
		s := smallShape(r, 1+r.IntN(3))
		at := r.IntN(len(s))
		x, kind := numbers(r, tir.F32, s...), []tir.DType{tir.I32, tir.I64}[i%2]
		fixed := [][]int{nil, {1}}[i/2%2]
		axis := graph.IntAttr("axis", int64(at))
		index := integersIn(r, kind, -s[at], s[at], smallShape(r, r.IntN(3))...)
		nodeCase{op: "Gather", version: 13, in: []*graph.Tensor{x, index}, fixed: fixed, attrs: []graph.Attr{axis}}.check(t)
		shape := append([]int64(nil), s...)
		shape[at] = 1 + r.Int64N(5)
		nodeCase{op: "GatherElements", version: 13, in: []*graph.Tensor{x, integersIn(r, kind, -s[at], s[at], shape...)},
			fixed: fixed, attrs: []graph.Attr{axis}}.check(t)
	}
	for i := range 20 {
		s := smallShape(r, 1+r.IntN(4))
		batch := r.IntN(len(s))
		k := 1 + r.IntN(len(s)-batch)
		shape := append(append([]int64(nil), s[:batch]...), smallShape(r, r.IntN(3))...)
		index := graph.NewTensor(tir.I64, append(shape, int64(k))...)
		for i := range index.I {
			n := s[batch+i%k]
			index.I[i] = r.Int64N(2*n) - n
		}
		nodeCase{op: "GatherND", version: 13, in: []*graph.Tensor{numbers(r, tir.F32, s...), index},
			fixed: [][]int{nil, {1}}[i%2], attrs: []graph.Attr{graph.IntAttr("batch_dims", int64(batch))}}.check(t)
	}
	// Indices with one distance between them.
	x := numbers(r, tir.F32, 9, 2)
	nodeCase{op: "Gather", version: 13, in: []*graph.Tensor{x, graph.Ints(1, -6, 5)}, fixed: []int{1}}.check(t)
	nodeCase{op: "Gather", version: 13, in: []*graph.Tensor{x, graph.Ints(8, 6, 4, 3)}, fixed: []int{1}}.check(t)
}

// TestIndicesOutOfRange: programs report them, and the reference, and the compiler if they are constant.
func TestIndicesOutOfRange(t *testing.T) {
	x := numbers(rand.New(rand.NewPCG(1, 6)), tir.F32, 3, 4)
	for _, c := range []nodeCase{
		{op: "Gather", version: 13, in: []*graph.Tensor{x, graph.Ints(0, 3)}},
		{op: "Gather", version: 13, in: []*graph.Tensor{x, graph.Ints(-4)}},
		{op: "GatherElements", version: 13, in: []*graph.Tensor{x, array.Reshaped(graph.Ints(4), []int64{1, 1})},
			attrs: []graph.Attr{graph.IntAttr("axis", 1)}},
		{op: "GatherND", version: 13, in: []*graph.Tensor{x, graph.Ints(2, 4)}},
		{op: "GatherND", version: 13, in: []*graph.Tensor{x, graph.Ints(3, 3)}},
		{op: "ScatterElements", version: 13, in: []*graph.Tensor{x, array.Reshaped(graph.Ints(3), []int64{1, 1}),
			graph.NewTensor(tir.F32, 1, 1)}},
		{op: "ScatterND", version: 13, in: []*graph.Tensor{x, graph.Ints(2, -5), graph.NewTensor(tir.F32)}},
	} {
		n := c.node()
		row, err := op.Find(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := row.Eval(nil, n, c.in); err == nil {
			t.Errorf("%s: the reference accepts it", c)
		}
		if err := inferOnly(n); err != nil {
			t.Fatal(err)
		}
		if _, err := compiled(n, c.in); !errors.Is(err, ErrRunTime) {
			t.Errorf("%s: %v", c, err)
		}
		c.fixed = []int{1}
		n = c.node()
		if _, err := row.Types(n); err == nil {
			t.Errorf("%s: constants are accepted", c)
		}
	}
}

// TestManyIndices: indices that several threads check, in blocks, and some behind the last block. One that is out of
// range is found wherever it is.
func TestManyIndices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	x := numbers(r, tir.F32, 7, 5)
	for _, k := range []int64{1, 2} {
		for _, count := range []int64{1023, 1024, 2048, 2100} {
			index := graph.NewTensor([]tir.DType{tir.I64, tir.I32}[count%2], count, k)
			for i := range index.I {
				n := x.Shape[int64(i)%k]
				index.I[i] = r.Int64N(2*n) - n
			}
			c := nodeCase{op: "GatherND", version: 13, in: []*graph.Tensor{x, index}}
			c.check(t)
			for _, at := range []int64{0, 1, 1000, count/2 + 3, count*k - 1} {
				good, n := index.I[at], x.Shape[at%k]
				for _, bad := range []int64{n, -n - 1} {
					index.I[at] = bad
					if _, err := compiled(c.node(), c.in); !errors.Is(err, ErrRunTime) {
						t.Errorf("%d of %d indices: index %d is %d of %d: %v", count, k, at, bad, n, err)
					}
				}
				index.I[at] = good
			}
		}
	}
}

// TestGatheredRows: rows of indices in vectors and pieces, and some behind them. One that is out of range is found
// wherever it is.
func TestGatheredRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for i, shape := range [][]int64{{16}, {3, 37}, {2, 1, 520}, {1200, 17}, {5, 2, 1024}} {
		for at := range shape {
			kind := []tir.DType{tir.I64, tir.I32}[i%2]
			index := integersIn(r, kind, -shape[at], shape[at], shape...)
			x := numbers(r, []tir.DType{tir.F32, tir.F16, tir.I64}[(i+at)%3], shape...)
			c := nodeCase{op: "GatherElements", version: 13, in: []*graph.Tensor{x, index},
				attrs: []graph.Attr{graph.IntAttr("axis", int64(at))}}
			c.check(t)
			for range 3 {
				place := r.IntN(len(index.I))
				good := index.I[place]
				for _, bad := range []int64{shape[at], -shape[at] - 1, 1<<31 - 1} {
					index.I[place] = bad
					n := c.node()
					if err := inferOnly(n); err != nil {
						t.Fatal(err)
					}
					if _, err := compiled(n, c.in); !errors.Is(err, ErrRunTime) {
						t.Errorf("%v, axis %d: index %d is %d: %v", shape, at, place, bad, err)
					}
				}
				index.I[place] = good
			}
		}
	}
}
