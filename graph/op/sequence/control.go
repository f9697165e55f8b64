// Package sequence has recurrent layers, and the operators that run graphs in their attributes: If, Loop, Scan.
package sequence

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Control has the operators that run graphs in their attributes. Two forms are left after passes, both of FormControl:
//
// If(cond): if the bool is true, the graph then_branch runs, else else_branch; neither has inputs. Output i of the
// node is output i of the branch.
//
// wmtune.Loop(trip, cond, initial...): the graph body has inputs (i, on, value...) and outputs (on, value...), with as
// many values as the node has inputs after the second, and outputs:
//
//	value = initial; on = cond
//	for i = 0; i < trip && on; i++ { on, value = body(i, on, value) }
//	output = value
//
// Each of trip (int64), cond (bool) and initial may be left out. Without trip there is no limit; without cond, on is
// true whatever the body makes of it; a value without an initial one is not defined before the body gives it. All
// outputs of the body are read before one of its inputs is written. An output of a branch or body may be one of its
// inputs, a constant, a value of the graphs around it, or the same as another output.
//
// Scan becomes Loop, and Loop becomes wmtune.Loop: what an iteration adds to a scan output is put into a carried value
// by wmtune.Insert, which should work in place (Function.Update); if the number of iterations is not constant,
// wmtune.Packed then says how many there are.
var Control = []op.Row{
	{Op: "If", Since: 1, In: "B:B", Class: op.Opaque, Enter: op.EnterIf, Infer: inferIf, Eval: evalIf},
	{Op: "wmtune.Fail", Class: op.Opaque, Infer: inferFail, Eval: evalFail,
		Opaque: &op.Function{Make: opaqueFail, Fault: func(n *graph.Node) string { return n.Str("message", "") }}},
	{Op: "Loop", Since: 1, In: "I:I? B:B? -:A?*", Class: op.Opaque, Enter: enterLoop, Infer: inferLoop,
		Eval:      evalLoop,
		Decompose: decomposeLoop},
	{Op: "wmtune.Loop", In: "I:I? B:B? -:A?*", Class: op.Opaque, Enter: enterLoop, Infer: inferLoop,
		Eval: evalLoop},
	{Op: "Scan", Since: 8, In: "I:I? -:A?* | 9 -:A?*", Class: op.Opaque, Enter: enterScan,
		Infer:     op.InferBy(scanOf, inferScan),
		Eval:      evalScan,
		Decompose: decomposeScan},
	{Op: "wmtune.Insert", In: "T:A -:I T:A", Class: op.Opaque, Infer: inferInsert, Eval: evalInsert,
		Opaque: &op.Function{Make: opaqueInsert, Update: updateInsert}},
	{Op: "wmtune.Packed", In: "T:A -:I", Class: op.Opaque, Infer: inferPacked, Eval: evalPacked,
		Opaque: &op.Function{Make: opaquePacked}},
	{Op: "OptionalHasElement", Since: 15, In: "O:A | 18 O:A?", Traits: op.ShapesOnly, Infer: inferHasElement,
		Eval: evalHasElement},
}

// inferHasElement: values are tensors, so an optional one has an element if it is there.
func inferHasElement(*graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: tir.Bool, Shape: []int64{}}}, nil
}

func evalHasElement(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	has := graph.Scalar(tir.Bool, 0)
	if len(in) > 0 && in[0] != nil {
		has.I[0] = 1
	}
	return []*graph.Tensor{has}, nil
}

// inferFail: a node that always fails has outputs of the types that it was made with.
func inferFail(n *graph.Node) ([]op.Type, error) {
	types := make([]op.Type, len(n.Outputs))
	for i, v := range n.Outputs {
		types[i] = op.Type{DType: v.Type, Shape: v.Shape}
	}
	return types, nil
}

func evalFail(_ *graph.Call, n *graph.Node, _ []*graph.Tensor) ([]*graph.Tensor, error) {
	return nil, errors.New(n.Str("message", ""))
}

// opaqueFail sets error, and outputs to 0.
func opaqueFail(n *graph.Node) (*tir.Func, error) {
	fault := ErrorFlag()
	params, stmts := []*tir.Buffer(nil), []tir.Stmt{SetFault(fault)}
	for i, v := range n.Outputs {
		b := Flat(fmt.Sprint("out", i), v)
		params = append(params, b)
		stmts = append(stmts, Loop("i", v.Elems(), func(i tir.Expr) tir.Stmt { return Store(b, tir.Const(b.Type, 0), i) }))
	}
	return NewFunc("fail", len(params)+1, Seq(stmts...), append(params, fault)...), nil
}

func inferIf(n *graph.Node) ([]op.Type, error) {
	if err := op.EnterIf(n); err != nil {
		return nil, err
	}
	then, els := n.Graph("then_branch"), n.Graph("else_branch")
	types := make([]op.Type, len(n.Outputs))
	for i := range types {
		a, b := then.Outputs[i], els.Outputs[i]
		if a.Type != b.Type || !slices.Equal(a.Shape, b.Shape) {
			return nil, op.Unsupported("its branches give %s and %s for output %d: another shape in each", a, b, i)
		}
		if a.Extents != nil || b.Extents != nil {
			return nil, op.Unsupported("output %d of its branches has extents that depend on data: that", i)
		}
		types[i] = op.Type{DType: a.Type, Shape: a.Shape}
	}
	return types, nil
}

