package op

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// control has the operators that run graphs in their attributes. Two forms are left after passes, both of FormControl:
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
var control = []Row{
	{Op: "If", Since: 1, In: "B:B", Class: Opaque, Enter: enterIf, Infer: inferIf, Eval: evalIf},
	{Op: "wmtune.Fail", Class: Opaque, Infer: inferFail, Eval: evalFail,
		Opaque: &Function{Make: opaqueFail, Fault: func(n *graph.Node) string { return n.Str("message", "") }}},
	{Op: "Loop", Since: 1, In: "I:I? B:B? -:A?*", Class: Opaque, Enter: enterLoop, Infer: inferLoop,
		Eval:      evalLoop,
		Decompose: decomposeLoop},
	{Op: "wmtune.Loop", In: "I:I? B:B? -:A?*", Class: Opaque, Enter: enterLoop, Infer: inferLoop,
		Eval: evalLoop},
	{Op: "Scan", Since: 8, In: "I:I? -:A?* | 9 -:A?*", Class: Opaque, Enter: enterScan, Infer: inferScan,
		Eval:      evalScan,
		Decompose: decomposeScan},
	{Op: "wmtune.Insert", In: "T:A -:I T:A", Class: Opaque, Infer: inferInsert, Eval: evalInsert,
		Opaque: &Function{Make: opaqueInsert, Update: updateInsert}},
	{Op: "wmtune.Packed", In: "T:A -:I", Class: Opaque, Infer: inferPacked, Eval: evalPacked,
		Opaque: &Function{Make: opaquePacked}},
	{Op: "OptionalHasElement", Since: 15, In: "O:A | 18 O:A?", Traits: ShapesOnly, Infer: inferHasElement,
		Eval: evalHasElement},
}

// inferHasElement: values are tensors, so an optional one has an element if it is there.
func inferHasElement(*graph.Node) ([]Type, error) {
	return []Type{{DType: tir.Bool, Shape: []int64{}}}, nil
}

func evalHasElement(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	has := graph.Scalar(tir.Bool, 0)
	if len(in) > 0 && in[0] != nil {
		has.I[0] = 1
	}
	return []*graph.Tensor{has}, nil
}

func enterIf(n *graph.Node) error {
	if v := n.Inputs[0]; v.Type != tir.Bool || v.Elems() != 1 {
		return fmt.Errorf("its condition is %s: it must be one bool", v)
	}
	for _, name := range []string{"then_branch", "else_branch"} {
		if g := n.Graph(name); g == nil || len(g.Outputs) != len(n.Outputs) || len(g.Inputs) != 0 {
			return fmt.Errorf("it has no %s of %d outputs and no inputs", name, len(n.Outputs))
		}
	}
	return nil
}

// inferGraphs infers the graphs of a node that is one of so many copies. If one branch of an If cannot be, it is what
// models have for inputs of other shapes: in its place stands a node that fails at run time, and says why.
func inferGraphs(ctx context.Context, n *graph.Node, copies int64) error {
	var wrong []int // attributes
	var first error
	for i, a := range n.Attrs {
		for _, g := range a.Graphs {
			err := inferGraph(ctx, g, copies)
			if err == nil {
				continue
			}
			err = fmt.Errorf("%s: %w", a.Name, err)
			var open *OpenError
			var declared *declaredError
			if n.Op != "If" || ctx.Err() != nil || errors.Is(err, graph.ErrUnsupported) || errors.As(err, &open) ||
				errors.As(err, &declared) {
				return err
			}
			wrong, first = append(wrong, i), cmp.Or(first, err)
		}
	}
	if len(wrong) != 1 {
		return first
	}
	a := &n.Attrs[wrong[0]]
	other := "then_branch"
	if a.Name == other {
		other = "else_branch"
	}
	g := a.Graphs[0]
	name := n.Op // or that of the first output that is there
	if i := slices.IndexFunc(n.Outputs, func(v *graph.Value) bool { return v != nil }); i >= 0 {
		name = n.Outputs[i].Name
	}
	fail := &graph.Node{Name: n.Name, Op: "Fail", Domain: "wmtune", Version: n.Version}
	fail.SetAttr(graph.StrAttr("message", first.Error()))
	for i, v := range n.Graph(other).Outputs {
		fail.Outputs = append(fail.Outputs, &graph.Value{Name: fmt.Sprintf("%s.%s%d", name, a.Name, i),
			Type: v.Type, Shape: slices.Clone(v.Shape), Ranked: true})
	}
	a.Graphs = []*graph.Graph{{Name: g.Name, Nodes: []*graph.Node{fail}, Outputs: slices.Clone(fail.Outputs)}}
	return nil
}

