package padded

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// read returns what stands for a value that a node reads. A constant that is another one at other extents is computed
// from the vector of extents, unless the one of the bounds begins with it.
func (r *rewriter) read(v *graph.Value) (*graph.Value, error) {
	for r.now[v] != nil {
		v = r.now[v]
	}
	if f := r.rows[v]; f != nil && !f.wide {
		if slices.Contains(r.g.Inputs, v) {
			return r.spread(v), nil
		}
		r.now[v] = r.unpacked(v, f)
		return r.now[v], nil
	}
	if r.layouts[v] != nil {
		return v, nil
	}
	if v.Const == nil {
		return nil, fmt.Errorf("BUG: padded: nothing is known of %s", v)
	}
	begins, err := r.begins(v)
	if err != nil {
		return nil, err
	}
	if begins {
		r.layouts[v], err = r.layoutBySamples(v, nil)
		return v, err
	}
	w, err := r.computed(v)
	if err == nil {
		r.now[v] = w
	}
	return w, err
}

// begins reports whether a constant has, at each sample, the elements of the one of the bounds that are true there.
func (r *rewriter) begins(v *graph.Value) (bool, error) {
	var whole *graph.Tensor
	for _, s := range r.samples[1:] {
		w := s.values[v.Name]
		if w == nil || w == v || w.Const == v.Const {
			continue // not of the file: the same at all samples
		}
		if w.Const == nil {
			return false, fmt.Errorf("%s is constant at the upper bounds only", v)
		}
		if len(w.Shape) != len(v.Shape) {
			return false, fmt.Errorf("%s has another number of dimensions at other extents", v)
		}
		for i, n := range w.Shape {
			if n > v.Shape[i] {
				return false, fmt.Errorf("%s is larger at smaller extents", v)
			}
		}
		if slices.Equal(w.Shape, v.Shape) && slices.Equal(w.Const.Data, v.Const.Data) {
			continue
		}
		if whole == nil {
			whole = v.Const.Tensor()
		}
		got := array.View(whole, w.Shape, 0, array.Strides(v.Shape))
		want := w.Const.Tensor()
		for i := range want.Len() {
			if x, y := got.At(i), want.At(i); x != y && (x == x || y == y) {
				return false, nil
			}
		}
	}
	return true, nil
}

// layoutBySamples finds the extents of the axes of a value by its shapes at the samples. Axes that hints has are taken.
func (r *rewriter) layoutBySamples(v *graph.Value, hints layout) (layout, error) {
	l := make(layout, len(v.Shape))
	for i := range v.Shape {
		if hints != nil && hints[i] != nil {
			l[i] = hints[i]
			continue
		}
		at := r.extentsOf(v, i)
		x := r.space.find(at)
		if x == nil {
			return nil, fmt.Errorf("the extent of axis %d of %s does not follow from the dimensions by a formula that wmtune "+
				"knows: it is %v", i, v, at)
		}
		l[i] = []*extentOf{x}
	}
	return l, nil
}

// extentsOf returns the extents of an axis of a value at the samples.
func (r *rewriter) extentsOf(v *graph.Value, axis int) []int64 {
	at := make([]int64, len(r.samples))
	for k, s := range r.samples {
		at[k] = v.Shape[axis]
		if w := s.values[v.Name]; w != nil && axis < len(w.Shape) {
			at[k] = w.Shape[axis]
		}
	}
	return at
}

// mostComputed is how many elements a constant has that is computed from the extents one by one.
const mostComputed = 64

// computed returns what computes a constant from the extents: by a formula for each element, or as the file does.
func (r *rewriter) computed(v *graph.Value) (*graph.Value, error) {
	like := &graph.Node{Outputs: []*graph.Value{v}}
	if list := r.numbers(v); list != nil {
		if w := r.entriesOf(like, list, v.Shape); w != nil {
			return r.cast(like, w, v.Type), nil
		}
	}
	n := r.by[v.Name]
	if n == nil || len(n.Outputs) != 1 {
		return nil, fmt.Errorf("%s follows from extents in a way that is %w", v, graph.ErrUnsupported)
	}
	k := *n
	k.Inputs = slices.Clone(n.Inputs)
	k.Outputs = []*graph.Value{{Name: v.Name, Type: v.Type, Shape: v.Shape, Ranked: true}}
	if n.Op == "Range" && n.Domain == "" {
		return r.counting(&k)
	}
	if n.Op == "Shape" || n.Op == "ConstantOfShape" || len(n.Inputs) == 0 {
		return nil, fmt.Errorf("%s follows from extents in a way that is %w", v, graph.ErrUnsupported)
	}
	if err := r.visit(&k, 0); err != nil {
		return nil, err
	}
	w := k.Outputs[0]
	for r.now[w] != nil {
		w = r.now[w]
	}
	return w, nil
}

// numbers returns the elements of a constant of a few integers at the samples, or nil if it is another one.
func (r *rewriter) numbers(v *graph.Value) [][]int64 {
	if v.Elems() > mostComputed || !v.Type.IsInt() {
		return nil
	}
	list := make([][]int64, v.Elems())
	for _, s := range r.samples {
		w := s.values[v.Name]
		if w == nil {
			w = v
		}
		if w.Const == nil || w.Elems() != v.Elems() {
			return nil
		}
		for i, x := range w.Const.Tensor().I {
			list[i] = append(list[i], x)
		}
	}
	return list
}

// entriesOf returns a tensor of int64 whose elements are extents, or nil if there is no formula for one.
func (r *rewriter) entriesOf(like *graph.Node, list [][]int64, shape []int64) *graph.Value {
	at := graph.NewTensor(tir.I64, shape...)
	for i, numbers := range list {
		x := r.space.find(numbers)
		if x == nil {
			return nil
		}
		at.I[i] = int64(r.space.entry(x))
	}
	return r.apply(like, "wmtune.Gather", nil, []*graph.Value{r.entries, r.constant(at)}, graph.IntAttr("axis", 0))
}

// entry returns an extent as a tensor of one element, of rank 0 or more.
func (r *rewriter) entry(like *graph.Node, x *extentOf, shape ...int64) *graph.Value {
	return r.entriesOf(like, [][]int64{x.at}, shape)
}

func (r *rewriter) cast(like *graph.Node, v *graph.Value, t tir.DType) *graph.Value {
	if v.Type == t {
		return v
	}
	return r.apply(like, "Cast", r.layouts[v], []*graph.Value{v}, graph.IntAttr("to", op.ElementNumber(t)))
}

// counting returns a Range whose start or step follows from extents.
func (r *rewriter) counting(n *graph.Node) (*graph.Value, error) {
	start, err := r.read(n.Inputs[0])
	if err != nil {
		return nil, err
	}
	step, err := r.read(n.Inputs[2])
	if err != nil {
		return nil, err
	}
	l, err := r.layoutBySamples(n.Outputs[0], nil)
	if err != nil {
		return nil, err
	}
	count := graph.NewTensor(n.Outputs[0].Type, n.Outputs[0].Shape...)
	for i := range count.Len() {
		if count.F != nil {
			count.F[i] = float64(i)
		} else {
			count.I[i] = int64(i)
		}
	}
	v := r.apply(n, "Mul", l, []*graph.Value{r.constant(count), step})
	return r.apply(n, "Add", l, []*graph.Value{v, start}), nil
}
