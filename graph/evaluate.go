package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// An EvalFunc computes the outputs of a node from its inputs; an input that is left out is nil, and so may outputs be
// that the node leaves out. The results must not share memory with what the caller may change, and may share memory
// with the inputs, which are never changed.
type EvalFunc func(c *Call, n *Node, in []*Tensor) ([]*Tensor, error)

// An Evaluator is the reference: it computes graphs node by node, in float64 whatever the types of floats are, and
// integers in their types. It shares nothing with how graphs become programs.
type Evaluator struct {
	// Lookup returns the function of a node's operator.
	Lookup func(n *Node) (EvalFunc, error)

	// Round has what nodes compute rounded to its type: how far the results are from those of float64 then says how
	// much rounding alone may change them.
	Round bool

	// Fewer is how many bits fewer float32 and float64 numbers are rounded to than they have.
	Fewer int

	// Observe, if not nil, is told what each node computed.
	Observe func(n *Node, in, out []*Tensor)
}

// A Call is what an EvalFunc gets besides its inputs.
type Call struct {
	Context context.Context

	e     *Evaluator
	env   map[*Value]*Tensor
	inner bool // in a graph that may run several times
	spare spare
}

// Run computes the outputs of g for inputs, in the order of g.Inputs.
func (e *Evaluator) Run(ctx context.Context, g *Graph, inputs []*Tensor) ([]*Tensor, error) {
	c := &Call{Context: ctx, e: e, env: map[*Value]*Tensor{}}
	return c.run(g, inputs, true)
}

// Rounds reports whether results are rounded to their types. A node that computes in steps then rounds each of them.
func (c *Call) Rounds() bool { return c.e.Round }

// Run computes the outputs of a graph in an attribute of the node, which may read values of the graphs around it.
func (c *Call) Run(g *Graph, inputs []*Tensor) ([]*Tensor, error) {
	defer func(inner bool) { c.inner = inner }(c.inner)
	c.inner = true
	return c.run(g, inputs, false)
}

// run drops values that nobody will read again, unless the graph may run several times.
func (c *Call) run(g *Graph, inputs []*Tensor, once bool) ([]*Tensor, error) {
	if len(inputs) != len(g.Inputs) {
		return nil, fmt.Errorf("graph %s has %d inputs, not %d", g.Name, len(g.Inputs), len(inputs))
	}
	for i, v := range g.Inputs {
		if inputs[i].Type != v.Type && v.Type != tir.Invalid { // those of graphs in attributes need not say it
			return nil, fmt.Errorf("input %s: its type is %s, not %s", v.Name, v.Type, inputs[i].Type)
		}
		c.env[v] = inputs[i]
		if v.Narrow != inputs[i].Narrow {
			x := *inputs[i]
			x.Narrow = v.Narrow
			c.env[v] = &x
		}
	}
	last := map[*Value]int{} // node that reads it last
	for i, n := range g.Nodes {
		for _, v := range n.Reads() {
			last[v] = i
		}
	}
	for _, v := range g.Outputs {
		delete(last, v)
	}
	for i, n := range g.Nodes {
		if err := c.Context.Err(); err != nil {
			return nil, err
		}
		if err := c.node(n); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Label(), err)
		}
		for _, v := range n.Reads() {
			if once && last[v] == i && v.Const == nil {
				if _, read := last[v]; read {
					delete(c.env, v)
				}
			}
		}
	}
	out := make([]*Tensor, len(g.Outputs))
	for i, v := range g.Outputs {
		var err error
		if out[i], err = c.value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Call) value(v *Value) (*Tensor, error) {
	if v == nil {
		return nil, nil
	}
	if t, ok := c.env[v]; ok {
		return t, nil
	}
	if v.Const != nil {
		if !c.inner {
			return c.spare.tensor(v.Const), nil
		}
		t := v.Const.Tensor() // converted once; all weights as float64 would fill the memory
		c.env[v] = t
		return t, nil
	}
	return nil, fmt.Errorf("value %s is read before it is computed", v.Name)
}

func (c *Call) node(n *Node) error {
	f, err := c.e.Lookup(n)
	if err != nil {
		return err
	}
	in := make([]*Tensor, len(n.Inputs))
	for i, v := range n.Inputs {
		if in[i], err = c.value(v); err != nil {
			return err
		}
	}
	out, err := f(c, n, in)
	if err != nil {
		return err
	}
	if len(out) < len(n.Outputs) {
		return fmt.Errorf("BUG: %d outputs computed of %d", len(out), len(n.Outputs))
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		if out[i] == nil {
			return fmt.Errorf("output %d is not supported", i)
		}
		if n := len(out[i].F) + len(out[i].I); n != out[i].Len() {
			return fmt.Errorf("BUG: output %d: %d elements of shape %v", i, n, out[i].Shape)
		}
		if c.e.Round && out[i].Type.IsFloat() {
			out[i] = out[i].rounded(c.e.Fewer)
		}
		c.env[v] = out[i]
		if v.Extents != nil && !slices.Contains(n.Outputs, v.Extents) {
			c.env[v.Extents] = Ints(out[i].Shape...)
		}
	}
	if c.e.Observe != nil {
		c.e.Observe(n, in, out)
	} else if !c.inner {
		c.spare.take(out)
	}
	return nil
}

// rounded returns floats rounded to their type, float32 and float64 numbers to so many bits fewer than they have.
func (t *Tensor) rounded(fewer int) *Tensor {
	r := *t
	r.F = make([]float64, len(t.F))
	for i, v := range t.F {
		r.F[i] = tir.Rounded(t.Type, v)
	}
	bits := map[tir.DType]int{tir.F32: 24, tir.F64: 53}[t.Type] - fewer
	if fewer == 0 || bits <= 0 {
		return &r
	}
	for i, v := range r.F {
		fraction, exponent := math.Frexp(v)
		r.F[i] = math.Ldexp(math.RoundToEven(math.Ldexp(fraction, bits)), exponent-bits)
	}
	return &r
}

// ErrUnsupported marks an operator, or a use of one, that wmtune does not support.
var ErrUnsupported = errors.New("not supported")

// Label names a node in messages: its operator, and its name or that of its first output.
func (n *Node) Label() string {
	name := n.Name
	if name == "" {
		for _, v := range n.Outputs {
			if v != nil {
				name = "that makes " + v.Name
				break
			}
		}
	}
	return "node " + n.Op + " " + name
}

// NewCall returns what an EvalFunc needs that is called on its own.
func NewCall(ctx context.Context, e *Evaluator) *Call {
	return &Call{Context: ctx, e: e, env: map[*Value]*Tensor{}}
}
