package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// groupHeads has heads of queries that share keys and values be rows of one product, so that these are not copied for
// each head. A softmax between two such products is of the same rows.
//
//	e = Expand(k: [1, 4, 1, 9, 64]) to [1, 4, 2, 9, 64]; h = Reshape(e) to [1, 8, 9, 64]; y = MatMul(p: [1, 8, 3, 9], h)
//	=>  y = MatMul(p as [1, 4, 6, 9], k as [1, 4, 9, 64]) as [1, 8, 3, 64]
//
// A transpose of the last two axes may stand before the product, and a mask that hides nothing of the heads.
func groupHeads(ctx context.Context, g *graph.Graph) error {
	readers := g.Readers()
	e := edit(ctx, g, "heads")
	err := e.each(func(n *graph.Node) bool {
		if n.Op != "MatMul" || n.Domain != "" || len(n.Inputs[0].Shape) != 4 || n.Int("transA", 0) != 0 {
			return false
		}
		var between []*graph.Node // from the product to the heads
		v := n.Inputs[1]
		for p := e.made[v]; p != nil && (extent.IsMask(p) || isSwap(p)); p = e.made[v] {
			between, v = append(between, p), p.Inputs[0]
		}
		k, r := e.shared(v)
		if k == nil || n.Inputs[0].Shape[1] != v.Shape[1] || n.Inputs[0].Shape[0] != v.Shape[0] {
			return false
		}
		for _, p := range slices.Backward(between) {
			if k = e.grouped(p, k); k == nil {
				return false
			}
		}
		rows := slices.Clone(n.Inputs[0].Shape)
		rows[1], rows[2] = rows[1]/r, rows[2]*r
		q := n.Inputs[0]
		if s := e.made[q]; s != nil && s.Op == "Softmax" && s.Domain == "" && len(readers[q]) == 1 &&
			(s.Int("axis", -1) == -1 || s.Int("axis", -1) == 3) && s.Version >= 13 {
			q = e.like(s, []*graph.Value{e.reshape(n, s.Inputs[0], rows)})
		} else {
			q = e.reshape(n, q, rows)
		}
		return e.becomes(n, e.reshape(n, e.like(n, []*graph.Value{q, k}), n.Outputs[0].Shape))
	})
	if err != nil {
		return err
	}
	return unused(ctx, g)
}

// isSwap reports whether a node transposes the last two of four axes.
func isSwap(n *graph.Node) bool {
	return n.Op == "Transpose" && n.Domain == "" && slices.Equal(n.Ints("perm"), []int64{0, 1, 3, 2})
}

// shared returns what the heads of v share, of as many axes, and by how many heads: v is [batch, heads, ...].
func (e *editor) shared(v *graph.Value) (*graph.Value, int64) {
	p := e.made[v]
	if p == nil || !op.IsAlias(p) || len(v.Shape) != 4 {
		return nil, 0
	}
	x := e.made[p.Inputs[0]]
	if x == nil || x.Op != "Expand" || x.Domain != "" || len(x.Outputs[0].Shape) != 5 || len(x.Inputs[0].Shape) != 5 ||
		x.Outputs[0].Extents != nil {
		return nil, 0
	}
	from, to := x.Inputs[0].Shape, x.Outputs[0].Shape
	r := to[2]
	if from[2] != 1 || r == 1 || !slices.Equal(slices.Concat(from[:2], from[3:]), slices.Concat(to[:2], to[3:])) ||
		!slices.Equal(v.Shape, []int64{to[0], to[1] * r, to[3], to[4]}) {
		return nil, 0
	}
	return e.reshape(p, x.Inputs[0], slices.Concat(to[:2], to[3:])), r
}

// grouped returns what a transpose or a mask makes of k, whose heads are fewer; nil if a mask hides heads.
func (e *editor) grouped(n *graph.Node, k *graph.Value) *graph.Value {
	if !extent.IsMask(n) {
		return e.like(n, []*graph.Value{k})
	}
	var digits []extent.Digit
	var hides []int64
	for i, d := range extent.Digits(n) {
		hidden := slices.Contains(n.Ints("hides"), int64(i))
		if d.Axis == 1 {
			if d.Entry >= 0 || hidden {
				return nil
			}
			if slices.ContainsFunc(digits, func(d extent.Digit) bool { return d.Axis == 1 }) {
				continue
			}
			d.Upper = k.Shape[1]
		}
		if hidden {
			hides = append(hides, int64(len(digits)))
		}
		digits = append(digits, d)
	}
	return e.like(n, []*graph.Value{k, n.Inputs[1]}, append(extent.Attrs(digits), graph.IntsAttr("hides", hides...))...)
}
