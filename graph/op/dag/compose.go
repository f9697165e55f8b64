// Package dag makes programs of nodes by their rows: one compute DAG of several nodes (Compose), and one TensorIR
// function of a node that needs an operand as a constant and gets it at run time (Claimed).
package dag

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Piece is what several nodes compute, as one compute DAG.
type Piece struct {
	DAG     *compute.DAG
	Inputs  []*graph.Value // of the DAG's inputs, in order
	Outputs []*graph.Value // of the DAG's results, in order
}

// Compose returns what nodes compute, which stand in order and whose rows have bodies, as one DAG whose results are
// outputs. Values that no node of the list makes are its inputs. Stages that only move elements are read through: who
// reads them reads what they read.
//
//	t(i, j) = x[j, i]
//	y(i, j) = sum(k) t[i, k]*w[k, j]    =>    y(i, j) = sum(k) x[k, i]*w[k, j]
//
// Names follow from the order of nodes and inputs alone, so that equal pieces have equal texts.
func Compose(nodes []*graph.Node, outputs []*graph.Value) (*Piece, error) {
	c := composer{b: compute.NewBuilder(), tensors: map[*graph.Value]compute.Tensor{}, names: map[string]int{}}
	for _, n := range nodes {
		if r, err := op.Find(n); err == nil && (r.Body == nil || r.Form(n) != op.FormBody) {
			return nil, fmt.Errorf("BUG: %s has no body", n.Label())
		}
		if err := c.node(n, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Label(), err)
		}
	}
	results := make([]compute.Tensor, len(outputs))
	for i, v := range outputs {
		t, ok := c.tensors[v]
		if !ok {
			return nil, fmt.Errorf("BUG: nothing in the group makes %s", v.Name)
		}
		results[i] = t
	}
	d, err := c.b.BuildNeeded(results...)
	if err != nil {
		return nil, err
	}
	if d, err = c.finish(d); err != nil {
		return nil, err
	}
	p := &Piece{DAG: d, Outputs: outputs}
	for _, b := range d.Inputs() {
		p.Inputs = append(p.Inputs, c.values[b.Name])
	}
	return p, nil
}

type composer struct {
	b       *compute.Builder
	tensors map[*graph.Value]compute.Tensor
	values  map[string]*graph.Value // of placeholders, by name
	names   map[string]int
}

// node adds what a node computes, by body or else by its row's Body or Decompose.
func (c *composer) node(n *graph.Node, body func(b *op.Body) error) error {
	r, err := op.Find(n)
	if err != nil {
		return err
	}
	if body == nil {
		body = r.Body
	}
	if body == nil {
		return c.decomposed(n)
	}
	b := &op.Body{Builder: c.b, Node: n, Tensor: c.tensor, Unique: c.unique}
	if err := body(b); err != nil {
		return err
	}
	for _, v := range n.Inputs { // what reads one that has no elements would have no axes
		if _, read := c.tensors[v]; v != nil && read && v.Elems() == 0 {
			return op.Unsupported("operand %s, which has no elements,", v)
		}
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		if i >= len(b.Outputs()) {
			return op.Unsupported("output %d", i)
		}
		c.tensors[v] = b.Outputs()[i]
	}
	return nil
}

// decomposed adds what the nodes compute that take the place of one.
func (c *composer) decomposed(n *graph.Node) error {
	nodes, outputs, err := op.Decompose(n)
	if err != nil {
		return err
	}
	for _, k := range nodes {
		if err := c.node(k, nil); err != nil {
			return err
		}
	}
	for i, v := range n.Outputs {
		if v != nil {
			c.tensors[v] = c.tensor(outputs[i])
		}
	}
	return nil
}

func (c *composer) tensor(v *graph.Value) compute.Tensor {
	t, ok := c.tensors[v]
	if !ok {
		if c.values == nil {
			c.values = map[string]*graph.Value{}
		}
		name := fmt.Sprintf("p%d", len(c.values))
		t = c.b.Placeholder(name, v.Type, v.Shape...)
		c.tensors[v], c.values[name] = t, v
	}
	return t
}

// unique makes a stage's name of an operator's.
func (c *composer) unique(name string) string {
	name = strings.ToLower(name)
	c.names[name]++
	if n := c.names[name]; n > 1 {
		return fmt.Sprintf("%s_%d", name, n)
	}
	return name
}

// finish reads through stages that only move elements, says of which inputs the layout may be chosen, joins stages, and
// numbers them as TVM does.
func (c *composer) finish(d *compute.DAG) (*compute.DAG, error) {
	moved := map[*tir.Buffer]*compute.Op{}
	var ops []*compute.Op
	for _, op := range d.Ops {
		op = c.through(op, moved)
		if moves(op) && !slices.Contains(d.Results(), op.Results[0]) {
			moved[op.Results[0]] = op
			continue
		}
		ops = append(ops, op)
	}
	ops, added := c.apart(ops)
	tensors, ops := needed(slices.Insert(slices.Clone(d.Tensors), len(d.Tensors)-d.Outputs, added...), d.Outputs, ops)
	d, err := compute.FromOps(tensors, d.Outputs, ops)
	if err != nil {
		return nil, err
	}
	if d, err = c.join(d); err != nil {
		return nil, err
	}
	if d, err = arrange(d); err != nil {
		return nil, err
	}
	return compute.Parse(d.Text())
}

