package microsoft

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// Others has operators that were there before ONNX had them, and some of few models.
var Others = []op.Row{
	renamed(domain+"Trilu", "T:A K:I?", "Trilu"),
	row(domain+"Pad", "T:N P:I T:N?", func(d *op.Decomposer) error {
		in := []*graph.Value{d.Input(0), d.Reshape(d.Input(1), d.Input(1).Elems())}
		if v := d.Input(2); v != nil {
			in = append(in, d.Reshape(v))
		}
		d.Output(d.Apply("Pad", in, d.Node.Attrs...))
		return nil
	}, func(r *reference) []*graph.Tensor {
		in := slices.Clone(r.in)
		in[1] = graph.Ints(in[1].I...)
		if v := r.input(2); v != nil {
			in[2] = &graph.Tensor{Type: v.Type, F: v.F, I: v.I}
		}
		return r.do("Pad", in, r.Attrs...)
	}),
	row(domain+"Unique", "T:N", func(d *op.Decomposer) error {
		y := d.ApplyN("Unique", 4, d.Node.Inputs, graph.IntAttr("sorted", 0))
		d.Output(y[0], y[2], y[3])
		return nil
	}, func(r *reference) []*graph.Tensor {
		y := r.do("Unique", r.in, graph.IntAttr("sorted", 0))
		return []*graph.Tensor{y[0], y[2], y[3]}
	}),
	row(domain+"CDist", "T:F T:F", decomposeDistances, evalDistances),
}

// decomposeDistances adds the squares of the differences of all rows of one matrix and all of another.
func decomposeDistances(d *op.Decomposer) error {
	a, b := d.Input(0), d.Input(1)
	if len(a.Shape) != 2 || len(b.Shape) != 2 || a.Shape[1] != b.Shape[1] {
		return fmt.Errorf("operands %s and %s: both must be matrices with rows of one length", a, b)
	}
	root := int64(0)
	switch metric := d.Node.Str("metric", "sqeuclidean"); metric {
	case "sqeuclidean":
	case "euclidean":
		root = 1
	default:
		return lacks(d.Node, fmt.Sprintf("metric %q", metric), "write the distance as ONNX's own operators")
	}
	if a.Elems() == 0 || b.Elems() == 0 { // a sum of nothing
		none := d.Apply("ReduceSum", []*graph.Value{a, d.Const(graph.Ints(1))})
		turned := d.Transpose(d.Apply("ReduceSum", []*graph.Value{b, d.Const(graph.Ints(1))}), []int64{1, 0})
		d.Output(d.Two("Add", none, turned))
		return nil
	}
	d.Output(d.Apply("wmtune.Distances", []*graph.Value{a, b}, graph.IntAttr("root", root)))
	return nil
}

func evalDistances(r *reference) []*graph.Tensor {
	root := int64(0)
	if r.Str("metric", "") == "euclidean" {
		root = 1
	}
	return r.do("wmtune.Distances", r.in, graph.IntAttr("root", root))
}
