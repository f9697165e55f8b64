package padded

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
)

// regrouped divides the extents of the operand among the axes of the result, in order.
func regrouped(r *rewriter, n *graph.Node) error {
	l, from, ok := r.regroup(r.layouts[n.Inputs[0]], n.Outputs[0])
	if !ok {
		return r.refuse(n, "no axis of %s is a product of extents of %s", n.Outputs[0], n.Inputs[0])
	}
	if c := r.claims[n.Inputs[0]]; from != nil {
		r.claims[n.Outputs[0]] = c.moved(from)
	}
	return r.keep(n, l)
}

// regroup also returns of which axis each new one is, -1 if of none, or nil if axes that vary were joined or divided.
func (r *rewriter) regroup(in layout, y *graph.Value) (layout, []int, bool) {
	s := r.space
	var rest [][]int64 // what is left of the operand's extents
	var axes []int
	for a, axis := range in {
		for _, x := range axis {
			if !(x.fixed() && x.at[0] == 1) {
				rest, axes = append(rest, slices.Clone(x.at)), append(axes, a)
			}
		}
	}
	l, from, same := make(layout, len(y.Shape)), make([]int, len(y.Shape)), true
	for i := range y.Shape {
		want, list := r.extentsOf(y, i), []*extentOf(nil)
		from[i] = -1
		for !constant(want) || want[0] != 1 {
			if len(rest) == 0 {
				return nil, nil, false
			}
			part := slices.Clone(rest[0])
			if more, ok := divided(part, want); ok { // the operand's extent is more
				part, rest[0] = slices.Clone(want), more
			} else if _, ok := divided(want, part); !ok {
				return nil, nil, false
			} else {
				rest[0] = slices.Repeat([]int64{1}, len(part))
			}
			want, _ = divided(want, part)
			x := s.find(part)
			if x == nil {
				return nil, nil, false
			}
			list = append(list, x)
			from[i] = axes[0]
			if constant(rest[0]) && rest[0][0] == 1 {
				rest, axes = rest[1:], axes[1:]
			}
		}
		l[i] = s.joined(list)
		same = same && (!varies(l[i]) || from[i] >= 0 && alike(l[i], in[from[i]]))
	}
	if !same {
		from = nil
	}
	return l, from, len(rest) == 0
}

// divided returns the quotients of numbers if all of them are whole.
func divided(x, by []int64) ([]int64, bool) {
	q := make([]int64, len(x))
	for k := range x {
		if by[k] == 0 || x[k]%by[k] != 0 {
			return nil, false
		}
		q[k] = x[k] / by[k]
	}
	return q, true
}

func transposed(r *rewriter, n *graph.Node) error {
	in := r.layouts[n.Inputs[0]]
	l, from := make(layout, len(in)), make([]int, len(in))
	for i := range in {
		from[i] = len(in) - 1 - i
		if p := n.Ints("perm"); p != nil {
			from[i] = int(p[i])
		}
		l[i] = in[from[i]]
	}
	r.claims[n.Outputs[0]] = r.claims[n.Inputs[0]].moved(from)
	return r.keep(n, l)
}

func expanded(r *rewriter, n *graph.Node) error {
	hints := make(layout, len(n.Outputs[0].Shape))
	for i, axis := range r.layouts[n.Inputs[0]] {
		if !one(axis) {
			hints[len(hints)-len(r.layouts[n.Inputs[0]])+i] = axis
		}
	}
	return r.hinted(n, hints)
}

// hinted keeps a node whose result has extents of samples where hints has none.
func (r *rewriter) hinted(n *graph.Node, hints layout) error {
	l, err := r.layoutBySamples(n.Outputs[0], hints)
	if err != nil {
		return r.refuse(n, "%s", err)
	}
	return r.keep(n, l)
}

