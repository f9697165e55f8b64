package compile

import (
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
)

// drawInputs draws inputs of g: floats from a normal distribution, and whole numbers below the bounds. The same seed
// gives the same inputs.
func drawInputs(g *graph.Graph, bounds []int64, seed uint64) []*graph.Tensor {
	list := make([]*graph.Tensor, len(g.Inputs))
	for i, v := range g.Inputs {
		list[i] = randomTensor(v.Type, v.Shape, bounds[i], rand.New(rand.NewPCG(seed, uint64(i))))
		for k := range list[i].F {
			if v.Narrow != nil {
				list[i].F[k] = v.Narrow.Round(list[i].F[k], true)
			}
		}
		if n := extent.Reader(g, v); n != nil {
			list[i] = extent.Draw(n, rand.New(rand.NewPCG(seed, uint64(i))))
		}
	}
	return list
}

// controlledRuns is how often a model with branches or loops is verified.
const controlledRuns = 4

// drawRuns draws the inputs that a bundle is verified with, run by run: one run, or several if g has branches or loops.
// Then each condition that is an input is true in some runs and false in others, and each number of iterations that is
// an input is 3, 2, 1 and 0 in one of them. The first drawing is the last run. A model whose extents are an input runs
// with the least ones, with some between, and at last with the bounds.
func drawRuns(g *graph.Graph, bounds []int64, seed uint64) [][]*graph.Tensor {
	first := drawInputs(g, bounds, seed)
	for i, v := range g.Inputs {
		if n := extent.Reader(g, v); n != nil {
			runs := [][]*graph.Tensor{drawInputs(g, bounds, seed+1<<32), drawInputs(g, bounds, seed+2<<32), first}
			runs[0][i], first[i] = graph.Ints(n.Ints("least")...), graph.Ints(n.Ints("most")...)
			return runs
		}
	}
	if !slices.ContainsFunc(g.Nodes, hasGraphs) {
		return [][]*graph.Tensor{first}
	}
	counts := map[*graph.Value]bool{}
	for _, n := range g.Nodes {
		if n.Op == "Loop" && n.Input(0) != nil {
			counts[n.Input(0)] = true
		}
	}
	runs := make([][]*graph.Tensor, controlledRuns)
	for k := range runs {
		drawn := drawInputs(g, bounds, seed+uint64(k)<<32)
		for i, v := range g.Inputs {
			for j := range drawn[i].I {
				switch {
				case v.Type == tir.Bool:
					drawn[i].I[j] = first[i].I[j] ^ int64(k&1)
				case counts[v]:
					drawn[i].I[j] = int64(k+2) % controlledRuns
				}
			}
		}
		runs[controlledRuns-1-k] = drawn
	}
	return runs
}

func hasGraphs(n *graph.Node) bool {
	return slices.ContainsFunc(n.Attrs, func(a graph.Attr) bool { return len(a.Graphs) > 0 })
}

// inputBounds returns inputBound of each input. Shapes of g that are not known say nothing.
func inputBounds(g *graph.Graph) []int64 {
	readers := g.Readers()
	bounds := make([]int64, len(g.Inputs))
	for i, v := range g.Inputs {
		bounds[i] = inputBound(v, readers)
	}
	return bounds
}

// inputBound returns what the whole numbers of an input stay below; 0 of floats.
func inputBound(v *graph.Value, readers map[*graph.Value][]*graph.Node) int64 {
	if v.Type.IsFloat() {
		return 0
	}
	bound := int64(2)
	if b := indexBound(v, readers, 0); b > 0 && v.Type != tir.Bool {
		bound = b
	}
	if v.Type.Bits() == 8 {
		bound = min(bound, 128)
	}
	return bound
}

// randomTensor draws floats from a normal distribution, and whole numbers from 0 to what is below the bound.
func randomTensor(t tir.DType, shape []int64, bound int64, r *rand.Rand) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	for k := range x.Len() {
		if x.F != nil {
			x.F[k] = float64(float32(r.NormFloat64()))
		} else {
			x.I[k] = r.Int64N(bound)
		}
	}
	if x.F != nil { // as the type holds it
		x = x.Const().Tensor()
	}
	return x
}

// indexBound returns the extent of the smallest dimension that v indexes, or 0 if it is no index.
func indexBound(v *graph.Value, readers map[*graph.Value][]*graph.Node, depth int) int64 {
	bound := int64(0)
	if depth > 20 {
		return 0
	}
	for _, n := range readers[v] {
		b := int64(0)
		switch {
		case n.Op == "Gather" || n.Op == "GatherElements":
			data := n.Inputs[0]
			axis := n.Int("axis", 0)
			if axis < 0 {
				axis += int64(len(data.Shape))
			}
			if n.Inputs[1] == v && axis >= 0 && axis < int64(len(data.Shape)) { // the shape may not be known
				b = data.Shape[axis]
			} else if n.Inputs[0] == v {
				b = indexBound(n.Outputs[0], readers, depth+1)
			}
		case n.Op == "RoiAlign" && n.Input(2) == v && len(n.Inputs[0].Shape) > 0:
			b = n.Inputs[0].Shape[0]
		case op.IsAlias(n) || slices.Contains([]string{"Cast", "Transpose", "Slice", "Expand", "Spread", "Mask", "Pack",
			"Unpack"}, n.Op):
			if n.Inputs[0] == v {
				b = indexBound(n.Outputs[0], readers, depth+1)
			}
		}
		if b > 0 && (bound == 0 || b < bound) {
			bound = b
		}
	}
	return bound
}