func evalIf(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	if in[0].Len() != 1 {
		return nil, fmt.Errorf("its condition has %d elements", in[0].Len())
	}
	name := "else_branch"
	if in[0].I[0] != 0 {
		name = "then_branch"
	}
	g := n.Graph(name)
	if g == nil {
		return nil, fmt.Errorf("it has no %s", name)
	}
	return c.Run(g, nil)
}

// enterLoop gives the inputs of the body their types. A value that has none before the body gives it has that of the
// body's input.
func enterLoop(n *graph.Node) error {
	l, err := op.LoopOf(n)
	if err != nil {
		return err
	}
	for i, t := range []tir.DType{tir.I64, tir.Bool} {
		v := l.Body.Inputs[i]
		v.Type, v.Shape, v.Ranked, v.DimNames = t, op.Counter(v, t, 0).Shape, true, nil
	}
	for i, v := range l.Initial {
		w := l.Body.Inputs[2+i]
		if v != nil {
			w.Type, w.Shape, w.Ranked, w.DimNames = v.Type, slices.Clone(v.Shape), true, nil
		} else if !w.Known() {
			return fmt.Errorf("BUG: %s is not known", w)
		}
	}
	return nil
}

func inferLoop(n *graph.Node) ([]op.Type, error) {
	l, err := op.LoopOf(n)
	if err != nil {
		return nil, err
	}
	if v := l.Body.Outputs[0]; v.Type != tir.Bool || v.Elems() != 1 {
		return nil, fmt.Errorf("the condition that its body makes is %s: it must be one bool", v)
	}
	if l.Trip == nil && l.Endless() {
		return nil, fmt.Errorf("the loop never ends: it has no number of iterations, and its condition is always true")
	}
	var types []op.Type
	for i := range l.Carried {
		in, out := l.Body.Inputs[2+i], l.Body.Outputs[1+i]
		if in.Type != out.Type || !slices.Equal(in.Shape, out.Shape) {
			return nil, &op.ChangingError{In: in, Out: out}
		}
		types = append(types, op.Type{DType: in.Type, Shape: in.Shape})
	}
	for i := range l.Scans {
		e := l.Body.Outputs[1+l.Carried+i]
		if e.Extents != nil {
			return nil, op.Unsupported("its scan output %s has extents that depend on data: that", e)
		}
		trips, constant := l.Trips()
		if !constant {
			v := n.Output(l.Carried + i)
			if v == nil || !v.Known() || len(v.Shape) != len(e.Shape)+1 {
				return nil, &op.OpenError{Input: 0}
			}
			trips = v.Shape[0]
		}
		types = append(types, op.Type{DType: e.Type, Shape: slices.Concat([]int64{trips}, e.Shape),
			Bounded: !constant || !l.Endless()})
	}
	return types, nil
}

func evalLoop(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	l, err := op.LoopOf(n)
	if err != nil {
		return nil, err
	}
	trips, on := int64(-1), true // -1: there is no limit
	if len(in) > 0 && in[0] != nil {
		trips = max(0, in[0].I[0])
	}
	if len(in) > 1 && in[1] != nil {
		on = in[1].I[0] != 0
	}
	values := slices.Clone(in[min(2, len(in)):])
	for i, v := range values {
		if v == nil {
			values[i] = graph.NewTensor(l.Body.Inputs[2+i].Type, l.Body.Inputs[2+i].Shape...)
		}
	}
	scans := make([][]*graph.Tensor, l.Scans)
	ignored := n.Domain == "wmtune" && (len(in) < 2 || in[1] == nil)
	for i := int64(0); (on || ignored) && (trips < 0 || i < trips); i++ {
		args := append([]*graph.Tensor{op.Counter(l.Body.Inputs[0], tir.I64, i), op.Counter(l.Body.Inputs[1], tir.Bool, 1)},
			values...)
		out, err := c.Run(l.Body, args)
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", i, err)
		}
		on = out[0].At(0) != 0
		values = out[1 : 1+l.Carried]
		for k := range scans {
			scans[k] = append(scans[k], out[1+l.Carried+k])
		}
	}
	results := slices.Clone(values)
	for k, list := range scans {
		t, err := stacked(list, l.Body.Outputs[1+l.Carried+k])
		if err != nil {
			return nil, err
		}
		results = append(results, t)
	}
	return results, nil
}

// stacked returns tensors of one shape as one of another dimension in front. If there are none, v says type and shape.
func stacked(list []*graph.Tensor, v *graph.Value) (*graph.Tensor, error) {
	if len(list) == 0 {
		if !v.Known() {
			return nil, fmt.Errorf("a loop without an iteration: the shape of %s is not known", v)
		}
		return graph.NewTensor(v.Type, slices.Concat([]int64{0}, v.Shape)...), nil
	}
	r := array.Like(list[0], slices.Concat([]int64{int64(len(list))}, list[0].Shape))
	size := int64(list[0].Len())
	for i, t := range list {
		if !slices.Equal(t.Shape, list[0].Shape) {
			return nil, fmt.Errorf("scan outputs of shapes %v and %v", list[0].Shape, t.Shape)
		}
		for j := range size {
			array.Put(r, int64(i)*size+j, t, j)
		}
	}
	return r, nil
}
