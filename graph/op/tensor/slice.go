package tensor

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Slicing has the operators that cut tensors, and pad them.
var Slicing = []op.Row{
	{Op: "Slice", Since: 1, In: "T:A", Infer: op.InferBy(sliceCuts, inferSlice), Eval: evalSlice,
		Body: op.BodyBy(sliceCuts, bodySlice)},
	{Op: "Slice", Since: 10, In: "T:A Tind:I Tind:I Tind:I? Tind:I?", Infer: op.InferBy(sliceCuts, inferSlice),
		Eval: evalSlice, Body: op.BodyBy(sliceCuts, bodySlice),
		Opaque: dag.Claimed(claimSlice, 1, 2, 3, 4)},
	{Op: "Pad", Since: 2, In: "T:A", Infer: inferPad, Eval: evalPad, Body: op.BodyBy(padMargins, bodyPad)},
	{Op: "Pad", Since: 11, In: "T:A -:I T:A? | 18 T:A -:I T:A? Tind:I?", Infer: inferPad, Eval: evalPad,
		Body:   op.BodyBy(padMargins, bodyPad),
		Opaque: dag.Claimed(claimPad, 1, 3)},
	{Op: "CenterCropPad", Since: 18, In: "T:A Tind:I", Infer: inferCrop, Eval: evalCrop, Body: bodyCrop,
		Opaque: dag.Claimed(claimCrop, 1)},
}

// A cut is what a Slice takes of a dimension: count elements from start on, step apart.
type cut struct{ start, step, count int64 }

// cuts returns what starts, ends, axes and steps take of each dimension of a shape; axes and steps may be left out.
func cuts(shape, starts, ends, axes, steps []int64) ([]cut, error) {
	if len(ends) != len(starts) || axes != nil && len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		return nil, fmt.Errorf("starts %v, ends %v, axes %v and steps %v are not of one length", starts, ends, axes, steps)
	}
	list := make([]cut, len(shape))
	for d, n := range shape {
		list[d] = cut{0, 1, n}
	}
	for i := range starts {
		a, step := int64(i), int64(1)
		if axes != nil {
			a = axes[i]
		}
		if steps != nil {
			step = steps[i]
		}
		d, err := array.Axis(a, len(shape))
		if err != nil {
			return nil, err
		}
		if step == 0 {
			return nil, fmt.Errorf("the step of axis %d is 0", d)
		}
		list[d] = newCut(shape[d], starts[i], ends[i], step)
	}
	return list, nil
}

// newCut clamps start and end, which count from the end if they are negative, to a dimension of n elements.
func newCut(n, start, end, step int64) cut {
	if start < 0 {
		start += n
	}
	if end < 0 {
		end += n
	}
	step = max(-n-1, min(n+1, step)) // a longer one takes as much
	if step > 0 {
		start, end = max(0, min(n, start)), max(0, min(n, end))
		return cut{start, step, max(0, (end-start+step-1)/step)}
	}
	start, end = max(0, min(n-1, start)), max(-1, min(n-1, end))
	if n == 0 {
		return cut{0, 1, 0}
	}
	return cut{start, step, max(0, (start-end-step-1)/-step)}
}

// sliceCuts returns what a Slice takes, whose operands are attributes before version 10.
func sliceCuts(n *graph.Node) ([]cut, error) {
	shape := n.Inputs[0].Shape
	if n.Version < 10 {
		return cuts(shape, n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil)
	}
	var list [4][]int64
	for i := range list {
		var err error
		if list[i], err = op.Integers(n, 1+i); err != nil {
			return nil, err
		}
	}
	return cuts(shape, list[0], list[1], list[2], list[3])
}