// tiled has copies of an axis one after the other, each as long as the bound.
func tiled(r *rewriter, n *graph.Node) error {
	l := slices.Clone(r.layouts[n.Inputs[0]])
	for i, axis := range l {
		total := r.space.total(axis)
		times, ok := divided(r.extentsOf(n.Outputs[0], i), total.at)
		var x *extentOf
		if ok {
			x = r.space.find(times)
		}
		if x == nil {
			return r.refuse(n, "how often it repeats axis %d follows from no formula", i)
		}
		l[i] = r.space.joined(append([]*extentOf{x}, axis...))
	}
	return r.keep(n, l)
}

func blocks(r *rewriter, n *graph.Node) error {
	if l := r.layouts[n.Inputs[0]]; len(l[1]) != 1 || len(l[2]) != 1 || len(l[3]) != 1 || varies(l[1]) {
		return r.refuse(n, elsewhere)
	}
	return r.hinted(n, layout{r.layouts[n.Inputs[0]][0], nil, nil, nil})
}

func triangle(r *rewriter, n *graph.Node) error {
	l := r.layouts[n.Inputs[0]]
	for _, axis := range l[len(l)-2:] {
		if len(axis) != 1 {
			return r.refuse(n, elsewhere)
		}
	}
	return r.keep(n, l)
}

// concat puts operands behind each other at their bounds. If one of them but the last has a true extent below its
// bound, the result is gathered from that.
func concat(r *rewriter, n *graph.Node) error {
	if s := r.states[n.Inputs[0]]; s != nil {
		return r.appended(n, s)
	}
	list := r.operands(n)
	at := r.axisOf(n, 0, len(list[0]))
	hints := slices.Clone(list[0])
	hints[at] = nil
	gap := false
	for i, l := range list {
		for a, axis := range l {
			if a != at && !alike(axis, hints[a]) {
				return r.refuse(n, elsewhere)
			}
		}
		if len(l[at]) != 1 && varies(l[at]) && len(list) > 1 {
			return r.refuse(n, elsewhere)
		}
		gap = gap || i < len(list)-1 && varies(l[at])
	}
	if len(list) == 1 {
		return r.keep(n, list[0])
	}
	l, err := r.layoutBySamples(n.Outputs[0], hints)
	if err != nil {
		return r.refuse(n, "%s", err)
	}
	if !gap {
		return r.keep(n, l)
	}
	y := n.Outputs[0]
	gaps := slices.Clone(l) // what is true lies in several places
	gaps[at] = []*extentOf{r.space.number(y.Shape[at])}
	wide := r.apply(n, "Concat", gaps, n.Inputs, graph.IntAttr("axis", int64(at)))
	iota := r.constant(graph.Ints(array.UpTo(y.Shape[at])...))
	index, sum := iota, r.space.number(0)
	for _, l := range list[:len(list)-1] {
		x := l[at][0]
		total := r.space.find(added(sum.at, x.at))
		if total == nil {
			return r.refuse(n, "the sum of its extents follows from no formula")
		}
		if sum = total; x.fixed() {
			continue
		}
		room := r.constant(graph.Ints(x.upper()))
		skip := r.apply(n, "Sub", nil, []*graph.Value{room, r.entry(n, x, 1)})
		past := r.apply(n, "Less", nil, []*graph.Value{iota, r.entry(n, sum, 1)})
		skip = r.apply(n, "Where", nil, []*graph.Value{past, r.constant(graph.Ints(0)), skip})
		index = r.apply(n, "Add", nil, []*graph.Value{index, skip})
	}
	return r.becomes(n, r.taken(n, wide, at, index, l))
}

func added(x, y []int64) []int64 {
	sum := slices.Clone(x)
	for k := range y {
		sum[k] += y[k]
	}
	return sum
}

// taken gathers along an axis by a vector of indices, which may be any number beyond the true extent.
func (r *rewriter) taken(n *graph.Node, x *graph.Value, at int, index *graph.Value, l layout) *graph.Value {
	index = r.apply(n, "Min", nil, []*graph.Value{index, r.constant(graph.Ints(x.Shape[at] - 1))})
	index = r.apply(n, "Max", nil, []*graph.Value{index, r.constant(graph.Ints(0))})
	return r.apply(n, "wmtune.Gather", l, []*graph.Value{x, index}, graph.IntAttr("axis", int64(at)))
}