// needed returns those of all tensors, the last of which are outputs, that ops still read or make, and those of ops
// that these need: what chose an element of a broadcast tensor is no longer read.
func needed(all []*tir.Buffer, outputs int, ops []*compute.Op) (tensors []*tir.Buffer, kept []*compute.Op) {
	read := map[*tir.Buffer]bool{}
	for _, b := range all[len(all)-outputs:] {
		read[b] = true
	}
	for _, op := range slices.Backward(ops) {
		if !slices.ContainsFunc(op.Results, func(b *tir.Buffer) bool { return read[b] }) {
			continue
		}
		kept = append(kept, op)
		for _, b := range op.Reads() {
			read[b] = true
		}
	}
	slices.Reverse(kept)
	for _, b := range all {
		if read[b] {
			tensors = append(tensors, b)
		}
	}
	return tensors, kept
}

// moves reports whether each element of op's result is one element of what it reads.
func moves(op *compute.Op) bool {
	if op.IsPlaceholder() || len(op.ReduceAxes) > 0 || len(op.Results) != 1 {
		return false
	}
	l, ok := op.Body[0].(*tir.Load)
	if !ok {
		return false
	}
	for _, e := range l.Index {
		if tir.Reads(e) {
			return false
		}
	}
	return true
}

// through returns op reading what stages that only move elements read.
func (c *composer) through(op *compute.Op, moved map[*tir.Buffer]*compute.Op) *compute.Op {
	if op.IsPlaceholder() {
		return op
	}
	k := *op
	k.Body = nil
	for _, e := range op.Body {
		k.Body = append(k.Body, tir.SubstituteLoads(e, func(l *tir.Load) tir.Expr {
			from := moved[l.Buffer]
			if from == nil {
				return l
			}
			at := map[*tir.Var]tir.Expr{}
			for i, a := range from.Axes {
				at[a.Var] = l.Index[i]
			}
			return simplified(tir.Substitute(from.Body[0], at), slices.Concat(op.Axes, op.ReduceAxes))
		}))
	}
	k.Attrs.LayoutFree = nil
	reads := k.Reads()
	for _, b := range op.Attrs.LayoutFree {
		if v := c.values[b.Name]; v != nil && v.Const != nil && slices.Contains(reads, b) {
			k.Attrs.LayoutFree = append(k.Attrs.LayoutFree, b)
		}
	}
	return &k
}

// Elementwise reports whether each element of output 0 of n follows from the elements at the same place of its inputs,
// with inputs broadcast, and the shape from theirs. Nodes without a body are not.
func Elementwise(n *graph.Node) bool {
	r, err := op.Find(n)
	if err != nil || r.Body == nil || r.Class != op.Injective || r.Form(n) != op.FormBody || len(n.Outputs) != 1 ||
		!n.Outputs[0].Known() {
		return false
	}
	p, err := Compose([]*graph.Node{n}, n.Outputs)
	if err != nil || p.DAG.Outputs != 1 {
		return false
	}
	for _, v := range n.Inputs { // one that is not read may decide the shape
		scale := n.Op == "QuantizeLinear" || n.Op == "DequantizeLinear" // and the zero point have types of their own
		if v != nil && !slices.Contains(p.Inputs, v) && (v.Const == nil || v.Elems() != 1 ||
			v.Type != n.Inputs[0].Type && !scale) {
			return false
		}
	}
	for _, op := range p.DAG.Ops {
		if op.IsPlaceholder() {
			continue
		}
		if op.Results[0] != p.DAG.Results()[0] || len(op.ReduceAxes) > 0 {
			return false
		}
		for _, e := range op.Body {
			if !readsInPlace(e, op.Axes) && !extent.IsMask(n) {
				return false
			}
		}
	}
	return true
}

// Pointwise reports whether n, of one output, is elementwise whatever the shapes of its operands are, as long as they
// broadcast: it may then work on operands that were reshaped or transposed alike. A Slice that leaves nothing out is
// elementwise and not pointwise, and so is a BatchNormalization whose channels happen to be the last dimension.
func Pointwise(n *graph.Node) bool {
	return Elementwise(n) && !extent.IsMask(n) && pointwiseFor(n) && pointwiseFor(n, 4) && pointwiseFor(n, 2, 3, 5)
}

// pointwiseFor reports whether n would be elementwise if its operands of several elements had a shape.
func pointwiseFor(n *graph.Node, shape ...int64) bool {
	k := &graph.Node{Op: n.Op, Domain: n.Domain, Version: n.Version, Attrs: n.Attrs,
		Outputs: []*graph.Value{{Name: "probe"}}}
	for _, v := range n.Inputs {
		if v != nil && v.Elems() != 1 {
			v = &graph.Value{Name: v.Name, Type: v.Type, Shape: shape, Ranked: true}
		}
		k.Inputs = append(k.Inputs, v)
	}
	folded, err := op.InferNode(context.Background(), k)
	same := err == nil && (slices.Equal(k.Outputs[0].Shape, shape) || len(shape) == 0 && k.Outputs[0].Elems() == 1)
	return same && !folded && Elementwise(k)
}

// readsInPlace reports whether e reads elements at the axes, and tables at what it reads there.
func readsInPlace(e tir.Expr, axes []*compute.Axis) bool {
	in := true
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Load:
			if place := tir.TablePlace(e); place != nil {
				in = in && readsInPlace(place, axes)
				return false
			}
			if in = in && len(e.Index) <= len(axes); !in {
				return false
			}
			for d, at := range e.Index {
				a := axes[len(axes)-len(e.Index)+d]
				v, isVar := at.(*tir.Var)
				c, isConst := at.(*tir.IntImm)
				if !(isVar && v == a.Var || isConst && c.Value == 0 && e.Buffer.Shape[d] == 1) {
					in = false
				}
			}
			return false
		case *tir.Var:
			in = false // the value depends on the place
		}
		return in
	})
	return in
}