// inferFail: a node that always fails has outputs of the types that it was made with.
func inferFail(n *graph.Node) ([]Type, error) {
	types := make([]Type, len(n.Outputs))
	for i, v := range n.Outputs {
		types[i] = Type{DType: v.Type, Shape: v.Shape}
	}
	return types, nil
}

func evalFail(_ *graph.Call, n *graph.Node, _ []*graph.Tensor) ([]*graph.Tensor, error) {
	return nil, errors.New(n.Str("message", ""))
}

// opaqueFail sets error, and outputs to 0.
func opaqueFail(n *graph.Node) (*tir.Func, error) {
	fault := errorFlag()
	params, stmts := []*tir.Buffer(nil), []tir.Stmt{setFault(fault)}
	for i, v := range n.Outputs {
		b := flat(fmt.Sprint("out", i), v)
		params = append(params, b)
		stmts = append(stmts, loop("i", v.Elems(), func(i tir.Expr) tir.Stmt { return store(b, tir.Const(b.Type, 0), i) }))
	}
	return function("fail", len(params)+1, seq(stmts...), append(params, fault)...), nil
}

func inferIf(n *graph.Node) ([]Type, error) {
	if err := enterIf(n); err != nil {
		return nil, err
	}
	then, els := n.Graph("then_branch"), n.Graph("else_branch")
	types := make([]Type, len(n.Outputs))
	for i := range types {
		a, b := then.Outputs[i], els.Outputs[i]
		if a.Type != b.Type || !slices.Equal(a.Shape, b.Shape) {
			return nil, Unsupported("its branches give %s and %s for output %d: another shape in each", a, b, i)
		}
		if a.Extents != nil || b.Extents != nil {
			return nil, Unsupported("output %d of its branches has extents that depend on data: that", i)
		}
		types[i] = Type{DType: a.Type, Shape: a.Shape}
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

// loopParts are what a Loop consists of.
type loopParts struct {
	body           *graph.Graph
	trip, on       *graph.Value   // may be nil
	initial        []*graph.Value // of carried values
	carried, scans int
}

// loopOf returns the parts of a Loop, whose numbers fit each other.
func loopOf(n *graph.Node) (loopParts, error) {
	l := loopParts{body: n.Graph("body"), trip: n.Input(0), on: n.Input(1)}
	if len(n.Inputs) > 2 {
		l.initial = n.Inputs[2:]
	}
	l.carried = len(l.initial)
	if l.body == nil {
		return l, fmt.Errorf("it has no body")
	}
	if l.trip != nil && l.trip.Known() && (l.trip.Type != tir.I64 || l.trip.Elems() != 1) {
		return l, fmt.Errorf("its number of iterations is %s: it must be one int64", l.trip)
	}
	if l.on != nil && l.on.Known() && (l.on.Type != tir.Bool || l.on.Elems() != 1) {
		return l, fmt.Errorf("its condition is %s: it must be one bool", l.on)
	}
	l.scans = len(l.body.Outputs) - 1 - l.carried
	if len(l.body.Inputs) != 2+l.carried || l.scans < 0 || len(n.Outputs) > l.carried+l.scans {
		return l, fmt.Errorf("its body has %d inputs and %d outputs, with %d values that are carried and %d outputs of "+
			"the node", len(l.body.Inputs), len(l.body.Outputs), l.carried, len(n.Outputs))
	}
	return l, nil
}

// trips returns the greatest number of iterations, if it is constant.
func (l loopParts) trips() (int64, bool) {
	if l.trip == nil || l.trip.Const == nil {
		return 0, false
	}
	return max(0, l.trip.Const.Tensor().I[0]), true
}

// endless reports whether nothing but the number of iterations ends the loop. The standard says that a loop without an
// initial condition ignores those that its body makes; ONNX Runtime heeds them, and so does wmtune: who writes a
// condition means it.
func (l loopParts) endless() bool {
	if l.on != nil && !isTrue(l.on.Const) {
		return false
	}
	made := l.body.Producers()
	v := l.body.Outputs[0]
	for v != l.body.Inputs[1] {
		if v.Const != nil {
			return isTrue(v.Const)
		}
		n := made[v]
		switch {
		case n == nil:
			return false
		case n.Op == "Identity" && n.Input(0) == nil:
			return false
		case n.Op == "Identity":
			v = n.Inputs[0]
		case n.Op == "Constant" && n.Attr("value") != nil:
			return isTrue(n.Attr("value").Tensor)
		default:
			return false
		}
	}
	return true
}

// isTrue reports whether c is there, and one bool that is true.
func isTrue(c *graph.Const) bool {
	return c != nil && c.Type == tir.Bool && graph.Elems(c.Shape) == 1 && c.Data[0] != 0
}

// enterLoop gives the inputs of the body their types. A value that has none before the body gives it has that of the
// body's input.
func enterLoop(n *graph.Node) error {
	l, err := loopOf(n)
	if err != nil {
		return err
	}
	for i, t := range []tir.DType{tir.I64, tir.Bool} {
		v := l.body.Inputs[i]
		v.Type, v.Shape, v.Ranked, v.DimNames = t, counter(v, t, 0).Shape, true, nil
	}
	for i, v := range l.initial {
		w := l.body.Inputs[2+i]
		if v != nil {
			w.Type, w.Shape, w.Ranked, w.DimNames = v.Type, slices.Clone(v.Shape), true, nil
		} else if !w.Known() {
			return fmt.Errorf("BUG: %s is not known", w)
		}
	}
	return nil
}

// A changingError says that a value that a Loop carries changes its shape.
type changingError struct{ in, out *graph.Value }

func (e *changingError) Error() string {
	return fmt.Sprintf("an iteration makes %s of %s: a loop whose shapes change must have a constant number of iterations",
		e.out, e.in)
}

func inferLoop(n *graph.Node) ([]Type, error) {
	l, err := loopOf(n)
	if err != nil {
		return nil, err
	}
	if v := l.body.Outputs[0]; v.Type != tir.Bool || v.Elems() != 1 {
		return nil, fmt.Errorf("the condition that its body makes is %s: it must be one bool", v)
	}
	if l.trip == nil && l.endless() {
		return nil, fmt.Errorf("the loop never ends: it has no number of iterations, and its condition is always true")
	}
	var types []Type
	for i := range l.carried {
		in, out := l.body.Inputs[2+i], l.body.Outputs[1+i]
		if in.Type != out.Type || !slices.Equal(in.Shape, out.Shape) {
			return nil, &changingError{in: in, out: out}
		}
		types = append(types, Type{DType: in.Type, Shape: in.Shape})
	}
	for i := range l.scans {
		e := l.body.Outputs[1+l.carried+i]
		if e.Extents != nil {
			return nil, Unsupported("its scan output %s has extents that depend on data: that", e)
		}
		trips, constant := l.trips()
		if !constant {
			v := n.Output(l.carried + i)
			if v == nil || !v.Known() || len(v.Shape) != len(e.Shape)+1 {
				return nil, &OpenError{Input: 0}
			}
			trips = v.Shape[0]
		}
		types = append(types, Type{DType: e.Type, Shape: slices.Concat([]int64{trips}, e.Shape),
			Bounded: !constant || !l.endless()})
	}
	return types, nil
}

func evalLoop(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	l, err := loopOf(n)
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
			values[i] = graph.NewTensor(l.body.Inputs[2+i].Type, l.body.Inputs[2+i].Shape...)
		}
	}
	scans := make([][]*graph.Tensor, l.scans)
	ignored := n.Domain == "wmtune" && (len(in) < 2 || in[1] == nil)
	for i := int64(0); (on || ignored) && (trips < 0 || i < trips); i++ {
		args := append([]*graph.Tensor{counter(l.body.Inputs[0], tir.I64, i), counter(l.body.Inputs[1], tir.Bool, 1)},
			values...)
		out, err := c.Run(l.body, args)
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", i, err)
		}
		on = out[0].At(0) != 0
		values = out[1 : 1+l.carried]
		for k := range scans {
			scans[k] = append(scans[k], out[1+l.carried+k])
		}
	}
	results := slices.Clone(values)
	for k, list := range scans {
		t, err := stacked(list, l.body.Outputs[1+l.carried+k])
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
	r := like(list[0], slices.Concat([]int64{int64(len(list))}, list[0].Shape))
	size := int64(list[0].Len())
	for i, t := range list {
		if !slices.Equal(t.Shape, list[0].Shape) {
			return nil, fmt.Errorf("scan outputs of shapes %v and %v", list[0].Shape, t.Shape)
		}
		for j := range size {
			put(r, int64(i)*size+j, t, j)
		}
	}
	return r, nil
}
