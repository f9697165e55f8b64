package op

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// randoms has operators that draw random numbers. No two systems draw the same ones, so that they are an error, but
// for a Dropout that drops nothing: the operand, and a mask of ones.
var randoms = []Row{
	{Op: "Dropout", Since: 7, In: "T:F", Infer: inferDropout, Eval: evalDropout, Decompose: decomposeDropout},
	{Op: "Dropout", Since: 12, In: "T:F T1:F? T2:B?", Infer: inferDropout, Eval: evalDropout, Decompose: decomposeDropout,
		Opaque: opaqueDropout, RunTime: func(n *graph.Node) bool { return !known(n, 2) || trains(n) && !known(n, 1) },
		Fault: func(*graph.Node) string {
			return "training_mode is on and ratio is not 0: to draw random numbers is not supported"
		}},
	{Op: "Bernoulli", Since: 15, In: "T1:F", Infer: inferRandom, Eval: evalRandom},
	{Op: "Multinomial", Since: 7, In: "T1:F", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomNormal", Since: 1, In: "none", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomNormalLike", Since: 1, In: "T1:A", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomUniform", Since: 1, In: "none", Infer: inferRandom, Eval: evalRandom},
	{Op: "RandomUniformLike", Since: 1, In: "T1:A", Infer: inferRandom, Eval: evalRandom},
}

func inferRandom(n *graph.Node) ([]Type, error) {
	return nil, Unsupported("%s draws random numbers, which nothing could reproduce: it", n.Op)
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

func inferDropout(n *graph.Node) ([]Type, error) {
	if err := single(n, 1, 2); err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	if n.Version >= 12 && trains(n) {
		if v := n.Input(1); v == nil || v.Const != nil && v.Const.Tensor().At(0) != 0 {
			return nil, Unsupported("Dropout in training mode draws random numbers, which nothing could reproduce: it")
		}
	}
	mask := tir.Bool
	if n.Version < 10 {
		mask = x.Type
	}
	return []Type{{DType: x.Type, Shape: x.Shape}, {DType: mask, Shape: x.Shape}}, nil
}

func evalDropout(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	if n.Version >= 12 && len(in) > 2 && in[2] != nil && in[2].I[0] != 0 && (in[1] == nil || in[1].At(0) != 0) {
		return nil, Unsupported("Dropout in training mode")
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

func decomposeDropout(d *Decomposer) error {
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

// opaqueDropout is for a mode or a ratio that is known at run time only: an error if elements are to be dropped.
func opaqueDropout(n *graph.Node) (*tir.Func, error) {
	fault := errorFlag()
	body := []tir.Stmt{clearFault(fault)}
	var params []*tir.Buffer
	var drops []tir.Expr
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		p := flat([]string{"x", "ratio", "training"}[i], v)
		params = append(params, p)
		switch e := Cast(load(p, tir.Int(0)), Register(v.Type)); i {
		case 1:
			drops = append(drops, ne(e, num(e, 0)))
		case 2:
			drops = append(drops, e)
		}
	}
	body = append(body, &tir.If{Cond: tir.AllOf(drops...), Then: setFault(fault)})
	x, outputs := params[0], 1
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		out := flat(fmt.Sprintf("out%d", i), v)
		params, outputs = append(params, out), outputs+1
		body = append(body, loop(fmt.Sprintf("i%d", i), out.Shape[0], func(at tir.Expr) tir.Stmt {
			if i == 0 {
				return store(out, load(x, at), at)
			}
			return store(out, tir.Const(out.Type, 1), at)
		}))
	}
	return function(n.Op, outputs, seq(body...), append(params, fault)...), nil
}
