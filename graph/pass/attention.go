package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// attention marks softmaxes whose results only matrix products read, as those of attention: a weight below the smallest
// normal number adds nothing to a product, but processors need long for such numbers. Masks of -100 make many of them.
//
//	p = Softmax(s); t = Transpose(p); y = MatMul(t, v)    =>    p = wmtune.AttentionSoftmax(s); ...
func attention(_ context.Context, g *graph.Graph) error {
	readers := g.Readers()
	for _, n := range g.Nodes {
		if n.Domain == "" && n.Op == "Softmax" && onlyProducts(n.Outputs[0], readers, g.Outputs) {
			n.Domain, n.Op = op.SplitName("wmtune.AttentionSoftmax")
		}
	}
	return nil
}

// onlyProducts says whether all that reads v, as it is or in another order, are matrix products.
func onlyProducts(v *graph.Value, readers map[*graph.Value][]*graph.Node, kept []*graph.Value) bool {
	if len(readers[v]) == 0 || slices.Contains(kept, v) {
		return false
	}
	for _, n := range readers[v] {
		if n.Domain == "" && (n.Op == "MatMul" || n.Op == "Gemm") {
			continue
		}
		r, err := op.Find(n)
		moves := err == nil && (r.Alias || n.Domain == "" && n.Op == "Transpose")
		if !moves || n.Inputs[0] != v || !onlyProducts(first(n), readers, kept) {
			return false
		}
	}
	return true
}
