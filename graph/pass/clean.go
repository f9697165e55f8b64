package pass

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// infer gives values their types and computes what is constant.
func infer(ctx context.Context, g *graph.Graph) error { return op.Infer(ctx, g) }

// decompose replaces nodes whose operators are defined by others:
//
//	y = MatMulInteger(a, b)    =>    c = Cast(a) to=int32; d = Cast(b) to=int32; y = MatMul(c, d)
//
// Graphs in nodes come after the graph around them, since a node may stand for nodes of such a graph, whose types are
// then known.
func decompose(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "decompose")
	for _, n := range g.Nodes {
		if err := e.decompose(n, 0); err != nil {
			return err
		}
	}
	e.done()
	for _, n := range g.Nodes {
		for _, a := range n.Attrs {
			for _, sub := range a.Graphs {
				if err := decompose(ctx, sub); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *editor) decompose(n *graph.Node, depth int) error {
	r, err := op.Find(n)
	if err != nil {
		return fmt.Errorf("%s: %w", n.Label(), err)
	}
	if r.Form(n) != op.FormDecompose {
		e.add(n)
		return nil
	}
	if depth > 16 {
		return fmt.Errorf("BUG: %s decomposes without end", n.Label())
	}
	e.update(n)
	nodes, outputs, err := op.Decompose(n)
	if err != nil {
		return fmt.Errorf("%s: %w", n.Label(), err)
	}
	for _, k := range nodes {
		if err := e.decompose(k, depth+1); err != nil {
			return err
		}
	}
	for i, v := range n.Outputs {
		if v != nil {
			w := e.now(outputs[i])
			if v.Extents != nil && w.Extents != nil {
				e.replace(v.Extents, w.Extents)
			}
			e.replace(v, w)
		}
	}
	return nil
}

// unused drops nodes whose results nobody reads.
func unused(_ context.Context, g *graph.Graph) error {
	return subgraphs(g, func(g *graph.Graph) error {
		used := map[*graph.Value]bool{}
		for _, v := range g.Outputs {
			used[v] = true
		}
		var kept []*graph.Node
		for _, n := range slices.Backward(g.Nodes) {
			keep := false
			for _, v := range n.Outputs {
				keep = keep || v != nil && (used[v] || v.Extents != nil && used[v.Extents])
			}
			if !keep {
				continue
			}
			for _, v := range n.Reads() {
				used[v] = true
			}
			kept = append(kept, n)
		}
		slices.Reverse(kept)
		g.Nodes = kept
		return nil
	})
}

// same has equal nodes computed once:
//
//	a = Relu(x); b = Relu(x); c = Add(a, b)    =>    a = Relu(x); c = Add(a, a)
func same(ctx context.Context, g *graph.Graph) error {
	seen := map[string]*graph.Node{}
	consts := map[string]*graph.Value{}
	e := edit(ctx, g, "same")
	return e.each(func(n *graph.Node) bool {
		for i, v := range n.Inputs {
			if v != nil && v.Const != nil {
				key := constKey(v)
				if consts[key] == nil {
					consts[key] = v
				}
				if consts[key] != v {
					e.replace(v, consts[key])
					n.Inputs[i] = consts[key]
				}
			}
		}
		key := nodeKey(n)
		first := seen[key]
		if key == "" || first == nil {
			seen[key] = n
			return false
		}
		for i, v := range n.Outputs {
			if v != nil {
				e.replace(v, first.Outputs[i])
			}
		}
		return true
	})
}

// constKey tells constants apart: by their elements if they are few, else by where their bytes are.
func constKey(v *graph.Value) string {
	if isZeroPoint(v) { // layers are alike if each has its own
		return fmt.Sprintf("%p", v)
	}
	if v.Bytes() <= 1<<16 {
		return fmt.Sprint(v.Type, v.Shape, string(v.Const.Data))
	}
	return fmt.Sprint(v.Const.ID())
}

// isZeroPoint reports whether v is an integer of 8 bits.
func isZeroPoint(v *graph.Value) bool { return v.Type.IsInt() && v.Type.Bytes() == 1 && v.Elems() == 1 }

// nodeKey is equal for nodes that compute the same; "" for those that are never merged. Each reader of bytes has a
// DequantizeLinear of its own, or a Cast of a zero point, so that its kernel reads the bytes.
func nodeKey(n *graph.Node) string {
	if dequantizes(n) || widens(n) || n.Op == "Cast" && n.Domain == "" && isZeroPoint(n.Inputs[0]) {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, n.Domain, ".", n.Op, " ", n.Version)
	for _, v := range n.Inputs {
		fmt.Fprintf(&b, " %p", v)
	}
	for _, a := range n.Attrs {
		if a.Kind == graph.AttrGraph {
			return ""
		}
		fmt.Fprintf(&b, " %s %d %v %v %q %v %v %q", a.Name, a.Kind, a.Int, a.Float, a.String, a.Ints, a.Floats, a.Strings)
		if a.Tensor != nil {
			b.WriteString(a.Tensor.Hash())
		}
	}
	for _, v := range n.Outputs {
		fmt.Fprint(&b, v != nil)
		if v != nil && v.Extents != nil {
			return ""
		}
	}
	return b.String()
}

// aliases drops nodes that hand over a value as it is: Identity, and others where type and shape stay.
func aliases(ctx context.Context, g *graph.Graph) error {
	return subgraphs(g, func(g *graph.Graph) error {
		e := edit(ctx, g, "aliases")
		for _, n := range g.Nodes {
			if len(n.Outputs) == 1 && op.IsAlias(n) {
				e.update(n)
				in, out := n.Inputs[0], n.Outputs[0]
				if in.Type == out.Type && in.Extents == nil && fmt.Sprint(in.Shape) == fmt.Sprint(out.Shape) {
					e.replace(out, in)
					continue
				}
			}
			e.add(n)
		}
		e.done()
		return nil
	})
}

// again repeats what drops nodes.
func again(ctx context.Context, g *graph.Graph) error {
	for _, f := range []func(context.Context, *graph.Graph) error{aliases, same, unused} {
		if err := f(ctx, g); err != nil {
			return err
		}
	}
	return nil
}
