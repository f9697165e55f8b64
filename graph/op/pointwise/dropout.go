package pointwise

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Randoms has operators that draw random numbers. No two systems draw the same ones, so that they are an error, but
// for a Dropout that drops nothing: the operand, and a mask of ones.
var Randoms = []op.Row{
	{Op: "Dropout", Since: 7, In: "T:F", Infer: inferDropout, Eval: evalDropout, Decompose: decomposeDropout},
	{Op: "Dropout", Since: 12, In: "T:F T1:F? T2:B?", Infer: inferDropout, Eval: evalDropout, Decompose: decomposeDropout,
		Opaque: &op.Function{Make: dag.Claim(claimDropout).Function,
			When: func(n *graph.Node) bool { return !op.Known(n, 2) || !op.Known(n, 1) },
			Fault: func(*graph.Node) string {
				return "ratio is not from 0 to below 1, or it is not 0 and training_mode is on: to draw random numbers is " +
					"not supported"
			}}},
	{Op: "Bernoulli", Since: 15, In: "T1:F", Infer: inferRandom, Eval: evalRandom},
	{Op: "Multinomial", Since: 7, In: "T1:F", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomNormal", Since: 1, In: "none", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomNormalLike", Since: 1, In: "T1:A", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomUniform", Since: 1, In: "none", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomUniformLike", Since: 1, In: "T1:A", Infer: inferRandom, Eval: evalRandom},
}

func inferRandom(n *graph.Node) ([]op.Type, error) {
	return nil, op.Unsupported("%s draws random numbers, which nothing could reproduce: it", n.Op)
}

func evalRandom(_ *graph.Call, n *graph.Node, _ []*graph.Tensor) ([]*graph.Tensor, error) {
	_, err := inferRandom(n)
	return nil, err
}

// trains reports whether a constant says that the node drops elements.
func trains(n *graph.Node) bool {
	v := n.Input(2)
	return v != nil && v.Const != nil && v.Elems() == 1 && v.Const.Tensor().I[0] != 0
}

func inferDropout(n *graph.Node) ([]op.Type, error) {
	if err := op.Single(n, 1, 2); err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	if n.Version >= 12 && trains(n) {
		if v := n.Input(1); v == nil || v.Const != nil && v.Const.Tensor().At(0) != 0 {
			return nil, op.Unsupported("Dropout in training mode draws random numbers, which nothing could reproduce: it")
		}
	}
	mask := tir.Bool
	if n.Version < 10 {
		mask = x.Type
	}
	return []op.Type{{DType: x.Type, Shape: x.Shape}, {DType: mask, Shape: x.Shape}}, nil
}

func evalDropout(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	if n.Version >= 12 && len(in) > 2 && in[2] != nil && in[2].I[0] != 0 && (in[1] == nil || in[1].At(0) != 0) {
		return nil, op.Unsupported("Dropout in training mode")
	}
	if n.Version >= 12 && len(in) > 1 && in[1] != nil && !(in[1].At(0) >= 0 && in[1].At(0) < 1) {
		return nil, fmt.Errorf("ratio is %v: it must be from 0 to below 1", in[1].At(0))
	}
	t := tir.Bool
	if n.Version < 10 {
		t = in[0].Type
	}
	return []*graph.Tensor{in[0], filled(t, 1, in[0].Shape)}, nil
}

// filled returns a tensor of one number.
func filled(t tir.DType, v int64, shape []int64) *graph.Tensor {
	r := graph.NewTensor(t, shape...)
	for i := range r.F {
		r.F[i] = float64(v)
	}
	for i := range r.I {
		r.I[i] = v
	}
	return r
}

func decomposeDropout(d *op.Decomposer) error {
	x := d.Input(0)
	out := []*graph.Value{d.Apply("Identity", []*graph.Value{x})}
	if len(d.Node.Outputs) > 1 {
		t := tir.Bool
		if d.Node.Version < 10 {
			t = x.Type
		}
		fill := d.Const(filled(t, 1, []int64{}))
		mask := d.Apply("Expand", []*graph.Value{fill, d.Const(graph.Ints(x.Shape...))})
		out = append(out, mask)
	}
	d.Output(out...)
	return nil
}

// claimDropout: the ratio is one, and no elements are to be dropped. Mode or ratio is known at run time only.
func claimDropout(d *dag.Draft) []dag.Variant {
	var drops []tir.Expr
	holds := tir.Expr(tir.BoolImm(true))
	for i := 1; i < len(d.In); i++ {
		if b := d.In[i]; b != nil {
			e := Cast(Load(b, ElementOf(b, Zero)...), Register(b.Type))
			if drops = append(drops, Ne(e, Num(e, 0))); i == 1 {
				holds = And(Ge(e, Num(e, 0)), Lt(e, Num(e, 1)))
			}
		}
	}
	if d.Input(2) != nil {
		holds = And(holds, Not(tir.AllOf(drops...)))
	}
	return []dag.Variant{{Holds: holds, Body: bodyDropout}}
}

// bodyDropout is for operands that are data: what decomposeDropout makes, but for the mask, is a constant.
func bodyDropout(b *op.Body) error {
	var out []compute.Tensor
	for i, v := range b.Node.Outputs {
		if v == nil {
			out = append(out, compute.Tensor{})
			continue
		}
		axes, at := b.Axes(v.Shape)
		value := tir.Const(v.Type, 1)
		if i == 0 {
			value = b.Read(0, at...)
		}
		out = append(out, b.Stage("dropout", v.Type, axes, value))
	}
	b.Output(out...)
	return nil
}
