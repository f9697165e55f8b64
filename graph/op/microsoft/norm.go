package microsoft

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Norms has the norms of transformers and of diffusion models. SimplifiedLayerNormalization stands in ONNX's own
// domain, where ONNX has none of that name.
var Norms = []op.Row{
	row(domain+"SkipLayerNormalization", "T:F T:F T:F T:F? T:F?", decomposeSkipNorm, evalSkipNorm),
	row(domain+"SkipSimplifiedLayerNormalization", "T:F T:F T:F T:F?", decomposeSkipNorm, evalSkipNorm),
	renamed("SimplifiedLayerNormalization", "T:F V:F", "RMSNormalization"),
	row(domain+"EmbedLayerNormalization", "T1:I T1:I? T:F T:F T:F? T:F T:F T1:I? T1:I?", decomposeEmbedding,
		evalEmbedding),
	row(domain+"GroupNorm", "T:F M:F M:F", decomposeGroupNorm, evalGroupNorm),
	row(domain+"SkipGroupNorm", "T:F M:F M:F T:F T:F?", decomposeGroupNorm, evalGroupNorm),
}

// normOf returns the norm that follows the sum of a skip norm, its inputs but the first, and the input that is a bias.
func normOf(n *graph.Node) (onnx string, inputs []int, bias int) {
	switch {
	case n.Op == "SkipSimplifiedLayerNormalization":
		return "RMSNormalization", []int{2}, 3
	case n.Input(3) == nil:
		return "LayerNormalization", []int{2}, 4
	}
	return "LayerNormalization", []int{2, 3}, 4
}

// decomposeSkipNorm adds input, skip and bias, and normalises the rows of the sum.
func decomposeSkipNorm(d *op.Decomposer) error {
	n := d.Node
	onnx, inputs, bias := normOf(n)
	x := sum(d, d.Input(0), d.Input(1), d.Input(bias))
	if !slices.Equal(x.Shape, n.Inputs[0].Shape) {
		return fmt.Errorf("skip of shape %v does not broadcast to input, of shape %v", n.Inputs[1].Shape, n.Inputs[0].Shape)
	}
	if n.Output(1) != nil || n.Output(2) != nil {
		return lacks(n, "output mean or inv_std_var", "they are for training; export the model for inference")
	}
	in := []*graph.Value{x}
	for _, i := range inputs {
		in = append(in, d.Input(i))
	}
	y := d.Apply(onnx, in, graph.FloatAttr("epsilon", n.Float("epsilon", 1e-12)))
	d.Output(y, nil, nil, x)
	return nil
}

func evalSkipNorm(r *reference) []*graph.Tensor {
	onnx, inputs, bias := normOf(r.Node)
	x := added(r.in[0], r.in[1], r.input(bias))
	in := []*graph.Tensor{x}
	for _, i := range inputs {
		in = append(in, r.in[i])
	}
	return []*graph.Tensor{r.one(onnx, in, graph.FloatAttr("epsilon", r.Float("epsilon", 1e-12))), nil, nil, x}
}

// decomposeEmbedding adds rows of tables of words, positions and segments, and normalises the sums.
func decomposeEmbedding(d *op.Decomposer) error {
	n := d.Node
	ids, positions := d.Input(0), d.Input(8)
	if err := ranks(n, 2, 2, 2, 2, 2); err != nil {
		return err
	}
	if positions == nil {
		positions = d.Const(graph.Ints(array.UpTo(ids.Shape[1])...))
	}
	x := sum(d, d.Two("Gather", d.Input(2), ids), d.Two("Gather", d.Input(3), positions))
	if segments := d.Input(1); segments != nil && d.Input(4) != nil {
		x = d.Two("Add", x, d.Two("Gather", d.Input(4), segments))
	}
	y := d.Apply("LayerNormalization", []*graph.Value{x, d.Input(5), d.Input(6)},
		graph.FloatAttr("epsilon", n.Float("epsilon", 1e-12)))
	count := d.Const(graph.NewTensor(tir.I32, ids.Shape[0]))
	if mask := d.Input(7); mask != nil {
		ones := d.Cast(d.Two("Equal", mask, d.Number(mask, 1)), tir.I32)
		count = d.Apply("ReduceSum", []*graph.Value{ones, d.Const(graph.Ints(1))}, graph.IntAttr("keepdims", 0))
	}
	d.Output(y, count, x)
	return nil
}