// integersAt returns the integers of an attribute or a constant input at a sample. The node is found by what it makes.
func (r *rewriter) integersAt(k int, n *graph.Node, name string, i int) []int64 {
	s := r.samples[k]
	if v := n.Input(i); v != nil {
		if w := s.values[v.Name]; w != nil {
			v = w
		}
		if v.Const == nil {
			return nil
		}
		return v.Const.Tensor().I
	}
	return n.Ints(name)
}

// A span is what a Slice takes of an axis.
type span struct{ start, step []int64 }

// spans returns what a Slice takes of each axis at the samples, and false if that is data.
func (r *rewriter) spans(n *graph.Node) ([]span, bool) {
	x := n.Inputs[0]
	list := make([]span, len(x.Shape))
	for a := range list {
		list[a] = span{make([]int64, len(r.samples)), slices.Repeat([]int64{1}, len(r.samples))}
	}
	for k := range r.samples {
		input := func(i int) int {
			if n.Version < 10 {
				return len(n.Inputs)
			}
			return i
		}
		starts, axes, steps := r.integersAt(k, n, "starts", input(1)), r.integersAt(k, n, "axes", input(3)),
			r.integersAt(k, n, "steps", input(4))
		if starts == nil {
			return nil, false
		}
		for i, start := range starts {
			a := i
			if axes != nil {
				a, _ = array.Axis(axes[i], len(list))
			}
			if steps != nil {
				list[a].step[k] = steps[i]
			}
			size := r.space.total(r.layouts[x][a]).at[k]
			if start < 0 {
				start += size
			}
			last := size
			if list[a].step[k] < 0 {
				last--
			}
			list[a].start[k] = max(0, min(last, start))
		}
	}
	return list, true
}

// slice keeps a Slice that takes the same places everywhere, and gathers along axes where it counts from an end.
func slice(r *rewriter, n *graph.Node) error {
	in, x, y := r.layouts[n.Inputs[0]], n.Inputs[0], n.Outputs[0]
	list, ok := r.spans(n)
	if !ok {
		return r.refuse(n, "what it takes is known at run time only")
	}
	return r.sliced(n, x, y, in, list)
}

func (r *rewriter) sliced(n *graph.Node, x, y *graph.Value, in layout, list []span) error {
	hints := slices.Clone(in)
	var far []int // axes to gather along
	for a, s := range list {
		whole := constant(s.start) && s.start[0] == 0 && s.step[0] == 1 &&
			slices.Equal(r.extentsOf(y, a), r.space.total(in[a]).at)
		if whole {
			continue
		}
		hints[a] = nil
		if varies(in[a]) && len(in[a]) != 1 || !constant(s.step) {
			return r.refuse(n, elsewhere)
		}
		if !constant(s.start) || s.step[0] < 0 && varies(in[a]) {
			far = append(far, a)
		}
	}
	l, err := r.layoutBySamples(y, hints)
	if err != nil {
		return r.refuse(n, "%s", err)
	}
	now := slices.Clone(in)
	for _, a := range far {
		start := r.space.find(list[a].start)
		if start == nil {
			return r.refuse(n, "where it begins along axis %d follows from no formula", a)
		}
		steps := array.UpTo(y.Shape[a])
		for i := range steps {
			steps[i] *= list[a].step[0]
		}
		now[a] = l[a]
		index := r.apply(n, "Add", nil, []*graph.Value{r.constant(graph.Ints(steps...)), r.entry(n, start, 1)})
		x = r.taken(n, x, a, index, slices.Clone(now))
	}
	var axes, starts, ends, by []int64
	for a, s := range list {
		if hints[a] != nil || slices.Contains(far, a) {
			continue
		}
		end := s.start[0] + s.step[0]*y.Shape[a]
		if end < 0 {
			end = -x.Shape[a] - 1
		}
		axes, starts, by, ends = append(axes, int64(a)), append(starts, s.start[0]), append(by, s.step[0]), append(ends, end)
	}
	if axes != nil {
		x = r.apply(n, "Slice", l, []*graph.Value{x, r.constant(graph.Ints(starts...)), r.constant(graph.Ints(ends...)),
			r.constant(graph.Ints(axes...)), r.constant(graph.Ints(by...))})
	}
	r.now[y] = x
	return nil
}