func inferSlice(list []cut, n *graph.Node) ([]op.Type, error) {
	shape := make([]int64, len(list))
	for d, c := range list {
		shape[d] = c.count
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func evalSlice(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	starts, ends, axes, steps := array.List(in, 1), array.List(in, 2), array.List(in, 3), array.List(in, 4)
	if n.Version < 10 {
		starts, ends, axes, steps = n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil
	}
	cuts, err := cuts(x.Shape, starts, ends, axes, steps)
	if err != nil {
		return nil, err
	}
	base, shape, stride := int64(0), make([]int64, len(cuts)), array.Strides(x.Shape)
	for d, c := range cuts {
		base += c.start * stride[d]
		shape[d] = c.count
		stride[d] *= c.step
	}
	return []*graph.Tensor{array.View(x, shape, base, stride)}, nil
}

func bodySlice(cuts []cut, b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := make([]tir.Expr, len(at))
		for d, c := range cuts {
			index[d] = Plus(Times(at[d], c.step), c.start)
			if c.count == 1 {
				index[d] = tir.Int(c.start)
			}
		}
		return b.Read(0, index...)
	})
	return nil
}

// A Margin is what Pad adds before and after a dimension; a negative one is cut away.
type Margin struct{ Before, After int64 }

// margins returns what pads add to each dimension of a tensor; axes may be left out.
func margins(rank int, pads, axes []int64) ([]Margin, error) {
	if axes == nil {
		axes = array.UpTo(int64(rank))
	}
	if len(pads) != 2*len(axes) {
		return nil, fmt.Errorf("%d pads for %d axes", len(pads), len(axes))
	}
	list := make([]Margin, rank)
	for i, a := range axes {
		d, err := array.Axis(a, rank)
		if err != nil {
			return nil, err
		}
		list[d] = Margin{pads[i], pads[len(axes)+i]}
	}
	return list, nil
}

// padMargins returns what a Pad adds, whose operands are attributes before version 11.
func padMargins(n *graph.Node) ([]Margin, error) {
	pads, axes := n.Ints("pads"), []int64(nil)
	if n.Version >= 11 {
		var err error
		if pads, err = op.Integers(n, 1); err != nil {
			return nil, err
		}
		if axes, err = op.Integers(n, 3); err != nil {
			return nil, err
		}
	}
	return margins(len(n.Inputs[0].Shape), pads, axes)
}

