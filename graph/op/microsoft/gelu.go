package microsoft

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Gelus has the activations of transformers, and what adds biases before one.
var Gelus = []op.Row{
	renamed(domain+"Gelu", "T:F", "Gelu"),
	biased("FastGelu", "T:F T:F?", func(*graph.Node) (string, graph.Attr, func(x float64) float64) {
		return "Gelu", graph.StrAttr("approximate", "tanh"), func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(0.7978845608028654*(x+0.044715*x*x*x)))
		}
	}),
	biased("BiasGelu", "T:F T:F", func(*graph.Node) (string, graph.Attr, func(x float64) float64) {
		return "Gelu", graph.StrAttr("approximate", "none"), gelu
	}),
	biased("QuickGelu", "T:F", func(n *graph.Node) (string, graph.Attr, func(x float64) float64) {
		alpha := n.Float("alpha", 1.702)
		return "Swish", graph.FloatAttr("alpha", alpha), func(x float64) float64 { return x * array.Logistic(alpha*x) }
	}),
	biased("BiasAdd", "T:F T:F T:F", func(*graph.Node) (string, graph.Attr, func(x float64) float64) {
		return "", graph.Attr{}, array.Plain[float64]
	}),
	row(domain+"BiasSplitGelu", "T:F T:F", decomposeSplitGelu, evalSplitGelu),
}

// biased returns the row of an activation of the sum of all inputs: ONNX's operator and an attribute of it, and what it
// computes.
func biased(name, in string, of func(n *graph.Node) (onnx string, attr graph.Attr, f func(x float64) float64)) op.Row {
	return row(domain+name, in, func(d *op.Decomposer) error {
		x := sum(d, d.Node.Inputs...)
		if onnx, attr, _ := of(d.Node); onnx != "" {
			x = d.Apply(onnx, []*graph.Value{x}, attr)
		}
		d.Output(x)
		return nil
	}, func(r *reference) []*graph.Tensor {
		_, _, f := of(r.Node)
		return []*graph.Tensor{mapped(added(r.in...), f)}
	})
}

func gelu(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }

// decomposeSplitGelu multiplies the first half of each row by the activations of the second.
func decomposeSplitGelu(d *op.Decomposer) error {
	x := sum(d, d.Node.Inputs...)
	last := len(x.Shape) - 1
	if last < 0 || x.Shape[last]%2 != 0 {
		return fmt.Errorf("input 0 has shape %v: its last dimension must be even", x.Shape)
	}
	half := x.Shape[last] / 2
	right := d.Apply("Gelu", []*graph.Value{d.Slice(x, last, half, 2*half)})
	d.Output(d.Two("Mul", d.Slice(x, last, 0, half), right))
	return nil
}

func evalSplitGelu(r *reference) []*graph.Tensor {
	x := added(r.in...)
	last := int64(len(x.Shape) - 1)
	half := x.Shape[last] / 2
	right := mapped(r.cut(x, last, half, 2*half), gelu)
	return []*graph.Tensor{scaled(r.cut(x, last, 0, half), right)}
}
