package padded

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// A State is an input that a program keeps from run to run: rows along an axis, whose extent is that of a dimension.
// What the program makes of it is an output: the same rows with more behind them, which is the input of the next run.
type State struct{ Input, Output string }

// A Kept is a state in the new graph. In has the shape of Out, whose memory it may be: the rows beyond the true extent
// may be anything.
type Kept struct {
	In, Out *graph.Value
	Axis    int

	name     string  // of the output
	before   []int64 // shape of the input at the bounds
	appended bool
}

// A Growth says by how much the extent of the axis grows in a run: by the extent of a dimension, or by a number.
type Growth struct {
	Dim int // -1: By
	By  int64
}

// findStates finds the states by name, and the dimension that is the extent of all of them before a run.
func (r *rewriter) findStates(list []State) error {
	for _, s := range list {
		i := slices.IndexFunc(r.g.Inputs, func(v *graph.Value) bool { return v.Name == s.Input })
		o := slices.IndexFunc(r.g.Outputs, func(v *graph.Value) bool { return v.Name == s.Output })
		if i < 0 || o < 0 {
			return fmt.Errorf("state %s=%s: the model has no such output and input", s.Output, s.Input)
		}
		in, out := r.g.Inputs[i], r.g.Outputs[o]
		axis, err := r.growingAxis(in, out)
		if err != nil {
			return fmt.Errorf("state %s=%s: %w", s.Output, s.Input, err)
		}
		r.states[in] = &Kept{In: in, Out: out, Axis: axis, name: out.Name, before: in.Shape}
		r.kept = append(r.kept, r.states[in])
	}
	return nil
}

// growingAxis finds the axis along which an output has more rows than the input, and by how much it grows.
func (r *rewriter) growingAxis(in, out *graph.Value) (int, error) {
	if in.Type != out.Type || len(in.Shape) != len(out.Shape) {
		return 0, fmt.Errorf("the input is %s and the output %s: a state has one type and one number of dimensions", in, out)
	}
	axis := -1
	for a := range in.Shape {
		before, after := r.extentsOf(in, a), r.extentsOf(out, a)
		if slices.Equal(before, after) {
			if !constant(before) {
				return 0, fmt.Errorf("axis %d has open extents beside the one that grows: give it one extent by --dim", a)
			}
			continue
		}
		if axis >= 0 {
			return 0, fmt.Errorf("both axis %d and axis %d of the output have other extents than in the input", axis, a)
		}
		axis = a
		d := r.dimension(before)
		x, ok := r.growth(before, after)
		switch {
		case d < 0 || a == 0 || r.dims[d].Step != 1:
			return 0, fmt.Errorf("the extent of axis %d is no dimension of its own behind another axis", a)
		case !ok:
			return 0, fmt.Errorf("axis %d grows by neither a number nor a dimension", a)
		case len(r.kept) > 0 && (r.length != d || x != r.grows):
			return 0, fmt.Errorf("axis %d has another length, or grows otherwise, than that of %s: all states grow together", a,
				r.kept[0].In)
		}
		r.length, r.grows = d, x
	}
	if axis < 0 {
		return 0, fmt.Errorf("no axis of the output is longer than that of the input: there is nothing that grows")
	}
	return axis, nil
}

// dimension finds the dimension that extents are, or returns -1.
func (r *rewriter) dimension(at []int64) int {
	return slices.IndexFunc(r.space.list[:len(r.dims)], func(x *extentOf) bool { return slices.Equal(x.at, at) })
}

// growth finds by what extents are more than others at all samples.
func (r *rewriter) growth(before, after []int64) (Growth, bool) {
	more := slices.Clone(after)
	for k := range more {
		more[k] -= before[k]
	}
	if constant(more) {
		return Growth{-1, more[0]}, more[0] > 0
	}
	d := r.dimension(more)
	return Growth{Dim: d}, d >= 0
}

// keepState has the input of a state be the memory that its output has.
func (r *rewriter) keepState(v *graph.Value) error {
	s := r.states[v]
	var err error
	if r.layouts[v], err = r.layoutBySamples(s.Out, nil); err != nil {
		return err
	}
	v.Shape = slices.Clone(s.Out.Shape)
	v.DimNames = nil
	return nil
}

// copiesState has a node read states where it reads copies of them, and reports whether it makes nothing but such a
// copy: exporters write an Identity, or a Concat of one input.
func (r *rewriter) copiesState(n *graph.Node) bool {
	for i, v := range n.Inputs {
		if s := r.copies[v]; s != nil {
			n.Inputs[i] = s
		}
	}
	if n.Domain != "" || len(n.Inputs) != 1 || n.Op != "Identity" && n.Op != "Concat" ||
		r.states[n.Inputs[0]] == nil || slices.Contains(r.g.Outputs, n.Outputs[0]) {
		return false
	}
	r.copies[n.Outputs[0]] = n.Inputs[0]
	return true
}

// appended writes the rows of a Concat behind those of a state: true rows, and others that the next run writes over.
func (r *rewriter) appended(n *graph.Node, s *Kept) error {
	if len(n.Inputs) != 2 || r.axisOf(n, 0, len(s.Out.Shape)) != s.Axis || n.Outputs[0] != s.Out {
		return r.refuse(n, "it reads state %s, and puts no rows behind it", s.In)
	}
	l := r.layouts[s.In]
	more := r.layouts[n.Inputs[1]]
	for a := range more {
		if a != s.Axis && varies(more[a]) {
			return r.refuse(n, elsewhere)
		}
	}
	batch := s.Out.Shape[0]
	at := r.entry(n, r.space.list[r.length], 1)
	if batch > 1 {
		at = r.apply(n, "Expand", nil, []*graph.Value{at, r.constant(graph.Ints(batch))})
	}
	k := &graph.Node{Op: "TensorScatter", Version: 24, Inputs: []*graph.Value{s.In, n.Inputs[1], at}}
	k.SetAttr(graph.IntAttr("axis", int64(s.Axis)))
	y := r.applied(n, k, l)
	y.Name, s.Out, s.appended = s.name, y, true // what was called so is gone
	return r.becomes(n, y)
}

// shrinkStates has the states among the inputs of a node be as long as they are before a run: what it decomposes into
// follows from that. It returns what undoes it.
func (r *rewriter) shrinkStates(n *graph.Node) func() {
	var undo []func()
	for _, v := range n.Reads() {
		if s := r.states[v]; s != nil {
			within := v.Shape
			v.Shape = s.before
			undo = append(undo, func() { v.Shape = within })
		}
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// stateBecomes has a value be what a state is after a run, which was another value.
func (r *rewriter) stateBecomes(old, now *graph.Value) {
	for _, s := range r.kept {
		if s.Out == old {
			s.Out = now
		}
	}
}

// isState reports whether a value is a state after a run.
func (r *rewriter) isState(v *graph.Value) bool {
	return slices.ContainsFunc(r.kept, func(s *Kept) bool { return s.Out == v })
}

// checkStates makes sure that the outputs are the memory of the states, which nothing else reads as it was before.
func (r *rewriter) checkStates() error {
	for _, s := range r.kept {
		if !s.appended || !slices.Contains(r.g.Outputs, s.Out) {
			return fmt.Errorf("state %s: its output is %w as a state: wmtune knows those that a Concat makes of the input and "+
				"new rows", s.In, graph.ErrUnsupported)
		}
	}
	return nil
}