func inferPad(n *graph.Node) ([]op.Type, error) {
	if err := op.Single(n, 2); err != nil {
		return nil, err
	}
	list, err := padMargins(n)
	if err != nil {
		return nil, err
	}
	mode := n.Str("mode", "constant")
	shape := slices.Clone(n.Inputs[0].Shape)
	for d, m := range list {
		left := graph.Plus(shape[d], min(m.Before, 0), min(m.After, 0))
		if left < 0 {
			return nil, fmt.Errorf("axis %d of shape %v is cut by more than it has", d, n.Inputs[0].Shape)
		}
		if left == 0 && mode != "constant" && max(m.Before, m.After) > 0 {
			return nil, fmt.Errorf("axis %d of shape %v has nothing to pad with", d, n.Inputs[0].Shape)
		}
		shape[d] = graph.Plus(shape[d], m.Before, m.After)
	}
	switch mode {
	case "constant", "reflect", "edge", "wrap":
	default:
		return nil, op.Unsupported("mode %s", mode)
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func evalPad(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	pads, axes, fill := array.List(in, 1), array.List(in, 3), (*graph.Tensor)(nil)
	if n.Version < 11 {
		pads, fill = n.Ints("pads"), graph.Scalar(x.Type, n.Float("value", 0))
	} else if len(in) > 2 {
		fill = in[2]
	}
	list, err := margins(len(x.Shape), pads, axes)
	if err != nil {
		return nil, err
	}
	tables := make([][]int64, len(list))
	for d, m := range list {
		tables[d] = padTable(n.Str("mode", "constant"), array.UpTo(x.Shape[d]), m)
	}
	return []*graph.Tensor{array.Pick(x, tables, fill)}, nil
}

// padTable returns the index of the input that each index of a padded dimension reads, -1 outside of it: what is cut
// away goes first, then the mode fills up, one element at a time.
func padTable(mode string, t []int64, m Margin) []int64 {
	if m.Before < 0 {
		t = t[min(int(-m.Before), len(t)):]
	}
	if m.After < 0 {
		t = t[:max(0, len(t)+int(m.After))]
	}
	core := slices.Clone(t)
	n := len(core)
	source := func(i int) int64 { // of a place that may be outside of the core
		switch {
		case i >= 0 && i < n:
			return core[i]
		case mode == "constant" || n == 0:
			return -1
		case mode == "edge":
			return core[max(0, min(n-1, i))]
		case mode == "wrap":
			return core[((i%n)+n)%n]
		}
		for i < 0 || i >= n { // reflect
			if n == 1 {
				return core[0]
			}
			if i < 0 {
				i = -i
			} else {
				i = 2*(n-1) - i
			}
		}
		return core[i]
	}
	var r []int64
	for i := -int(max(m.Before, 0)); i < n+int(max(m.After, 0)); i++ {
		r = append(r, source(i))
	}
	return r
}

func bodyPad(list []Margin, b *op.Body) error {
	mode := b.Node.Str("mode", "constant")
	if mode == "constant" {
		fill := func() tir.Expr { return padValue(b) }
		b.Elementwise(func(at []tir.Expr) tir.Expr { return readWithin(b, list, at, fill) })
		return nil
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := make([]tir.Expr, len(at))
		for d, m := range list {
			low, high := max(0, -m.Before), b.Node.Inputs[0].Shape[d]-max(0, -m.After) // what is left of the dimension
			index[d] = padded(mode, Plus(at[d], -m.Before), low, high, m)
		}
		return b.Read(0, index...)
	})
	return nil
}

// readWithin reads the element of input 0 that a padded tensor has at the indices at, or is fill outside of it.
func readWithin(b *op.Body, list []Margin, at []tir.Expr, fill func() tir.Expr) tir.Expr {
	x := b.Node.Inputs[0]
	if x.Elems() == 0 {
		return fill()
	}
	index, inside := make([]tir.Expr, len(at)), []tir.Expr(nil)
	for d, m := range list {
		index[d] = Plus(at[d], -m.Before)
		if m.Before > 0 {
			inside = append(inside, Ge(at[d], tir.Int(m.Before)))
		}
		if m.After > 0 {
			inside = append(inside, Lt(at[d], tir.Int(m.Before+x.Shape[d])))
		}
	}
	if inside == nil {
		return b.Read(0, index...)
	}
	return tir.IfThenElse(tir.AllOf(inside...), b.Read(0, index...), fill())
}

// padValue returns the number that a Pad fills with.
func padValue(b *op.Body) tir.Expr {
	t := Register(b.Node.Inputs[0].Type)
	switch {
	case b.Node.Version < 11:
		return tir.Const(t, b.Node.Float("value", 0))
	case b.Node.Input(2) == nil:
		return tir.Const(t, 0)
	}
	return b.Read(2, Zeros(len(b.Node.Inputs[2].Shape))...)
}

// padded returns the index within low..high-1 that a padded dimension reads in the place i.
func padded(mode string, i tir.Expr, low, high int64, m Margin) tir.Expr {
	if m.Before <= 0 && m.After <= 0 {
		return i
	}
	n, i := high-low, Plus(i, -low)
	clamped := func(e tir.Expr) tir.Expr {
		return Plus(MaxOf(MinOf(e, tir.Int(n-1)), tir.Int(0)), low)
	}
	switch {
	case mode == "edge" || n == 1:
		return clamped(i)
	case mode == "wrap":
		return Plus(tir.Bin(tir.FloorMod, i, tir.Int(n)), low)
	case m.Before >= n || m.After >= n: // reflected more than once
		i = tir.Bin(tir.FloorMod, i, tir.Int(2*(n-1)))
		return clamped(MinOf(i, Sub(tir.Int(2*(n-1)), i)))
	}
	if m.Before > 0 {
		i = MaxOf(i, Sub(tir.Int(0), i))
	}
	if m.After > 0 {
		i = MinOf(i, Sub(tir.Int(2*(n-1)), i))
	}
	return clamped(i)
}

// cropMargins returns what CenterCropPad adds to each dimension so that it has the extent that is asked for.
func cropMargins(n *graph.Node, shape, want []int64) ([]Margin, error) {
	axes := n.Ints("axes")
	if axes == nil {
		axes = array.UpTo(int64(len(shape)))
	}
	if len(axes) != len(want) {
		return nil, fmt.Errorf("shape %v for %d axes", want, len(axes))
	}
	list := make([]Margin, len(shape))
	for i, a := range axes {
		d, err := array.Axis(a, len(shape))
		if err != nil {
			return nil, err
		}
		if want[i] < 0 {
			return nil, fmt.Errorf("shape %v has a dimension of %d", want, want[i])
		}
		list[d] = centered(shape[d], want[i])
	}
	return list, nil
}

// centered returns what makes n elements of a dimension of have: half of it on either side, of an odd number the
// greater part behind.
func centered(have, n int64) Margin {
	before := (n - have) / 2
	return Margin{before, n - have - before}
}

func inferCrop(n *graph.Node) ([]op.Type, error) {
	want, err := op.Integers(n, 1)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(n.Inputs[0].Shape)
	list, err := cropMargins(n, shape, want)
	if err != nil {
		return nil, err
	}
	for d, m := range list {
		shape[d] = graph.Plus(shape[d], m.Before, m.After)
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func evalCrop(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	list, err := cropMargins(n, in[0].Shape, in[1].I)
	if err != nil {
		return nil, err
	}
	tables := make([][]int64, len(list))
	for d, m := range list {
		tables[d] = padTable("constant", array.UpTo(in[0].Shape[d]), m)
	}
	return []*graph.Tensor{array.Pick(in[0], tables, nil)}, nil
}

func bodyCrop(b *op.Body) error {
	x, list := b.Node.Inputs[0], []Margin(nil)
	for d, e := range b.Node.Outputs[0].Shape {
		list = append(list, centered(x.Shape[d], e))
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return readWithin(b, list, at, func() tir.Expr { return tir.Const(Register(x.Type), 0) })
	})
	return nil
}

// claimCrop: the shape that is asked for is the one declared.
func claimCrop(d *dag.Draft) []dag.Variant {
	out, axes := dag.ShapeOut(d.Node), d.Ints("axes")
	if axes == nil {
		axes = array.UpTo(int64(len(out)))
	}
	if len(axes) != Elems(d.In[1]) || len(out) != len(dag.ShapeIn(d.Node)) {
		return nil
	}
	all := []tir.Expr{}
	for i, a := range axes {
		at, err := array.Axis(a, len(out))
		if err != nil {
			return nil
		}
		all = append(all, Eq(Entry(d.In[1], i), tir.Int(out[at])))
	}
	return dag.Holding(all...)
}

// claimSlice: each dimension has as many elements as are declared. What is cut is computed before.
func claimSlice(d *dag.Draft) []dag.Variant {
	x, out := dag.ShapeIn(d.Node), dag.ShapeOut(d.Node)
	if len(x) == 0 || len(x) != len(out) || Elems(d.In[1]) != Elems(d.In[2]) {
		return nil
	}
	list := dag.AxisList{Operand: d.Input(3), Count: Elems(d.In[1]), Rank: len(x)}
	starts, steps := d.Cells("starts", len(x)), d.Cells("steps", len(x))
	all := list.Valid()
	step := func(i int) tir.Expr {
		if by := d.Input(4); by != nil {
			return Entry(by, i)
		}
		return tir.Int(1)
	}
	for i := range list.Count {
		all = append(all, Ne(step(i), Zero))
	}
	for k, n := range x {
		size, last := tir.Int(n), tir.Int(n-1)
		cut := func(i int) (start, by, count tir.Expr) {
			by = MaxOf(MinOf(step(i), tir.Int(n+1)), tir.Int(-n-1))
			fromEnd := func(e tir.Expr) tir.Expr { return Sel(Lt(e, Zero), Add(e, size), e) }
			start, end, forth := fromEnd(Entry(d.In[1], i)), fromEnd(Entry(d.In[2], i)), Gt(by, Zero)
			start = Sel(forth, MaxOf(Zero, MinOf(size, start)), MaxOf(Zero, MinOf(last, start)))
			end = Sel(forth, MaxOf(Zero, MinOf(size, end)), MaxOf(tir.Int(-1), MinOf(last, end)))
			distance := Sel(forth, Sub(end, start), Sub(start, end))
			length := MaxOf(Sel(forth, by, Sub(Zero, by)), tir.Int(1))
			return start, by, MaxOf(Zero, tir.Bin(tir.FloorDiv, Plus(Add(distance, length), -1), length))
		}
		start, by, count := tir.Expr(Zero), tir.Expr(tir.Int(1)), tir.Expr(size)
		for i := range list.Count {
			s, b, c := cut(i)
			is := list.Is(i, k)
			start, by, count = Sel(is, s, start), Sel(is, b, by), Sel(is, c, count)
		}
		at := tir.Int(int64(k))
		d.Before = append(d.Before, Store(starts.Buffer, start, at), Store(steps.Buffer, by, at))
		all = append(all, Eq(count, tir.Int(out[k])))
	}
	return []dag.Variant{{Holds: tir.AllOf(all...), Body: func(b *op.Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr {
			index := make([]tir.Expr, len(at))
			for k := range index {
				i := tir.Int(int64(k))
				index[k] = Within(Add(starts.At(i), Mul(at[k], steps.At(i))), x[k])
			}
			return b.Read(0, index...)
		})
		return nil
	}}}
}

// claimPad: each dimension has as many elements as are declared. The margins are computed before.
func claimPad(d *dag.Draft) []dag.Variant {
	x, out := dag.ShapeIn(d.Node), dag.ShapeOut(d.Node)
	if len(x) == 0 || len(x) != len(out) {
		return nil
	}
	mode, list := d.Str("mode", "constant"), dag.AxisList{Operand: d.Input(3), Count: Elems(d.In[1]) / 2, Rank: len(x)}
	margins := d.Cells("margins", 2*len(x)) // before and after each dimension
	all := list.Valid()
	for k, n := range x {
		m := [2]tir.Expr{Zero, Zero}
		for i := range list.Count {
			for end := range m {
				m[end] = Sel(list.Is(i, k), Entry(d.In[1], end*list.Count+i), m[end])
			}
		}
		left := Add(Add(MinOf(m[0], Zero), MinOf(m[1], Zero)), tir.Int(n))
		all = append(all, Eq(Add(Add(m[0], m[1]), tir.Int(n)), tir.Int(out[k])), Ge(left, Zero))
		if mode != "constant" {
			all = append(all, Gt(left, Zero))
		}
		for end, e := range m {
			d.Before = append(d.Before, Store(margins.Buffer, e, tir.Int(int64(2*k+end))))
		}
	}
	return []dag.Variant{{Holds: tir.AllOf(all...), Body: func(b *op.Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr {
			index, inside := make([]tir.Expr, len(at)), []tir.Expr(nil)
			for k, n := range x {
				before, after := margins.At(tir.Int(int64(2*k))), margins.At(tir.Int(int64(2*k+1)))
				place := Sub(at[k], before)
				if mode == "constant" {
					inside = append(inside, Ge(place, Zero), Lt(place, tir.Int(n)))
				} else {
					place = mirrored(mode, place, before, after, n)
				}
				index[k] = Within(place, n)
			}
			if mode != "constant" {
				return b.Read(0, index...)
			}
			return Sel(tir.AllOf(inside...), b.Read(0, index...), padValue(b))
		})
		return nil
	}}}
}

// mirrored returns what a dimension of n elements that is padded reads in a place, before the beginning if it is
// negative.
func mirrored(mode string, place, before, after tir.Expr, n int64) tir.Expr {
	low := MaxOf(Zero, Sub(Zero, before))
	left := MaxOf(Sub(tir.Int(n), Add(low, MaxOf(Zero, Sub(Zero, after)))), tir.Int(1))
	i := Sub(place, low)
	switch mode {
	case "edge":
		i = MaxOf(MinOf(i, Plus(left, -1)), Zero)
	case "wrap":
		i = tir.Bin(tir.FloorMod, i, left)
	default:
		twice := Times(Plus(left, -1), 2)
		i = tir.Bin(tir.FloorMod, i, MaxOf(twice, tir.Int(1)))
		i = MinOf(i, Sub(twice, i))
	}
	return Add(i, low)
}
