package op

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
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
	d := &Decomposer{Node: n}
	if err := d.run(r); err != nil {
		return nil, nil, err
	}
	if len(d.outputs) < len(n.Outputs) {
		return nil, nil, fmt.Errorf("BUG: %s decomposes into %d outputs", n.Op, len(d.outputs))
	}
	return d.nodes, d.outputs, nil
}

// A decomposeError is what ends a decomposition: a node that it adds is wrong.
type decomposeError struct{ err error }

func (d *Decomposer) run(r *Row) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case decomposeError:
			err = p.err
		default:
			panic(p)
		}
	}()
	return r.Decompose(d)
}

// Input returns input i of the node, or nil.
func (d *Decomposer) Input(i int) *graph.Value { return d.Node.Input(i) }

// Const returns a value that holds t.
func (d *Decomposer) Const(t *graph.Tensor) *graph.Value {
	return &graph.Value{Name: d.name("const"), Type: t.Type, Shape: t.Shape, Ranked: true, Const: t.Const()}
}

// Apply adds a node of one output.
func (d *Decomposer) Apply(op string, inputs []*graph.Value, attrs ...graph.Attr) *graph.Value {
	return d.ApplyN(op, 1, inputs, attrs...)[0]
}

// ApplyN adds a node of n outputs. Its operator set is that of the node it stands for, or the first one that has the
// operator.
func (d *Decomposer) ApplyN(op string, n int, inputs []*graph.Value, attrs ...graph.Attr) []*graph.Value {
	return d.ApplyAt(d.Node.Version, op, n, inputs, attrs...)
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
		k.Outputs = append(k.Outputs, &graph.Value{Name: d.name(op)})
	}
	d.add(k)
	return slices.Clone(k.Outputs)
}

// add infers the types of a node and adds it, unless its outputs are constants.
func (d *Decomposer) add(n *graph.Node) {
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

func (d *Decomposer) name(what string) string {
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