func evalEmbedding(r *reference) []*graph.Tensor {
	ids, mask, positions := r.in[0], r.input(7), r.input(8)
	if positions == nil {
		positions = graph.Ints(array.UpTo(ids.Shape[1])...)
	}
	rows := func(table, at *graph.Tensor) *graph.Tensor { return r.one("Gather", []*graph.Tensor{table, at}) }
	x := added(rows(r.in[2], ids), rows(r.in[3], positions))
	if r.input(1) != nil && r.input(4) != nil {
		x = added(x, rows(r.in[4], r.in[1]))
	}
	count := graph.NewTensor(tir.I32, ids.Shape[0])
	for i := range ids.I {
		if mask != nil && mask.I[i] == 1 {
			count.I[i/int(ids.Shape[1])]++
		}
	}
	y := r.one("LayerNormalization", []*graph.Tensor{x, r.in[5], r.in[6]},
		graph.FloatAttr("epsilon", r.Float("epsilon", 1e-12)))
	return []*graph.Tensor{y, count, x}
}

// alongChannels returns the shape in which a vector for each channel, or one for each image, broadcasts to images.
func alongChannels(n *graph.Node, shape []int64) []int64 {
	if len(shape) > 2 || len(shape) == 0 {
		return shape
	}
	along, count := array.Ones(4), len(shape)-1
	_, back := channels(n, 4)
	if along[slices.Index(back, 1)] = shape[count]; count > 0 {
		along[0] = shape[0]
	}
	return along
}

// groupAttrs are the attributes of ONNX's GroupNormalization.
func groupAttrs(n *graph.Node) []graph.Attr {
	return []graph.Attr{graph.IntAttr("num_groups", n.Int("groups", 0)),
		graph.FloatAttr("epsilon", n.Float("epsilon", 1e-5))}
}

// decomposeGroupNorm normalises groups of channels, of the sum of input 0 with a skip and a bias if it is a
// SkipGroupNorm.
func decomposeGroupNorm(d *op.Decomposer) error {
	x := d.Input(0)
	if err := ranks(d.Node, 4, 1, 1); err != nil {
		return err
	}
	for i := 3; i < len(d.Node.Inputs); i++ {
		if v := d.Input(i); v != nil {
			x = d.Two("Add", x, d.Reshape(v, alongChannels(d.Node, v.Shape)...))
		}
	}
	first, back := channels(d.Node, len(x.Shape))
	in := []*graph.Value{d.Transpose(x, first), d.Cast(d.Input(1), x.Type), d.Cast(d.Input(2), x.Type)}
	y := d.Apply("GroupNormalization", in, groupAttrs(d.Node)...)
	if d.Node.Int("activation", 0) == 1 {
		y = d.Apply("Swish", []*graph.Value{y})
	}
	d.Output(d.Transpose(y, back), x)
	return nil
}

func evalGroupNorm(r *reference) []*graph.Tensor {
	x := r.in[0]
	for i := 3; i < len(r.in); i++ {
		if v := r.in[i]; v != nil {
			x = added(x, array.Reshaped(v, alongChannels(r.Node, v.Shape)))
		}
	}
	first, back := channels(r.Node, len(x.Shape))
	in := []*graph.Tensor{r.transposed(x, first), r.in[1], r.in[2]}
	y := r.transposed(r.one("GroupNormalization", in, groupAttrs(r.Node)...), back)
	if r.Int("activation", 0) == 1 {
		y = mapped(y, func(v float64) float64 { return v * array.Logistic(v) })
	}
	return []*graph.Tensor{y, x}
}
