package op

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A Decomposer replaces a node by others. A mistake in a node that it adds ends the decomposition.
type Decomposer struct {
	Node *graph.Node

	nodes   []*graph.Node
	outputs []*graph.Value
	names   int
}

// Decompose returns the nodes that take the place of n, whose row has a Decompose, and the value that takes the place
// of each output. Types of the new values are inferred, and what is constant is folded.
func Decompose(n *graph.Node) ([]*graph.Node, []*graph.Value, error) {
	r, err := Find(n)
	if err != nil {
		return nil, nil, err
	}
	return DecomposeBy(n, r.Decompose)
}

// DecomposeBy is Decompose with a function in place of that of the row.
func DecomposeBy(n *graph.Node, f func(d *Decomposer) error) ([]*graph.Node, []*graph.Value, error) {
	d := &Decomposer{Node: n}
	if err := d.run(f); err != nil {
		return nil, nil, err
	}
	if len(d.outputs) < len(n.Outputs) {
		return nil, nil, fmt.Errorf("BUG: %s decomposes into %d outputs", n.Op, len(d.outputs))
	}
	return d.nodes, d.outputs, nil
}

// A decomposeError is what ends a decomposition: a node that it adds is wrong.
type decomposeError struct{ err error }

func (d *Decomposer) run(f func(d *Decomposer) error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case decomposeError:
			err = p.err
		default:
			panic(p)
		}
	}()
	return f(d)
}

// InferDecomposed is Infer of operators whose outputs are like those of the nodes that take their place.
func InferDecomposed(decompose func(d *Decomposer) error) InferFunc {
	return func(n *graph.Node) ([]Type, error) {
		d := &Decomposer{Node: n}
		err := d.run(decompose)
		var open *OpenError
		if errors.As(err, &open) && n.Input(open.Input) == nil {
			err = errors.New(err.Error()) // the input is that of a node inside
		}
		if err != nil {
			return nil, err
		}
		types := make([]Type, len(d.outputs))
		for i, v := range d.outputs {
			if v != nil {
				types[i] = Type{DType: v.Type, Narrow: v.Narrow, Shape: v.Shape, Bounded: v.Extents != nil}
			}
		}
		return types, nil
	}
}

// Input returns input i of the node, or nil.
func (d *Decomposer) Input(i int) *graph.Value { return d.Node.Input(i) }

// Const returns a value that holds t.
func (d *Decomposer) Const(t *graph.Tensor) *graph.Value {
	return &graph.Value{Name: d.Name("const"), Type: t.Type, Shape: t.Shape, Ranked: true, Const: t.Const()}
}

// Apply adds a node of one output.
func (d *Decomposer) Apply(op string, inputs []*graph.Value, attrs ...graph.Attr) *graph.Value {
	return d.ApplyN(op, 1, inputs, attrs...)[0]
}

// ApplyN adds a node of n outputs. Its operator set is that of the node it stands for, or the first one that has the
// operator.
func (d *Decomposer) ApplyN(op string, n int, inputs []*graph.Value, attrs ...graph.Attr) []*graph.Value {
	return d.ApplyAt(d.version(), op, n, inputs, attrs...)
}

// Newest is the version of ONNX's operators that operators of other domains become, whose versions count otherwise.
const Newest = 28

func (d *Decomposer) version() int {
	if d.Node.Domain == "" || d.Node.Domain == "wmtune" {
		return d.Node.Version
	}
	return Newest
}

// ApplyAt is ApplyN with an operator set.
func (d *Decomposer) ApplyAt(version int, op string, n int, inputs []*graph.Value, attrs ...graph.Attr) []*graph.Value {
	k := &graph.Node{Name: d.Node.Name, Op: op, Version: version, Inputs: inputs}
	if domain, name, ok := strings.Cut(op, "."); ok {
		k.Domain, k.Op = domain, name
	}
	if rows := index[op]; len(rows) > 0 {
		k.Version = max(k.Version, rows[0].Since)
	}
	k.SetAttr(attrs...)
	for range n {
		k.Outputs = append(k.Outputs, &graph.Value{Name: d.Name(op)})
	}
	d.Add(k)
	return slices.Clone(k.Outputs)
}

// Add infers the types of a node and adds it, unless its outputs are constants.
func (d *Decomposer) Add(n *graph.Node) {
	folded, err := InferNode(context.Background(), n)
	if err != nil {
		panic(decomposeError{fmt.Errorf("%s inside: %w", n.Op, err)})
	}
	if !folded {
		d.nodes = append(d.nodes, n)
	}
}

// Output says which values the outputs are, in order.
func (d *Decomposer) Output(v ...*graph.Value) { d.outputs = v }

func (d *Decomposer) Name(what string) string {
	d.names++
	base := "_"
	for _, v := range d.Node.Outputs {
		if v != nil {
			base = v.Name
			break
		}
	}
	return fmt.Sprintf("%s.%s%d", base, what, d.names)
}

// Cut returns the elements of x from one position of an axis up to before another.
func (d *Decomposer) Cut(x *graph.Value, axis, from, to int64) *graph.Value {
	if from == 0 && to == x.Shape[axis] {
		return x
	}
	return d.Slice(x, int(axis), from, to)
}

// Slice adds a Slice of v from begin to end along a dimension.
func (d *Decomposer) Slice(v *graph.Value, at int, begin, end int64) *graph.Value {
	if d.version() < 10 {
		return d.Apply("Slice", []*graph.Value{v}, graph.IntsAttr("axes", int64(at)), graph.IntsAttr("starts", begin),
			graph.IntsAttr("ends", end))
	}
	return d.Apply("Slice", []*graph.Value{v, d.Const(graph.Ints(begin)), d.Const(graph.Ints(end)),
		d.Const(graph.Ints(int64(at)))})
}

// Transpose reorders dimensions, if that changes anything.
func (d *Decomposer) Transpose(x *graph.Value, perm []int64) *graph.Value {
	if slices.IsSorted(perm) {
		return x
	}
	return d.Apply("Transpose", []*graph.Value{x}, graph.IntsAttr("perm", perm...))
}

// Reshape adds a Reshape. A zero of shape is an extent, and does not keep what stands there.
func (d *Decomposer) Reshape(v *graph.Value, shape ...int64) *graph.Value {
	if slices.Equal(v.Shape, shape) {
		return v
	}
	var attrs []graph.Attr
	if slices.Contains(shape, 0) {
		attrs = append(attrs, graph.IntAttr("allowzero", 1))
	}
	return d.Apply("Reshape", []*graph.Value{v, d.Const(graph.Ints(shape...))}, attrs...)
}

func (d *Decomposer) Cast(v *graph.Value, t tir.DType) *graph.Value {
	if v.Type == t {
		return v
	}
	return d.Apply("Cast", []*graph.Value{v}, graph.IntAttr("to", ElementNumber(t)))
}

// Two applies an operator of two operands.
func (d *Decomposer) Two(op string, x, y *graph.Value) *graph.Value {
	return d.Apply(op, []*graph.Value{x, y})
}

// Number returns a scalar of the type of v.
func (d *Decomposer) Number(like *graph.Value, v float64) *graph.Value {
	return d.Const(graph.Scalar(like.Type, v))
}

// Repeated returns a vector with each element so many times.
func (d *Decomposer) Repeated(v *graph.Value, times int64) *graph.Value {
	wide := d.Apply("Expand", []*graph.Value{d.Reshape(v, v.Elems(), 1), d.Const(graph.Ints(v.Elems(), times))})
	return d.Reshape(wide, v.Elems()*times)
}
