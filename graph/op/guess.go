package op

import (
	"errors"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// guess finds the type of an output whose shape depends on an operand that is not constant, from what the file
// declares of values behind it: where nodes make a value of it whose shape is declared, and would if it had that
// shape, it has.
//
//	a = ReduceSum(x, axes); y = Log(a), and y is declared as float32[3, 1]    =>    a: float32[3, 1]
//
// A wrong guess does no harm: programs check such operands at run time.
func (f *inferrer) guess(n *graph.Node, open *OpenError) bool {
	if !slices.Contains(f.current.Nodes, n) || len(n.Outputs) != 1 || n.Outputs[0] == nil {
		return false
	}
	v := n.Outputs[0]
	made := typesOf(n, open)
	if made == nil {
		return false
	}
	t := made[0].DType
	if f.readers == nil {
		f.readers = f.current.Readers()
	}
	last, shape := f.declaredBehind(v, map[*graph.Value]bool{})
	if last == nil || !f.leads(n, Type{DType: t, Shape: shape}, last) {
		return false
	}
	v.Type, v.Shape, v.Ranked, v.DimNames = t, slices.Clone(shape), true, nil
	return true
}

// mostListed is the number of elements of the longest operand that typesOf tries: there are few dimensions.
const mostListed = 1 << 10

// typesOf returns types that the outputs of a node may have, for some elements of the operands that decide its shapes;
// nil if none were found.
func typesOf(n *graph.Node, open *OpenError) []Type {
	r, err := Find(n)
	if err != nil {
		return nil
	}
	for _, number := range []float64{0, 1} {
		k, at := *n, open
		k.Inputs = slices.Clone(n.Inputs)
		for range n.Inputs {
			v := *k.Inputs[at.Input]
			if v.Elems() > mostListed {
				return nil
			}
			x := graph.NewTensor(v.Type, v.Shape...)
			for i := range x.F {
				x.F[i] = number
			}
			for i := range x.I {
				x.I[i] = int64(number)
			}
			v.Const = x.Const()
			k.Inputs[at.Input] = &v
			types, err := r.Types(&k)
			if err == nil {
				return types
			}
			if !errors.As(err, &at) {
				break
			}
		}
	}
	return nil
}

// declaredBehind returns a value that follows from v by nodes of one output, whose shape is declared, and that shape.
func (f *inferrer) declaredBehind(v *graph.Value, seen map[*graph.Value]bool) (*graph.Value, []int64) {
	for _, n := range f.readers[v] {
		if len(n.Outputs) != 1 || n.Outputs[0] == nil || seen[n.Outputs[0]] {
			continue
		}
		w := n.Outputs[0]
		seen[w] = true
		if w.Ranked && !slices.Contains(w.Shape, graph.Open) {
			return w, w.Shape
		}
		if last, shape := f.declaredBehind(w, seen); last != nil {
			return last, shape
		}
	}
	return nil, nil
}

// leads reports whether the nodes behind n make a value of t's shape of last if the output of n is of type t.
func (f *inferrer) leads(n *graph.Node, t Type, last *graph.Value) bool {
	shape := last.Shape
	value := func(v *graph.Value, t Type) *graph.Value {
		return &graph.Value{Name: v.Name, Type: t.DType, Shape: t.Shape, Ranked: true}
	}
	types := map[*graph.Value]*graph.Value{n.Outputs[0]: value(n.Outputs[0], t)}
	nodes := f.current.Nodes
	for _, k := range nodes[slices.Index(nodes, n)+1:] {
		r, err := Find(k)
		if err != nil || r.Enter != nil {
			continue
		}
		c, known := *k, true
		c.Inputs = slices.Clone(k.Inputs)
		for i, v := range c.Inputs {
			switch w := types[v]; {
			case v == nil:
			case w != nil:
				c.Inputs[i] = w
			default:
				known = known && v.Known()
			}
		}
		if !known {
			continue
		}
		made, err := r.Types(&c)
		if err != nil || len(made) < len(k.Outputs) {
			continue
		}
		for i, v := range k.Outputs {
			if v != nil {
				types[v] = value(v, made[i])
			}
		}
		if w := types[last]; w != nil {
			return slices.Equal(w.Shape, shape)
		}
	}
	return false
}
