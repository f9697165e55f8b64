package op

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// foldLimit is the number of elements up to which a node of constants is computed ahead of time.
const foldLimit = 1 << 26

// growthLimit is the number of elements from which on a node is not computed ahead of time if it makes much of little,
// as Expand does: the program is smaller than the constant.
const growthLimit = 1 << 22

// Infer gives every value of g its type and shape, and computes ahead of time what is constant: those nodes are gone
// afterwards. An If whose condition is constant becomes the nodes of its branch, and a Loop of few iterations, or one
// whose shapes follow from the iteration, the nodes of all iterations. The inputs of g must be known. The error names
// the first node that is wrong; it is an *OpenError if a shape depends on data and the file does not say it either.
func Infer(ctx context.Context, g *graph.Graph) error { return inferGraph(ctx, g, newMeter(ctx)) }

func inferGraph(ctx context.Context, g *graph.Graph, m *meter) error {
	f := &inferrer{ctx: ctx, root: g, meter: m}
	return f.graph(g)
}

// An inferrer infers a graph.
type inferrer struct {
	ctx   context.Context
	root  *graph.Graph
	meter *meter
	lists map[*graph.Value][]*graph.Value // the tensors of sequences

	// Once something was inlined: prefixes of names of values, up to a number and a dot, and the first number to try for
	// what comes before it.
	prefixes map[string]bool
	numbers  map[string]int

	// Of the graph at work:
	current *graph.Graph
	kept    []*graph.Node
	readers map[*graph.Value][]*graph.Node // once guess needed them
}

func (f *inferrer) graph(g *graph.Graph) error {
	f.current = g
	if err := f.nodes(g.Nodes); err != nil {
		return err
	}
	g.Nodes = f.kept
	for _, v := range g.Outputs {
		if _, ok := f.lists[v]; ok {
			return fmt.Errorf("output %s is a sequence: %w", v.Name, errSequence)
		}
	}
	return nil
}

func (f *inferrer) nodes(list []*graph.Node) error {
	drop := f.meter.drops(list, f.current.Outputs)
	for i, n := range list {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		kept := len(f.kept)
		if err := f.node(n); err != nil {
			return err
		}
		drop(i, len(f.kept) > kept)
	}
	return nil
}

// node infers a node, or those that stand for it. A node without outputs is dropped.
func (f *inferrer) node(n *graph.Node) error {
	if len(n.Outputs) == 0 {
		return nil
	}
	if done, err := f.sequence(n); err != nil {
		return fmt.Errorf("%s: %w", n.Label(), err)
	} else if done {
		return nil
	}
	if done, err := f.inline(n); err != nil {
		return &nodeError{n.Label(), err}
	} else if done {
		return nil
	}
	if r, err := Find(n); err == nil {
		if err := r.CheckInputs(n); err != nil {
			return &nodeError{n.Label(), err}
		}
	}
	folded, err := inferNode(f.ctx, n, f.meter)
	var open *OpenError
	if errors.As(err, &open) && f.guess(n, open) {
		folded, err = inferNode(f.ctx, n, f.meter)
	}
	if err != nil {
		return &nodeError{n.Label(), err}
	}
	if !folded {
		f.kept = append(f.kept, n)
	}
	return nil
}

// A nodeError says which node an error is about.
type nodeError struct {
	label string
	err   error
}

func (e *nodeError) Unwrap() error { return e.err }

// Error leaves out what is beyond the first elements of a list: a file may say a million.
func (e *nodeError) Error() string {
	return e.label + ": " + longList.ReplaceAllString(e.err.Error(), "[$1...]")
}

var longList = regexp.MustCompile(`\[((?:-?\d+,? ){16})(?:-?\d+,? )+-?\d+\]`)

// InferNode infers the types of one node's outputs, as Infer does, and reports whether they became constants.
func InferNode(ctx context.Context, n *graph.Node) (bool, error) {
	return inferNode(ctx, n, newMeter(ctx))
}