// split makes a slice of each part.
func split(r *rewriter, n *graph.Node) error {
	x, in := n.Inputs[0], r.layouts[n.Inputs[0]]
	at := r.axisOf(n, 0, len(in))
	start := slices.Repeat([]int64{0}, len(r.samples))
	for _, y := range n.Outputs {
		if y == nil {
			return r.refuse(n, "a part is left out")
		}
		list := make([]span, len(in))
		for a := range list {
			list[a] = span{slices.Repeat([]int64{0}, len(start)), slices.Repeat([]int64{1}, len(start))}
		}
		list[at].start = start
		k := *n
		k.Outputs = []*graph.Value{y}
		if err := r.sliced(&k, x, y, in, list); err != nil {
			return err
		}
		start = added(start, r.extentsOf(y, at))
	}
	return nil
}

// pad has the number that it pads with beyond the true extents. Other modes than constant gather the rows at the end.
func pad(r *rewriter, n *graph.Node) error {
	x, y, in := n.Inputs[0], n.Outputs[0], slices.Clone(r.layouts[n.Inputs[0]])
	rank := len(in)
	before := make([][]int64, rank)
	for k := range r.samples {
		pads, axes := r.integersAt(k, n, "pads", input(n, 11, 1)), r.integersAt(k, n, "axes", 3)
		if pads == nil {
			return r.refuse(n, "how much it pads is known at run time only")
		}
		for a := range before {
			before[a] = append(before[a], 0)
		}
		for i := range len(pads) / 2 {
			a := i
			if axes != nil {
				a, _ = array.Axis(axes[i], rank)
			}
			before[a][k] = pads[i]
		}
	}
	var changed []int
	hints := slices.Clone(in)
	for a := range in {
		out := r.extentsOf(y, a)
		if constant(before[a]) && before[a][0] == 0 && slices.Equal(out, r.space.total(in[a]).at) {
			continue
		}
		hints[a] = nil
		if !varies(in[a]) && constant(out) {
			continue
		}
		if len(in[a]) != 1 || !constant(before[a]) {
			return r.refuse(n, "what it adds before axis %d changes with the extents", a)
		}
		changed = append(changed, a)
	}
	l, err := r.layoutBySamples(y, hints)
	if err != nil {
		return r.refuse(n, "%s", err)
	}
	mode := n.Str("mode", "constant")
	if mode == "constant" {
		value := n.Float("value", 0)
		if v := n.Input(2); v != nil && n.Version >= 11 {
			if v.Const == nil {
				return r.refuse(n, "the number that it pads with is known at run time only")
			}
			value = v.Const.Tensor().At(0)
		}
		r.hide(n, 0, value, changed...)
		return r.keep(n, l)
	}
	if mode != "edge" && mode != "reflect" {
		return r.refuse(n, "its mode is %s", mode)
	}
	sizes := make([]int64, 2*rank) // of what is left to pad
	for a := range in {
		sizes[a], sizes[rank+a] = before[a][0], y.Shape[a]-x.Shape[a]-before[a][0]
	}
	for _, a := range changed {
		index := array.UpTo(y.Shape[a])
		for i := range index {
			index[i] -= before[a][0]
		}
		in[a] = l[a]
		size := r.layouts[n.Inputs[0]][a][0]
		x = r.taken(n, x, a, r.within(n, r.constant(graph.Ints(index...)), size, mode), slices.Clone(in))
		sizes[a], sizes[rank+a] = 0, 0
	}
	if slices.ContainsFunc(sizes, func(p int64) bool { return p != 0 }) {
		x = r.apply(n, "Pad", l, []*graph.Value{x, r.constant(graph.Ints(sizes...))}, graph.StrAttr("mode", mode))
	}
	return r.becomes(n, x)
}

