package pass

import (
	"cmp"
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// halve returns what has products by constant weights multiply numbers of a type of 16 bits, and add them up in
// float32, or, of float16, in that:
//
//	a = Conv(x, w, b); y = Add(a, x)
//	=>
//	h = Cast(x) to=bfloat16; c = Conv(h, w') wide=1; a = Add(c, b); y = Add(a, Cast(h) to=float32)
//	h = Cast(x) to=float16; c = Cast(Conv(h, w') wide=-1) to=float32; a = Add(c, b); ...
//
// Products of two computed values, as those of attention, multiply numbers of bfloat16, too, where an operand is read
// so often that a copy for an instruction pays.
//
// Whatever else reads an operand that the kernel of a product makes reads the rounded one, so that the kernel stores no
// other; but for products that are not rounded: they would round again and again. Convolutions that Winograd's
// algorithm computes in less time than the processor does at a rate stay as they are. The function returns the number
// of products.
func halve(to tir.DType) func(ctx context.Context, g *graph.Graph, opt Options) (int, error) {
	return func(ctx context.Context, g *graph.Graph, opt Options) (int, error) { return halveTo(ctx, g, to, opt) }
}

func halveTo(ctx context.Context, g *graph.Graph, to tir.DType, opt Options) (count int, err error) {
	if err := foldBatchNorm(ctx, g); err != nil { // weights are rounded once
		return 0, err
	}
	err = subgraphs(g, func(g *graph.Graph) error {
		h := &halver{edit(ctx, g, "half"), to, opt, map[*graph.Value]bool{}, map[*graph.Value]*graph.Value{}}
		made, readers := g.Producers(), g.Readers()
		for _, n := range g.Nodes {
			if h.halvable(n) {
				for _, v := range n.Inputs[:2] {
					h.rounded[v] = v.Const == nil && ofProduct(v, made, readers)
				}
				count++
			}
		}
		return h.each(h.node)
	})
	return count, err
}

// ofProduct reports whether v is made of what a product makes, and of no reduction, by nodes that join its kernel. What
// norms make is small beside what their readers do: residual sums read it as it is.
func ofProduct(v *graph.Value, made map[*graph.Value]*graph.Node, readers map[*graph.Value][]*graph.Node) bool {
	found := map[op.Class]bool{}
	var visit func(v *graph.Value)
	visit = func(v *graph.Value) {
		r, err := op.Find(cmp.Or(made[v], &graph.Node{}))
		if err != nil {
			return
		}
		if r.Class != op.Injective {
			found[r.Class] = true
		} else if !found[op.Injective] || len(readers[v]) == 1 { // the first, or not stored
			found[op.Injective] = true
			for _, x := range made[v].Inputs {
				visit(x)
			}
		}
	}
	visit(v)
	return found[op.ComplexOut] && !found[op.Reduction]
}

// A halver rounds the values that products of a graph read.
type halver struct {
	*editor
	to      tir.DType                     // what operands are rounded to
	opt     Options                       // how fast products of 16 bits are, and of which sums
	rounded map[*graph.Value]bool         // those that are rounded for all readers
	halves  map[*graph.Value]*graph.Value // what they are then
}

// halvable reports whether n is a product whose operands are rounded: of constant weights, an even number of them in a
// sum, or in a line of a window, since instructions add up pairs.
func (h *halver) halvable(n *graph.Node) bool {
	if n.Domain != "" || n.Op != "MatMul" && n.Op != "Gemm" && n.Op != "Conv" {
		return false
	}
	x, w := n.Inputs[0], n.Inputs[1]
	if x.Const != nil || w.Dequantized != nil || x.Type != tir.F32 || len(x.Shape) < 2 || len(w.Shape) < 2 {
		return false
	}
	if w.Const == nil {
		return h.to == tir.BF16 && n.Op == "MatMul" && h.isReadOften(n)
	}
	steps := w.Shape[len(w.Shape)-2]
	switch {
	case n.Op == "Conv" && n.Int("group", 1) != 1, isFasterInTiles(n, h.opt.Rate),
		n.Op == "Gemm" && (n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1 || n.Int("transA", 0) != 0):
		return false
	case n.Op == "Gemm" && n.Int("transB", 0) != 0:
		steps = w.Shape[1]
	case n.Op == "Conv":
		steps = w.Shape[1]
		if steps%2 != 0 && columnsLieTogether(n) {
			steps *= w.Shape[len(w.Shape)-1]
		}
	}
	return h.makes(steps) && w.Elems() > 0 && array.AllFinite(array.Convert(w.Const.Tensor(), h.to).F)
}

// isReadOften reports whether the second operand of a MatMul is read often enough to be copied in pairs, and whether
// the pairs are whole ones where they must be.
func (h *halver) isReadOften(n *graph.Node) bool {
	w := n.Inputs[1]
	steps := w.Shape[len(w.Shape)-2]
	reads := n.Outputs[0].Elems() * steps
	return h.makes(steps) && reads >= max(tir.GroupedReads*w.Elems(), tir.GroupedWork)
}

// makes reports whether instructions make sums of so many steps: of whole pairs, or mostly.
func (h *halver) makes(steps int64) bool { return steps%2 == 0 || h.opt.OddSums && steps > 1 }

// node reports whether it has replaced n.
func (h *halver) node(n *graph.Node) bool {
	if h.halvable(n) {
		return h.product(n)
	}
	if r, err := op.Find(n); err == nil && (r.Class == op.Injective || r.Class == op.Reduction) {
		for i, v := range n.Inputs {
			if h.rounded[v] {
				n.Inputs[i] = h.cast(n, h.half(n, v), tir.F32)
			}
		}
	}
	return false
}

func (h *halver) product(n *graph.Node) bool {
	x, w, bias := h.half(n, n.Inputs[0]), h.half(n, n.Inputs[1]), n.Input(2)
	name, attrs := "Conv", slices.Clone(n.Attrs)
	if n.Op != "Conv" {
		name, attrs = "MatMul", nil
		if n.Op == "Gemm" && n.Int("transB", 0) != 0 {
			w = h.transpose(n, w, []int64{1, 0})
		}
	}
	var y *graph.Value
	if h.to == tir.F16 {
		y = h.cast(n, h.apply(n, name, []*graph.Value{x, w}, append(attrs, graph.IntAttr("wide", -1))...), tir.F32)
	} else {
		y = h.apply(n, name, []*graph.Value{x, w}, append(attrs, graph.IntAttr("wide", 1))...)
	}
	if bias != nil {
		if n.Op == "Conv" {
			bias = h.reshape(n, bias, h.alongChannel(n))
		}
		y = h.apply(n, "Add", []*graph.Value{y, bias})
	}
	h.rounded[y] = h.rounded[n.Outputs[0]]
	return h.becomes(n, y)
}

// half returns v, rounded once for all readers.
func (h *halver) half(n *graph.Node, v *graph.Value) *graph.Value {
	if h.halves[v] == nil {
		h.halves[v] = h.cast(n, v, h.to)
	}
	return h.halves[v]
}

func (h *halver) cast(n *graph.Node, v *graph.Value, to tir.DType) *graph.Value {
	return h.apply(n, "Cast", []*graph.Value{v}, graph.IntAttr("to", op.ElementNumber(to)))
}

// widens reports whether n makes float32 of numbers of 16 bits, which the kernel of its reader may do as well.
func widens(n *graph.Node) bool {
	if n.Op != "Cast" || n.Domain != "" {
		return false // others may have no input 0
	}
	from := n.Inputs[0].Type
	return (from == tir.BF16 || from == tir.F16) && n.Outputs[0].Type == tir.F32
}
