package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/tir"
)

// fewestLooked is how many nodes a table takes the place of, at least. Fewer are computed: a byte is dequantized,
// scaled, and quantized again.
const fewestLooked = 4

// lookups has a table give bytes that several nodes compute of one byte each, as the GELU of a quantized model is:
//
//	a = DequantizeLinear(x); b = Sigmoid(a); c = Mul(a, b); y = QuantizeLinear(c)    =>    y = wmtune.Lookup(x, table)
//
// The table has what the nodes make of all bytes, each result rounded to its type.
func lookups(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "lookups")
	root := map[*graph.Value]*graph.Value{} // the byte of which an element is made, in the same place
	begin := func(values []*graph.Value) {
		for _, v := range values {
			if v != nil && v.Type == tir.U8 {
				root[v] = v
			}
		}
	}
	begin(g.Inputs)
	err := e.each(func(n *graph.Node) bool {
		x := rootOf(n, root)
		if x == nil {
			begin(n.Outputs)
			return false
		}
		y := n.Outputs[0]
		root[y] = x
		chain := e.chain(n, x)
		if y.Type != tir.U8 || len(chain) < fewestLooked {
			return false
		}
		looked := e.apply(n, "wmtune.Lookup", []*graph.Value{x, e.constant(n, "table", e.table(chain, x))})
		root[looked] = x
		return e.becomes(n, looked)
	})
	if err != nil {
		return err
	}
	return unused(ctx, g)
}

// rootOf returns the bytes of one tensor that all elements of a node's result are made of, each of the byte in its
// place; nil if there is no such tensor.
func rootOf(n *graph.Node, root map[*graph.Value]*graph.Value) (x *graph.Value) {
	if len(n.Outputs) != 1 || n.Outputs[0].Extents != nil {
		return nil
	}
	for _, v := range n.Inputs {
		switch r := root[v]; {
		case v == nil || v.Const != nil && v.Elems() == 1:
		case r == nil || x != nil && x != r || !slices.Equal(r.Shape, n.Outputs[0].Shape):
			return nil
		default:
			x = r
		}
	}
	if x == nil || !dag.Pointwise(n) {
		return nil
	}
	return x
}

// chain returns the nodes that make n's result of x, in order.
func (e *editor) chain(n *graph.Node, x *graph.Value) (list []*graph.Node) {
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		for _, v := range n.Inputs {
			if p := e.made[v]; v != x && p != nil && !slices.Contains(list, p) {
				visit(p)
			}
		}
		list = append(list, n)
	}
	visit(n)
	return list
}

// table returns what nodes, the last of them at the end, make of each byte in the place of x.
func (e *editor) table(chain []*graph.Node, x *graph.Value) *graph.Tensor {
	bytes := graph.NewTensor(tir.U8, tir.TableSize)
	for i := range bytes.I {
		bytes.I[i] = int64(i)
	}
	of := map[*graph.Value]*graph.Value{x: graph.Constant(x.Name, bytes)}
	var y *graph.Value
	for _, n := range chain {
		k := *n
		k.Inputs = slices.Clone(n.Inputs)
		for i, v := range k.Inputs {
			if of[v] != nil {
				k.Inputs[i] = of[v]
			}
		}
		y = &graph.Value{Name: n.Outputs[0].Name}
		k.Outputs = []*graph.Value{y}
		_, err := op.InferNode(e.ctx, &k)
		e.check(err)
		of[n.Outputs[0]] = y
	}
	return y.Const.Tensor()
}