// input returns i for versions from since on, and else no input.
func input(n *graph.Node, since, i int) int {
	if n.Version < since {
		return len(n.Inputs)
	}
	return i
}

// within returns the places of an axis that stand for places before and behind it: those at the edge, or mirrored
// there.
func (r *rewriter) within(n *graph.Node, index *graph.Value, size *extentOf, mode string) *graph.Value {
	zero := r.constant(graph.Ints(0))
	last := r.apply(n, "Sub", nil, []*graph.Value{r.entry(n, size, 1), r.constant(graph.Ints(1))})
	if mode == "edge" {
		return r.apply(n, "Max", nil, []*graph.Value{r.apply(n, "Min", nil, []*graph.Value{index, last}), zero})
	}
	index = r.apply(n, "Abs", nil, []*graph.Value{index})
	past := r.apply(n, "Abs", nil, []*graph.Value{r.apply(n, "Sub", nil, []*graph.Value{last, index})})
	return r.apply(n, "Sub", nil, []*graph.Value{last, past})
}

// indices has negative indices count from the true end of axis at of data, and indices beyond the true extents be 0.
func (r *rewriter) indices(n *graph.Node, size *extentOf) {
	v := n.Inputs[1]
	if !size.fixed() {
		if v.Const == nil || slices.ContainsFunc(v.Const.Tensor().I, func(i int64) bool { return i < 0 }) {
			l := r.layouts[v]
			negative := r.apply(n, "Less", l, []*graph.Value{v, r.constant(graph.Scalar(v.Type, 0))})
			end := r.cast(n, r.entry(n, size), v.Type)
			n.Inputs[1] = r.apply(n, "Where", l, []*graph.Value{negative, r.apply(n, "Add", l, []*graph.Value{v, end}), v})
			r.layouts[n.Inputs[1]] = l
		}
	}
	if n.Inputs[1].Const == nil {
		r.hideAll(n, 1, 0)
	}
}

func gather(r *rewriter, n *graph.Node) error {
	data := r.layouts[n.Inputs[0]]
	at := r.axisOf(n, 0, len(data))
	if len(data[at]) != 1 {
		return r.refuse(n, elsewhere)
	}
	index := r.layouts[n.Inputs[1]]
	r.indices(n, data[at][0])
	return r.keep(n, slices.Concat(data[:at], index, data[at+1:]))
}

func gatherElements(r *rewriter, n *graph.Node) error {
	data, index := r.layouts[n.Inputs[0]], r.layouts[n.Inputs[1]]
	at := r.axisOf(n, 0, len(data))
	for a := range data {
		if a != at && (varies(data[a]) || varies(index[a])) && !alike(data[a], index[a]) || len(data[at]) != 1 {
			return r.refuse(n, elsewhere)
		}
	}
	r.indices(n, data[at][0])
	return r.keep(n, index)
}

func gatherND(r *rewriter, n *graph.Node) error {
	data, index := r.layouts[n.Inputs[0]], r.layouts[n.Inputs[1]]
	batch := int(n.Int("batch_dims", 0))
	last := len(index) - 1
	count := int(n.Inputs[1].Shape[last])
	if varies(index[last]) || data[batch:batch+count].varies() {
		return r.refuse(n, "its indices count along an axis that varies")
	}
	for a := range batch {
		if !alike(data[a], index[a]) {
			return r.refuse(n, elsewhere)
		}
	}
	r.indices(n, r.space.number(1))
	return r.keep(n, slices.Concat(index[:last], data[batch+count:]))
}

func oneHot(r *rewriter, n *graph.Node) error {
	index := r.layouts[n.Inputs[0]]
	at := r.axisOf(n, -1, len(index)+1)
	depth := r.space.find(r.extentsOf(n.Outputs[0], at))
	if depth == nil || n.Inputs[1].Const == nil || !depth.fixed() {
		return r.refuse(n, "its depth changes with the extents")
	}
	if n.Inputs[0].Type.IsFloat() {
		r.hideAll(n, 0, 0)
	}
	return r.keep(n, slices.Concat(index[:at], layout{{depth}}, index[at:]))
}
