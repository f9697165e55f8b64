package product

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// flexPrecision returns the type that a FlexAttention computes scores and probabilities in.
func flexPrecision(n *graph.Node) (tir.DType, error) {
	if p := n.Int("softmax_precision", 0); p != 0 {
		return op.ElementType(p)
	}
	if n.Inputs[0].Type == tir.F64 {
		return tir.F64, nil
	}
	return tir.F32, nil
}

// enterFlexAttention gives the graphs in attributes their input: scores or probabilities.
func enterFlexAttention(n *graph.Node) error {
	a, err := attentionOf(n)
	if err != nil {
		return err
	}
	t, err := flexPrecision(n)
	if err != nil {
		return err
	}
	for _, name := range []string{"score_mod", "prob_mod"} {
		switch g := n.Graph(name); {
		case g == nil:
		case len(g.Inputs) != 1 || len(g.Outputs) != 1:
			return fmt.Errorf("the graph of attribute %s has %d inputs and %d outputs: it must have 1 each", name,
				len(g.Inputs),
				len(g.Outputs))
		default:
			v := g.Inputs[0]
			v.Type, v.Shape, v.Ranked, v.DimNames = t, []int64{a.batch, a.heads, a.queries, a.keys}, true, nil
		}
	}
	return nil
}

func inferFlexAttention(n *graph.Node) ([]op.Type, error) {
	a, err := attentionOf(n)
	if err == nil {
		_, err = flexPrecision(n)
	}
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: []int64{a.batch, a.heads, a.queries, a.valueSize}}}, nil
}

// decomposeFlexAttention puts the nodes of the graphs in the attributes between those of an attention.
func decomposeFlexAttention(d *op.Decomposer) error {
	a, err := attentionOf(d.Node)
	if err != nil {
		return err
	}
	t, err := flexPrecision(d.Node)
	if err != nil {
		return err
	}
	scores := modified(d, "score_mod", d.Cast(scores(d, a, d.Input(0), d.Input(1)), t))
	p := modified(d, "prob_mod", d.Apply("Softmax", []*graph.Value{scores}, graph.IntAttr("axis", -1)))
	d.Output(weighted(d, a, d.Cast(p, d.Input(0).Type), d.Input(2)))
	return nil
}

// modified returns what the graph in an attribute makes of x, or x without the attribute.
func modified(d *op.Decomposer, attr string, x *graph.Value) *graph.Value {
	g := d.Node.Graph(attr)
	if g == nil {
		return x
	}
	return Inline(d, g, x)[0]
}

// Inline adds the nodes of a graph, with values in place of its inputs, and returns what its outputs are. Values of
// graphs around it stay.
func Inline(d *op.Decomposer, g *graph.Graph, inputs ...*graph.Value) []*graph.Value {
	copied, _ := g.Clone()
	known := map[*graph.Value]*graph.Value{}
	for i, v := range copied.Inputs {
		known[v] = inputs[i]
	}
	values := func(list []*graph.Value) []*graph.Value {
		r := make([]*graph.Value, len(list))
		for i, v := range list {
			if r[i] = v; known[v] != nil {
				r[i] = known[v]
			}
			if r[i] != nil && r[i].Const != nil && known[v] == nil {
				c := *v
				c.Name = d.Name("const")
				r[i], known[v] = &c, &c
			}
		}
		return r
	}
	for _, n := range copied.Nodes {
		n.Inputs = values(n.Inputs)
		for _, v := range n.Outputs {
			if v != nil {
				v.Name = d.Name(n.Op)
			}
		}
		d.Add(n)
	}
	return values(copied.Outputs)
}
