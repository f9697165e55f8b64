package microsoft

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Fused has products and convolutions that the optimizer joined with what stands before or behind them, and those that
// it moved to images whose channels are last.
var Fused = []op.Row{
	row(domain+"FusedMatMul", "T:F T:F", decomposeFusedMatMul, evalFusedMatMul),
	row(domain+"FusedGemm", "T:F T:F T:F?", func(d *op.Decomposer) error {
		return activate(d, d.Apply("Gemm", d.Node.Inputs, only(d.Node, gemmAttrs)...))
	}, func(r *reference) []*graph.Tensor {
		return r.activated(r.one("Gemm", r.in, only(r.Node, gemmAttrs)...))
	}),
	row(domain+"FusedConv", "T:F T:F T:F? T:F?", decomposeFusedConv, evalFusedConv),
	row(domain+"NhwcFusedConv", "T:F T:F T:F? T:F?", decomposeFusedConv, evalFusedConv),
	moved("NhwcMaxPool", "T:N", "MaxPool"),
	moved("QLinearConv", "T1:I -:F T1:I T2:I -:F T2:I -:F T3:I T4:I?", "QLinearConv"),
	row(domain+"ConvTransposeWithDynamicPads", "T:F T:F P:I? T:F?", func(d *op.Decomposer) error {
		pads, err := op.Integers(d.Node, 2)
		if err == nil {
			d.Output(d.Apply("ConvTranspose", []*graph.Value{d.Input(0), d.Input(1), d.Input(3)},
				append(slices.Clone(d.Node.Attrs), graph.IntsAttr("pads", pads...))...))
		}
		return err
	}, func(r *reference) []*graph.Tensor {
		attrs := append(slices.Clone(r.Attrs), graph.IntsAttr("pads", array.List(r.in, 2)...))
		return r.do("ConvTranspose", []*graph.Tensor{r.in[0], r.in[1], r.input(3)}, attrs...)
	}),
}

// The attributes that fused operators share with ONNX's.
var (
	gemmAttrs = []string{"alpha", "beta", "transA", "transB"}
	convAttrs = []string{"auto_pad", "ceil_mode", "count_include_pad", "dilations", "group", "kernel_shape", "pads",
		"strides"}
)

// only returns the attributes of some names.
func only(n *graph.Node, names []string) []graph.Attr {
	return slices.DeleteFunc(slices.Clone(n.Attrs), func(a graph.Attr) bool { return !slices.Contains(names, a.Name) })
}

// turns returns the order of dimensions in which an operand of FusedMatMul is multiplied, without transA and transB:
// with transBatch, the first dimension is that of rows, and the others but the last are those of the stack.
func turns(n *graph.Node, transBatch string, rank int) []int64 {
	perm := array.UpTo(int64(rank))
	if n.Int(transBatch, 0) != 0 && rank > 2 {
		perm = slices.Concat(perm[1:rank-1], perm[:1], perm[rank-1:])
	}
	return perm
}

func decomposeFusedMatMul(d *op.Decomposer) error {
	n := d.Node
	a, b := d.Input(0), d.Input(1)
	a = d.Transpose(a, turns(n, "transBatchA", len(a.Shape)))
	b = d.Transpose(b, turns(n, "transBatchB", len(b.Shape)))
	y := d.Apply("wmtune.MatMul", []*graph.Value{a, b}, only(n, []string{"transA", "transB"})...)
	if alpha := n.Float("alpha", 1); alpha != 1 {
		y = d.Two("Mul", y, d.Number(y, alpha))
	}
	d.Output(y)
	return nil
}

func evalFusedMatMul(r *reference) []*graph.Tensor {
	operands := make([]*graph.Tensor, 2)
	for i, x := range r.in {
		rank, name := len(x.Shape), string(rune('A'+i))
		perm := turns(r.Node, "transBatch"+name, rank)
		if rank > 1 && r.Int("trans"+name, 0) != 0 {
			perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
		}
		operands[i] = r.transposed(x, perm)
	}
	alpha := r.Float("alpha", 1)
	return []*graph.Tensor{mapped(r.one("MatMul", operands), func(v float64) float64 { return alpha * v })}
}

