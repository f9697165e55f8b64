package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// flattenProducts has matrix products work on as few dimensions as can be, between reshapes, which cost nothing:
//
//	y = MatMul(x: [1, 128, 768], w: [768, 3072])    =>    products of [128, 768]
//	y = MatMul(q: [1, 12, 128, 64], k: [1, 12, 64, 128])    =>    products of [12, 128, 64] and [12, 64, 128]
func flattenProducts(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "products")
	return e.each(e.flatten)
}

func (e *editor) flatten(n *graph.Node) bool {
	x, y, ok := flattened(n)
	if !ok {
		return false
	}
	product := e.apply(n, "MatMul", []*graph.Value{e.reshape(n, n.Inputs[0], x), e.reshape(n, n.Inputs[1], y)},
		n.Attrs...)
	return e.becomes(n, e.reshape(n, product, n.Outputs[0].Shape))
}

// flattened returns the shapes of the operands of a product of fewer dimensions, and whether there is one.
func flattened(n *graph.Node) (x, y []int64, ok bool) {
	if n.Op != "MatMul" || n.Domain != "" {
		return nil, nil, false
	}
	x, y = n.Inputs[0].Shape, n.Inputs[1].Shape
	r, s := len(x), len(y)
	switch {
	case r > 2 && s == 2:
		return []int64{graph.Elems(x[:r-1]), x[r-1]}, y, true
	case r > 3 && r == s && slices.Equal(x[:r-2], y[:s-2]):
		b := graph.Elems(x[:r-2])
		if b == 1 {
			return x[r-2:], y[s-2:], true
		}
		return append([]int64{b}, x[r-2:]...), append([]int64{b}, y[s-2:]...), true
	case r == 3 && s == 3 && x[0] == 1 && y[0] == 1:
		return x[1:], y[1:], true
	}
	return nil, nil, false
}

// sinkReshapes moves reshapes behind elementwise nodes, so that these share a kernel with what made their operand:
//
//	a = Reshape(x: [128, 768]) to [1, 128, 768]; y = Add(a, b: [768])    =>    c = Add(x, b); y = Reshape(c)
func sinkReshapes(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "reshapes")
	if err := e.each(e.sinkReshape); err != nil {
		return err
	}
	return unused(ctx, g)
}

func (e *editor) sinkReshape(n *graph.Node) bool {
	if len(n.Outputs) != 1 || n.Outputs[0].Extents != nil || len(n.Inputs) == 0 {
		return false
	}
	out := n.Outputs[0]
	if op.IsAlias(n) {
		p := e.made[n.Inputs[0]]
		return p != nil && op.IsAlias(p) && p.Inputs[0].Type == out.Type &&
			e.becomes(n, e.reshape(n, p.Inputs[0], out.Shape))
	}
	shape := e.reshaped(n)
	if shape != nil && extent.IsMask(n) {
		attrs, ok := extent.Reshaped(n, shape)
		return ok && e.becomes(n, e.reshape(n, e.like(n, []*graph.Value{e.reshape(n, n.Inputs[0], shape), n.Inputs[1]},
			attrs...), out.Shape))
	}
	if shape == nil || !dag.Pointwise(n) {
		return false
	}
	inputs := make([]*graph.Value, len(n.Inputs))
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		to, ok := reshapedOperand(v.Shape, out.Shape, shape)
		if !ok {
			return false
		}
		inputs[i] = e.reshape(n, v, to)
	}
	return e.becomes(n, e.reshape(n, e.like(n, inputs), out.Shape))
}

// reshaped returns the shape before the reshape that made an operand of n of its output's shape, or nil.
func (e *editor) reshaped(n *graph.Node) []int64 {
	for _, v := range n.Inputs {
		p := e.made[v]
		if p != nil && op.IsAlias(p) && slices.Equal(v.Shape, n.Outputs[0].Shape) && p.Inputs[0].Extents == nil {
			return p.Inputs[0].Shape
		}
	}
	return nil
}

// reshapedOperand returns the shape that an operand takes so that it broadcasts to shape to as it does to from now; ok
// is false if there is none.
func reshapedOperand(operand, from, to []int64) (shape []int64, ok bool) {
	if graph.Elems(operand) == graph.Elems(from) {
		return to, true
	}
	if graph.Elems(operand) == 1 {
		return nil, true
	}
	common := 0
	for common < min(len(from), len(to)) && from[len(from)-1-common] == to[len(to)-1-common] {
		common++
	}
	lead := max(len(operand)-common, 0)
	if graph.Elems(operand[:lead]) != 1 {
		return nil, false
	}
	return operand[lead:], true
}
