package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// channelsLast has convolutions and pools work on images whose channels vary fastest, between transposes:
//
//	y = Conv(x, w)    =>    a = Transpose(x) perm=[0, 2, 3, 1]
//	                        b = wmtune.Conv(a, w'); y = Transpose(b) perm=[0, 3, 1, 2]
//
// Weights become HWIO ahead of time; those of a convolution must be constant. Channels are shuffled so, too.
func channelsLast(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "channels")
	images := slices.ContainsFunc(g.Nodes, hasLast)
	return e.each(func(n *graph.Node) bool {
		if x, groups := e.shuffled(n); images && x != nil {
			return e.shuffleLast(n, x, groups)
		}
		return hasLast(n) && e.channelsLast(n)
	})
}

// channelsFirst gives a pool that stands alone back the order of channels that it had:
//
//	a = Transpose(x) perm=[0, 2, 3, 1]; b = wmtune.MaxPool(a); y = Transpose(b) perm=[0, 3, 1, 2]    =>    y = MaxPool(x)
//
// It applies where nothing else reads a or b.
func channelsFirst(ctx context.Context, g *graph.Graph) error {
	readers, makers := g.Readers(), g.Producers()
	alone := func(v *graph.Value) bool { return len(readers[v]) == 1 && !slices.Contains(g.Outputs, v) }
	e := edit(ctx, g, "alone")
	err := e.each(func(n *graph.Node) bool {
		pool := makers[n.Input(0)]
		perm := permOf(n)
		if perm == nil || pool == nil || pool.Domain != "wmtune" || pool.Op != "MaxPool" && pool.Op != "AveragePool" {
			return false
		}
		rank := len(perm)
		before := makers[pool.Inputs[0]]
		if !slices.Equal(perm, inverse(toLast(rank))) || !slices.Equal(permOf(before), toLast(rank)) ||
			!alone(pool.Inputs[0]) || !alone(pool.Outputs[0]) {
			return false
		}
		return e.becomes(n, e.apply(n, pool.Op, []*graph.Value{before.Inputs[0]}, pool.Attrs...))
	})
	if err != nil {
		return err
	}
	return unused(ctx, g)
}

// hasLast reports whether there is an operator like n's for channels last.
func hasLast(n *graph.Node) bool {
	if n.Domain != "" || len(n.Outputs) != 1 || len(n.Inputs[0].Shape) < 3 {
		return false
	}
	switch n.Op {
	case "Conv":
		return n.Inputs[1].Const != nil
	case "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool":
		return true
	}
	return false
}

func (e *editor) channelsLast(n *graph.Node) bool {
	rank := len(n.Inputs[0].Shape)
	inputs := append([]*graph.Value{e.transpose(n, n.Inputs[0], toLast(rank))}, n.Inputs[1:]...)
	if n.Op == "Conv" {
		perm := []int64{} // O I spatial... becomes spatial... I O, or spatial... O 1 where each channel has its own
		for d := 2; d < rank; d++ {
			perm = append(perm, int64(d))
		}
		perm = append(perm, 1, 0)
		if n.Int("group", 1) > 1 && n.Inputs[1].Shape[1] == 1 {
			perm[rank-2], perm[rank-1] = 0, 1
		}
		inputs[1] = e.transpose(n, n.Inputs[1], perm)
	}
	attrs := n.Attrs
	if n.Op == "Conv" && joinsColumns(n) {
		attrs = e.joinColumns(n, inputs)
	}
	y := e.apply(n, "wmtune."+n.Op, inputs, attrs...)
	return e.becomes(n, e.transpose(n, y, inverse(toLast(rank))))
}

func (e *editor) transpose(like *graph.Node, x *graph.Value, perm []int64) *graph.Value {
	return e.apply(like, "Transpose", []*graph.Value{x}, graph.IntsAttr("perm", perm...))
}

// toLast is the order of dimensions that puts channels last.
func toLast(rank int) []int64 {
	perm := []int64{0}
	for d := 2; d < rank; d++ {
		perm = append(perm, int64(d))
	}
	return append(perm, 1)
}

func inverse(perm []int64) []int64 {
	r := make([]int64, len(perm))
	for i, p := range perm {
		r[p] = int64(i)
	}
	return r
}

// permute returns list in the order of perm.
func permute(list, perm []int64) []int64 {
	r := make([]int64, len(perm))
	for i, p := range perm {
		r[i] = list[p]
	}
	return r
}

// permOf returns the order of a Transpose, or nil if n is none.
func permOf(n *graph.Node) []int64 {
	if n == nil || n.Op != "Transpose" || n.Domain != "" {
		return nil
	}
	if p := n.Ints("perm"); len(p) > 0 {
		return p
	}
	p := make([]int64, len(n.Inputs[0].Shape))
	for i := range p {
		p[i] = int64(len(p) - 1 - i)
	}
	return p
}

// keepsOrder reports whether a transpose moves dimensions of extent 1 only: elements stay where they are.
func keepsOrder(shape, perm []int64) bool {
	var order []int64
	for _, p := range perm {
		if shape[p] != 1 {
			order = append(order, p)
		}
	}
	return slices.IsSorted(order)
}
