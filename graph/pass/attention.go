package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/reduce"
)

// minRows is the number of queries from which on a softmax and the product behind it share a kernel. One query alone
// has too little work for it.
const minRows = 8

// attention makes one operator of a softmax and the matrix product that alone reads it. Its kernel may compute the
// scores as well, some rows at a time:
//
//	p = Softmax(s); y = MatMul(p, v)    =>    y = wmtune.Attend(s, v)
//
// It marks other softmaxes whose results only matrix products read: a weight below the smallest normal number adds
// nothing to a product, but processors need long for such numbers. Masks of -100 make many of them.
//
//	p = Softmax(s); t = Transpose(p); y = MatMul(t, v)    =>    p = wmtune.AttentionSoftmax(s); ...
func attention(ctx context.Context, g *graph.Graph) error {
	readers := g.Readers()
	for _, n := range g.Nodes {
		if n.Domain == "" && n.Op == "Softmax" && onlyProducts(n.Outputs[0], readers, g.Outputs) {
			n.Domain, n.Op = op.SplitName("wmtune.AttentionSoftmax")
		}
	}
	e := edit(ctx, g, "attention")
	err := e.each(func(n *graph.Node) bool {
		softmax := attending(n, e.made, readers, g.Outputs)
		if softmax == nil {
			return false
		}
		masked := int64(0)
		if softmax.Op == "MaskedSoftmax" {
			masked = 1
		}
		return e.becomes(n, e.apply(n, "wmtune.Attend", []*graph.Value{softmax.Inputs[0], n.Inputs[1]},
			graph.IntAttr("masked", masked), graph.IntAttr("transB", n.Int("transB", 0))))
	})
	if err != nil {
		return err
	}
	return unused(ctx, g)
}

// attending returns the softmax of rows that a product n alone reads as its first operand, or nil.
func attending(
	n *graph.Node, made map[*graph.Value]*graph.Node, readers map[*graph.Value][]*graph.Node, outputs []*graph.Value,
) *graph.Node {
	if n.Op != "MatMul" || n.Int("transA", 0) != 0 {
		return nil
	}
	p, v := n.Inputs[0], n.Inputs[1].Shape
	softmax, rank := made[p], len(p.Shape)
	if softmax == nil || softmax.Domain != "wmtune" || len(readers[p]) != 1 || slices.Contains(outputs, p) ||
		rank < 2 || len(v) != rank || !slices.Equal(p.Shape[:rank-2], v[:rank-2]) || p.Shape[rank-2] < minRows {
		return nil
	}
	if softmax.Op != "MaskedSoftmax" && (softmax.Op != "AttentionSoftmax" || !reduce.IsRowSoftmax(softmax)) {
		return nil
	}
	return softmax
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
		moves := err == nil && (r.Has(op.Alias) || n.Domain == "" && (n.Op == "Transpose" || n.Op == "Cast"))
		if !moves || n.Inputs[0] != v || !onlyProducts(first(n), readers, kept) {
			return false
		}
	}
	return true
}