// activations are those that may follow a fused product or convolution, with the names and defaults of their numbers.
var activations = map[string]struct {
	names    []string
	defaults []float64
}{
	"Clip": {[]string{"min", "max"}, nil}, "Elu": {[]string{"alpha"}, []float64{1}},
	"HardSigmoid": {[]string{"alpha", "beta"}, []float64{0.2, 0.5}}, "LeakyRelu": {[]string{"alpha"}, []float64{0.01}},
	"Selu":            {[]string{"alpha", "gamma"}, []float64{1.67326319217681884765625, 1.05070102214813232421875}},
	"ThresholdedRelu": {[]string{"alpha"}, []float64{1}},
	"HardSwish":       {}, "Relu": {}, "Sigmoid": {}, "Softplus": {}, "Softsign": {}, "Tanh": {},
}

// activationOf returns the activation of a node, "" without one, with its numbers as attributes.
func activationOf(n *graph.Node) (name string, attrs []graph.Attr, err error) {
	if name = n.Str("activation", ""); name == "" {
		return "", nil, nil
	}
	a, ok := activations[name]
	if !ok {
		return "", nil, lacks(n, fmt.Sprintf("activation %q", name), "save the file at the optimizer's level basic")
	}
	p := n.Floats("activation_params")
	for i, of := range a.names {
		switch {
		case i < len(p):
			attrs = append(attrs, graph.FloatAttr(of, p[i]))
		case i < len(a.defaults):
			attrs = append(attrs, graph.FloatAttr(of, n.Float("activation_"+of, a.defaults[i])))
		default:
			return "", nil, fmt.Errorf("attribute activation_params has %d numbers: %s has %d", len(p), name, len(a.names))
		}
	}
	return name, attrs, nil
}

// activate makes output 0 of x and the activation of the node.
func activate(d *op.Decomposer, x *graph.Value) error {
	name, attrs, err := activationOf(d.Node)
	switch {
	case err != nil:
		return err
	case name == "Clip":
		x = d.Apply(name, []*graph.Value{x, d.Number(x, attrs[0].Float), d.Number(x, attrs[1].Float)})
	case name != "":
		x = d.Apply(name, []*graph.Value{x}, attrs...)
	}
	d.Output(x)
	return nil
}

// activated is the reference of activate.
func (r *reference) activated(x *graph.Tensor) []*graph.Tensor {
	name, attrs, err := activationOf(r.Node)
	switch {
	case err != nil:
		r.fail(err)
	case name == "Clip":
		x = mapped(x, func(v float64) float64 { return min(max(v, attrs[0].Float), attrs[1].Float) })
	case name != "":
		return r.do(name, []*graph.Tensor{x}, attrs...)
	}
	return []*graph.Tensor{x}
}

// decomposeFusedConv convolves, adds input 3, and applies the activation.
func decomposeFusedConv(d *op.Decomposer) error {
	first, back := channels(d.Node, len(d.Input(0).Shape))
	in := []*graph.Value{d.Transpose(d.Input(0), first), d.Input(1), d.Input(2)}
	return activate(d, sum(d, d.Transpose(d.Apply("Conv", in, only(d.Node, convAttrs)...), back), d.Input(3)))
}

func evalFusedConv(r *reference) []*graph.Tensor {
	first, back := channels(r.Node, len(r.in[0].Shape))
	in := []*graph.Tensor{r.transposed(r.in[0], first), r.in[1], r.input(2)}
	return r.activated(added(r.transposed(r.one("Conv", in, only(r.Node, convAttrs)...), back), r.input(3)))
}

// moved returns the row of ONNX's operator on images that may have their channels last.
func moved(name, in, onnx string) op.Row {
	return row(domain+name, in, func(d *op.Decomposer) error {
		in := slices.Clone(d.Node.Inputs)
		first, back := channels(d.Node, len(in[0].Shape))
		in[0] = d.Transpose(in[0], first)
		d.Output(d.Transpose(d.Apply(onnx, in, only(d.Node, convAttrs)...), back))
		return nil
	}, func(r *reference) []*graph.Tensor {
		in := slices.Clone(r.in)
		first, back := channels(r.Node, len(in[0].Shape))
		in[0] = r.transposed(in[0], first)
		return []*graph.Tensor{r.transposed(r.one(onnx, in, only(r.Node, convAttrs)...), back)}
	})
}
