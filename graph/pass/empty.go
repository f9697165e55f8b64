package pass

import (
	"context"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// empty has values without elements be constants, and computes what follows from constants then:
//
//	a = Slice(x): float32[2, 0]; y = Concat(a, b)    =>    y = Concat(const a, b)
func empty(ctx context.Context, g *graph.Graph) error {
	return subgraphs(g, func(g *graph.Graph) error {
		e := edit(ctx, g, "empty")
		for _, v := range g.Inputs {
			if v.Known() && v.Elems() == 0 {
				e.replace(v, nothing(v))
			}
		}
		for _, n := range g.Nodes {
			changed := false
			for _, v := range n.Inputs {
				changed = changed || v != nil && e.instead[v] != nil
			}
			e.update(n)
			if changed && n.Op != "If" && n.Op != "Loop" && n.Op != "Scan" {
				folded, err := e.fold(n)
				if err != nil {
					return err
				}
				if folded {
					continue
				}
			}
			all := true
			for _, v := range n.Outputs {
				if v == nil {
					continue
				}
				if !v.Known() || v.Elems() > 0 || v.Extents != nil {
					all = false
				} else if v.Const == nil {
					e.replace(v, nothing(v))
				}
			}
			if !all {
				e.add(n)
			}
		}
		e.done()
		return nil
	})
}

// fold infers a node whose inputs changed, and reports whether its outputs became constants: then their extents, which
// depended on data, are constants, too, for those that read them.
func (e *editor) fold(n *graph.Node) (bool, error) {
	extents := make([]*graph.Value, len(n.Outputs))
	for i, v := range n.Outputs {
		if v != nil {
			extents[i] = v.Extents
		}
	}
	folded, err := op.InferNode(e.ctx, n)
	if err != nil || !folded {
		return false, err
	}
	for i, v := range extents {
		if v != nil {
			e.replace(v, graph.Constant(v.Name, graph.Ints(n.Outputs[i].Shape...)))
		}
	}
	return true, nil
}

// nothing returns a constant like v, which has no elements.
func nothing(v *graph.Value) *graph.Value {
	return &graph.Value{Name: v.Name + ".empty", Type: v.Type, Narrow: v.Narrow, Shape: v.Shape, Ranked: true,
		Const: &graph.Const{Type: v.Type, Narrow: v.Narrow, Shape: v.Shape}}
}
