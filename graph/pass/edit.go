package pass

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// An editor makes the new list of nodes of a graph, and remembers which values stand for others.
type editor struct {
	ctx     context.Context
	g       *graph.Graph
	nodes   []*graph.Node
	instead map[*graph.Value]*graph.Value
	made    map[*graph.Value]*graph.Node     // producers, of the new list
	undoes  map[string]map[*graph.Value]bool // by order of dimensions, what is transposed back (undone)
	names   int
	pass    string
}

func edit(ctx context.Context, g *graph.Graph, pass string) *editor {
	return &editor{ctx: ctx, g: g, instead: map[*graph.Value]*graph.Value{}, made: map[*graph.Value]*graph.Node{},
		undoes: map[string]map[*graph.Value]bool{}, pass: pass}
}

// now returns the value that stands for v.
func (e *editor) now(v *graph.Value) *graph.Value {
	for v != nil && e.instead[v] != nil {
		v = e.instead[v]
	}
	return v
}

// add adds a node, with its inputs as they are now.
func (e *editor) add(n *graph.Node) {
	e.update(n)
	e.nodes = append(e.nodes, n)
	for _, v := range n.Outputs {
		if v != nil {
			e.made[v] = n
		}
	}
}

// each calls replace for each node of the graph, with its inputs as they are now, and keeps the nodes for which it
// reports false. It puts the new nodes in place. A mistake in a node that replace adds ends the pass.
func (e *editor) each(replace func(n *graph.Node) bool) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case editError:
			err = p.err
		default:
			panic(p)
		}
	}()
	for _, n := range e.g.Nodes {
		e.update(n)
		if !replace(n) {
			e.add(n)
		}
	}
	e.done()
	return nil
}

// An editError is what ends a pass.
type editError struct{ err error }

func (e *editor) check(err error) {
	if err != nil {
		panic(editError{err})
	}
}

// update has n and the graphs in its attributes read what stands for their values now.
func (e *editor) update(n *graph.Node) {
	for i, v := range n.Inputs {
		n.Inputs[i] = e.now(v)
	}
	for _, a := range n.Attrs {
		for _, sub := range a.Graphs {
			for _, k := range sub.Nodes {
				e.update(k)
			}
			for i, v := range sub.Outputs {
				sub.Outputs[i] = e.now(v)
			}
		}
	}
}

// apply adds a node of an operator, with one output, and infers its type; it is computed at once if it is constant. The
// new value is returned.
func (e *editor) apply(like *graph.Node, name string, inputs []*graph.Value, attrs ...graph.Attr) *graph.Value {
	n := &graph.Node{Name: like.Name, Inputs: inputs, Version: max(like.Version, 13)}
	n.Domain, n.Op = op.SplitName(name)
	return e.make(like, n, attrs)
}

// like adds a node like n, of one output, with other inputs and some other attributes.
func (e *editor) like(n *graph.Node, inputs []*graph.Value, attrs ...graph.Attr) *graph.Value {
	return e.make(n, &graph.Node{
		Name: n.Name, Op: n.Op, Domain: n.Domain, Version: n.Version, Inputs: inputs, Attrs: slices.Clone(n.Attrs),
	}, attrs)
}

func (e *editor) make(like, n *graph.Node, attrs []graph.Attr) *graph.Value {
	n.SetAttr(attrs...)
	n.InFloats = like.InFloats
	n.Outputs = []*graph.Value{{Name: e.name(first(like).Name + ".")}}
	folded, err := op.InferNode(e.ctx, n)
	if err != nil {
		e.check(fmt.Errorf("BUG: pass %s: %s for %s: %w", e.pass, n.Op, like.Label(), err))
	}
	if !folded {
		e.add(n)
	}
	return n.Outputs[0]
}

// name returns a name that begins so, and that no other value has.
func (e *editor) name(begin string) string {
	e.names++
	return fmt.Sprint(begin, e.pass, e.names)
}

// ints is a constant.
func (e *editor) ints(name string, list []int64) *graph.Value {
	return graph.Constant(e.name(name+"."), graph.Ints(list...))
}

// replace has every reader of old read new.
func (e *editor) replace(old, new *graph.Value) { e.instead[old] = new }

// becomes has y stand for the one output of n. It returns true.
func (e *editor) becomes(n *graph.Node, y *graph.Value) bool {
	e.replace(n.Outputs[0], y)
	return true
}

// done puts the new nodes in place.
func (e *editor) done() {
	e.g.Nodes = e.nodes
	for i, v := range e.g.Outputs {
		e.g.Outputs[i] = e.now(v)
	}
}

// first returns the first output of n that is there.
func first(n *graph.Node) *graph.Value {
	for _, v := range n.Outputs {
		if v != nil {
			return v
		}
	}
	panic("BUG: a node without outputs")
}

// subgraphs calls do for each graph that g's nodes run, inner ones first, and then for g.
func subgraphs(g *graph.Graph, do func(*graph.Graph) error) error {
	for _, n := range g.Nodes {
		for _, a := range n.Attrs {
			for _, sub := range a.Graphs {
				if err := subgraphs(sub, do); err != nil {
					return err
				}
			}
		}
	}
	return do(g)
}
