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

func EnterIf(n *graph.Node) error {
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

// inferGraphs infers the graphs of a node. If one branch of an If cannot be, it is what
// models have for inputs of other shapes: in its place stands a node that fails at run time, and says why.
func inferGraphs(ctx context.Context, n *graph.Node, m *meter) error {
	var wrong []int // attributes
	var first error
	for i, a := range n.Attrs {
		for _, g := range a.Graphs {
			err := inferGraph(ctx, g, m)
			if err == nil {
				continue
			}
			err = fmt.Errorf("%s: %w", a.Name, err)
			var open *OpenError
			var declared *declaredError
			var limit *LimitError
			if n.Op != "If" || ctx.Err() != nil || errors.Is(err, graph.ErrUnsupported) || errors.As(err, &open) ||
				errors.As(err, &declared) || errors.As(err, &limit) {
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

// loopParts are what a Loop consists of.
type loopParts struct {
	Body           *graph.Graph
	Trip, on       *graph.Value   // may be nil
	Initial        []*graph.Value // of carried values
	Carried, Scans int
}

// LoopOf returns the parts of a Loop, whose numbers fit each other.
func LoopOf(n *graph.Node) (loopParts, error) {
	l := loopParts{Body: n.Graph("body"), Trip: n.Input(0), on: n.Input(1)}
	if len(n.Inputs) > 2 {
		l.Initial = n.Inputs[2:]
	}
	l.Carried = len(l.Initial)
	if l.Body == nil {
		return l, fmt.Errorf("it has no body")
	}
	if l.Trip != nil && l.Trip.Known() && (l.Trip.Type != tir.I64 || l.Trip.Elems() != 1) {
		return l, fmt.Errorf("its number of iterations is %s: it must be one int64", l.Trip)
	}
	if l.on != nil && l.on.Known() && (l.on.Type != tir.Bool || l.on.Elems() != 1) {
		return l, fmt.Errorf("its condition is %s: it must be one bool", l.on)
	}
	l.Scans = len(l.Body.Outputs) - 1 - l.Carried
	if len(l.Body.Inputs) != 2+l.Carried || l.Scans < 0 || len(n.Outputs) > l.Carried+l.Scans {
		return l, fmt.Errorf("its body has %d inputs and %d outputs, with %d values that are carried and %d outputs of "+
			"the node", len(l.Body.Inputs), len(l.Body.Outputs), l.Carried, len(n.Outputs))
	}
	return l, nil
}

// Trips returns the greatest number of iterations, if it is constant.
func (l loopParts) Trips() (int64, bool) {
	if l.Trip == nil || l.Trip.Const == nil {
		return 0, false
	}
	return max(0, l.Trip.Const.Tensor().I[0]), true
}

// Endless reports whether nothing but the number of iterations ends the loop. The standard says that a loop without an
// initial condition ignores those that its body makes; ONNX Runtime heeds them, and so does wmtune: who writes a
// condition means it.
func (l loopParts) Endless() bool {
	if l.on != nil && !isTrue(l.on.Const) {
		return false
	}
	made := l.Body.Producers()
	v := l.Body.Outputs[0]
	for v != l.Body.Inputs[1] {
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

// A ChangingError says that a value that a Loop carries changes its shape.
type ChangingError struct{ In, Out *graph.Value }

func (e *ChangingError) Error() string {
	return fmt.Sprintf("an iteration makes %s of %s: a loop whose shapes change must have a constant number of iterations",
		e.Out, e.In)
}