func inferNode(ctx context.Context, n *graph.Node, m *meter) (bool, error) {
	r, err := Find(n)
	if err != nil {
		return false, err
	}
	if err := checkAttrs(n); err != nil {
		return false, err
	}
	constant, fixed := r.Enter == nil, true
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		if !v.Known() {
			return false, fmt.Errorf("BUG: input %d, %s, is not known", i, v)
		}
		constant, fixed = constant && v.Const != nil, fixed && v.Extents == nil
	}
	for _, v := range n.Reads() {
		if v.Extents != nil && !r.Has(Extents) {
			return false, Unsupported("%s reads %s, whose extents depend on data: that", n.Op, v)
		}
	}
	if r.Enter != nil {
		if err := r.Enter(n); err != nil {
			return false, err
		}
		if err := m.within(n, func() error { return inferGraphs(ctx, n, m) }); err != nil {
			return false, err
		}
	}
	if a := n.Attr("value"); n.Op == "Constant" && n.Domain == "" && a != nil && a.Tensor != nil && len(n.Outputs) == 1 {
		v, c := n.Outputs[0], a.Tensor // as it is, however large
		if err := contradicts(n, v, Type{DType: c.Type, Shape: c.Shape}); err != nil {
			return false, err
		}
		v.Type, v.Narrow, v.Shape, v.Ranked, v.DimNames, v.Const = c.Type, c.Narrow, c.Shape, true, nil, c
		return true, nil
	}
	types, err := r.Infer(n)
	var open *OpenError
	if errors.As(err, &open) {
		if err := declared(n, r, open); err != nil {
			return false, err
		}
		_, err := m.node(n, r)
		return false, err
	}
	if err != nil {
		return false, err
	}
	fold, err := setTypes(n, r, types, constant || r.Has(ShapesOnly) && fixed)
	if err != nil {
		return false, err
	}
	slow, err := m.node(n, r)
	if err != nil || !fold || slow && r.Form(n) != FormNone {
		return false, err
	}
	return true, foldNode(ctx, n)
}

// declared keeps the types that the file says, of a node whose shapes depend on data, if that can make them.
func declared(n *graph.Node, r *Row, open *OpenError) error {
	made := typesOf(n, open)
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		if !v.Known() {
			return open
		}
		if i < len(made) && r.Class != Reduction && !r.Has(Alias) { // else the elements decide the number of dimensions
			t := Type{DType: made[i].DType, Shape: slices.Repeat([]int64{graph.Open}, len(made[i].Shape))}
			if v.Type != t.DType || len(v.Shape) != len(t.Shape) {
				return contradicts(n, v, t)
			}
		}
	}
	if x, y := n.Inputs[0], n.Outputs[0]; r.Has(Alias) && y != nil && x.Elems() != y.Elems() {
		return fmt.Errorf("the model declares its output %s, and %s makes as many elements as %s has: correct the "+
			"declaration in the file", y, n.Op, x)
	}
	return nil
}

// DeclaredLike returns an error if the file declares an output of another type than x has, or of another number of
// dimensions. It is for operators whose extents alone depend on data.
func DeclaredLike(n *graph.Node, x *graph.Value) error {
	for _, v := range n.Outputs {
		if v != nil && v.Known() && (v.Type != x.Type || len(v.Shape) != len(x.Shape)) {
			return contradicts(n, v, Type{DType: x.Type, Shape: slices.Repeat([]int64{graph.Open}, len(x.Shape))})
		}
	}
	return nil
}

// A declaredError says that the file declares another type or shape of an output than its operator makes.
type declaredError struct {
	op              string
	declared, makes *graph.Value
}

func (e *declaredError) Error() string {
	hint := "correct the declaration in the file, or leave it out"
	if e.declared.Type != e.makes.Type {
		hint = "correct the declaration in the file, or add a Cast"
	}
	return fmt.Sprintf("the model declares its output %s, and %s makes %s: %s", e.declared, e.op, e.makes, hint)
}

// contradicts returns an error if what the file declares of an output is not what its operator makes. An open extent
// contradicts nothing, and a declared one below a bound does not, either. Where extents are open and there are more or
// fewer, an exporter was told wrong names of dimensions, and what the operator makes counts.
func contradicts(n *graph.Node, v *graph.Value, t Type) error {
	ranked := v.Ranked && (len(v.Shape) == len(t.Shape) || !slices.Contains(v.Shape, graph.Open))
	wrong := v.Type != 0 && v.Type != t.DType || ranked && len(v.Shape) != len(t.Shape)
	for i := range v.Shape {
		if d := v.Shape[i]; ranked && !wrong && d != graph.Open && d != t.Shape[i] {
			wrong = !t.Bounded || d > t.Shape[i]
		}
	}
	if !wrong {
		return nil
	}
	return &declaredError{n.Op, v, &graph.Value{Name: v.Name, Type: t.DType, Shape: t.Shape, Ranked: true}}
}

