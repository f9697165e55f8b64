package microsoft

import (
	"fmt"
	"math"
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
	difference := d.Two("Sub", d.Reshape(a, a.Shape[0], 1, a.Shape[1]), d.Reshape(b, 1, b.Shape[0], b.Shape[1]))
	y := d.Apply("ReduceSumSquare", []*graph.Value{difference, d.Const(graph.Ints(2))}, graph.IntAttr("keepdims", 0))
	switch metric := d.Node.Str("metric", "sqeuclidean"); metric {
	case "sqeuclidean":
	case "euclidean":
		y = d.Apply("Sqrt", []*graph.Value{y})
	default:
		return lacks(d.Node, fmt.Sprintf("metric %q", metric), "write the distance as ONNX's own operators")
	}
	d.Output(y)
	return nil
}

func evalDistances(r *reference) []*graph.Tensor {
	a, b := r.in[0], r.in[1]
	size := int(a.Shape[1])
	y := graph.NewTensor(a.Type, a.Shape[0], b.Shape[0])
	for i := range y.F {
		p, q := a.F[i/int(b.Shape[0])*size:][:size], b.F[i%int(b.Shape[0])*size:][:size]
		for k := range p {
			y.F[i] += (p[k] - q[k]) * (p[k] - q[k])
		}
		if r.Str("metric", "") == "euclidean" {
			y.F[i] = math.Sqrt(y.F[i])
		}
	}
	return []*graph.Tensor{y}
}
