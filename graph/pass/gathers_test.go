package pass

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestGatherStored: tables of all integers, with scales of all kinds, give what they gave, and take the memory that they
// have in a file.
func TestGatherStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	types := []*graph.Element{{Name: "int8", Type: tir.I8}, {Name: "uint8", Type: tir.U8}}
	for _, number := range []int64{21, 22, 25, 26} {
		e, _ := graph.ElementOf(number)
		types = append(types, e.Narrow())
	}
	index := func(shape ...int64) *graph.Tensor {
		x := graph.NewTensor(tir.I64, shape...)
		for i := range x.I {
			x.I[i] = rng.Int64N(10) - 5
		}
		return x
	}
	for _, c := range []struct {
		table, scale []int64
		along, block int64
		axis         int64
		stays        bool
	}{
		{[]int64{5, 33}, nil, 1, 0, 0, false}, {[]int64{5, 33}, []int64{33}, 1, 0, 0, false},
		{[]int64{5, 33}, []int64{5}, 0, 0, 0, false}, {[]int64{5, 33}, []int64{5, 3}, 1, 16, 0, false},
		{[]int64{5, 33}, []int64{5, 1}, -1, 64, -2, false}, {[]int64{6, 5, 7}, []int64{6, 5, 2}, 2, 4, 1, false},
		{[]int64{6, 5, 7}, []int64{2, 5, 7}, 0, 4, 1, false}, {[]int64{6, 5, 7}, []int64{7}, 2, 0, 1, false},
		{[]int64{6, 5, 7}, []int64{6}, 0, 0, 1, false}, {[]int64{6, 5, 7}, []int64{5}, 1, 0, 1, false},
		{[]int64{33, 5}, []int64{33}, 0, 0, 1, false}, {[]int64{5}, []int64{5}, 0, 0, 0, false},
		{[]int64{5, 33}, []int64{3, 33}, 0, 2, 0, true},
	} {
		for _, e := range types {
			for k, rows := range []*graph.Tensor{index(3), index(), index(2, 1, 2), index(0)} {
				q, scale, zero := graph.NewTensor(e.Type, c.table...), graph.NewTensor(tir.F32, c.scale...),
					graph.NewTensor(e.Type, c.scale...)
				low, high := int64(-128), int64(127)
				if e.Bits > 0 {
					q.Narrow, zero.Narrow = e, e
					low, high = e.Range()
				} else if e.Type == tir.U8 {
					low, high = 0, 255
				}
				for _, x := range []*graph.Tensor{q, zero} {
					for i := range x.I {
						x.I[i] = low + rng.Int64N(high-low+1)
					}
				}
				for i := range scale.F {
					scale.F[i] = float64(float32(0.01 + rng.Float64()))
				}
				inputs := []*graph.Value{graph.Constant("q", q), graph.Constant("s", scale), graph.Constant("z", zero)}
				for _, v := range inputs {
					v.Narrow = v.Const.Narrow
				}
				g := tableGraph(inputs[:3-k%2], rows, c.along, c.block, c.axis)
				original, _ := g.Clone()
				name := fmt.Sprintf("%v of %s, rows %v, %d zero points", c, e.Name, rows.Shape, 1-k%2)
				if err := Run(t.Context(), g, Options{Check: true}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				want, err := op.Evaluator().Run(t.Context(), original, []*graph.Tensor{rows})
				got, failed := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{rows})
				if err != nil || failed != nil || !slices.Equal(got[0].Const().Data, want[0].Const().Data) {
					t.Fatalf("%s: got %v (%v), want %v (%v)\n%s", name, got, failed, want, err, g)
				}
				last := c.axis == int64(len(c.table)-1)
				real := slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool {
					v := n.Input(0)
					return n.Op == "Gather" && len(c.table) > 1 && slices.Equal(v.Shape, c.table) &&
						(v.Type.IsFloat() || !last && v.Narrow != nil)
				})
				if real != c.stays && rows.Len() > 0 {
					t.Errorf("%s: a table of real numbers, or of a number a byte: %t\n%s", name, real, g)
				}
			}
		}
	}
}

// tableGraph takes rows of a table that is dequantized.
func tableGraph(inputs []*graph.Value, rows *graph.Tensor, along, block, axis int64) *graph.Graph {
	i := &graph.Value{Name: "i", Type: tir.I64, Shape: rows.Shape, Ranked: true}
	w, y := &graph.Value{Name: "w"}, &graph.Value{Name: "y"}
	d := &graph.Node{Op: "DequantizeLinear", Version: 21, Inputs: inputs, Outputs: []*graph.Value{w}}
	d.SetAttr(graph.IntAttr("axis", along))
	if block > 0 {
		d.SetAttr(graph.IntAttr("block_size", block))
	}
	n := &graph.Node{Op: "Gather", Version: 13, Inputs: []*graph.Value{w, i}, Outputs: []*graph.Value{y}}
	n.SetAttr(graph.IntAttr("axis", axis))
	return &graph.Graph{Name: "table", Inputs: []*graph.Value{i}, Nodes: []*graph.Node{d, n}, Outputs: []*graph.Value{y}}
}