// converting are the operators that compute with narrow types. Others that have them move elements.
var converting = []string{"Cast", "CastLike", "QuantizeLinear", "DequantizeLinear"}

// setTypes gives the outputs of a node their types, and reports whether it may be computed ahead of time.
func setTypes(n *graph.Node, r *Row, types []Type, fold bool) (bool, error) {
	if len(types) < len(n.Outputs) {
		return false, fmt.Errorf("it has %d outputs: %s makes %d", len(n.Outputs), n.Op, len(types))
	}
	elems := int64(0)
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		if err := contradicts(n, v, types[i]); err != nil {
			return false, err
		}
		v.Type, v.Shape, v.Ranked, v.DimNames = types[i].DType, slices.Clone(types[i].Shape), true, nil
		v.Narrow = types[i].Narrow
		if x := n.Input(0); i == 0 && x != nil && x.Type == v.Type && !slices.Contains(converting, n.Op) {
			v.Narrow = x.Narrow
		}
		if err := graph.CheckShape(v.Shape); err != nil {
			return false, fmt.Errorf("output %d is %s: %w", i, v, err)
		}
		elems += v.Elems()
		if types[i].Bounded && v.Extents == nil {
			v.Extents = &graph.Value{Name: v.Name + ".extents", Type: tir.I64, Shape: []int64{int64(len(v.Shape))}, Ranked: true}
		}
	}
	grows := elems > growthLimit && elems > 4*inputElems(n) && r.Form(n) != FormNone
	return fold && elems <= foldLimit && !grows, nil
}

func inputElems(n *graph.Node) int64 {
	sum := int64(0)
	for _, v := range n.Inputs {
		if v != nil {
			sum += v.Elems()
		}
	}
	return sum
}

// foldNode computes a node whose inputs are constants, or of which it needs the shapes only.
func foldNode(ctx context.Context, n *graph.Node) error {
	e := Evaluator()
	f, err := e.Lookup(n)
	if err != nil {
		return err
	}
	in := make([]*graph.Tensor, len(n.Inputs))
	for i, v := range n.Inputs {
		switch {
		case v == nil:
		case v.Const != nil:
			in[i] = v.Const.Tensor()
		default:
			in[i] = &graph.Tensor{Type: v.Type, Shape: v.Shape}
		}
	}
	out, err := f(graph.NewCall(ctx, e), n, in)
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		v.Const, v.Shape, v.Extents = out[i].Const(), out[i].Shape, nil
		if n.Op == "DequantizeLinear" {
			v.Dequantized = n
		} else if n.Op == "Transpose" && len(v.Shape) == 2 && n.Inputs[0].Dequantized != nil {
			if err := transposeStored(ctx, v, n, n.Inputs[0].Dequantized); err != nil {
				return err
			}
		}
	}
	return nil
}

// transposeStored says what v, a matrix that n transposes, was dequantized from.
func transposeStored(ctx context.Context, v *graph.Value, n, d *graph.Node) error {
	if p := n.Ints("perm"); len(p) > 0 && p[0] == 0 {
		v.Dequantized = d
		return nil
	}
	k := *d
	k.Inputs = slices.Clone(d.Inputs)
	for i, x := range d.Inputs {
		if x == nil || len(x.Shape) != 2 {
			continue
		}
		k.Inputs[i] = &graph.Value{Name: fmt.Sprint(v.Name, ".", i), Type: x.Type, Ranked: true}
		t := &graph.Node{Op: n.Op, Version: n.Version, Attrs: n.Attrs, Inputs: []*graph.Value{x}, Outputs: k.Inputs[i : i+1]}
		if err := foldNode(ctx, t); err != nil {
			return err
		}
	}
	k.Attrs = slices.Clone(d.Attrs)
	k.SetAttr(graph.IntAttr("axis", 1-(d.Int("axis", 1)+2)%2))
	v.Dequantized = &k
	return nil
}
