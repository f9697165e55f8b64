package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// slicing has the operators that cut tensors, and pad them.
var slicing = []Row{
	{Op: "Slice", Since: 1, In: "T:A", Infer: inferSlice, Eval: evalSlice, Body: bodySlice},
	{Op: "Slice", Since: 10, In: "T:A Tind:I Tind:I Tind:I? Tind:I?", Infer: inferSlice, Eval: evalSlice, Body: bodySlice,
		Opaque: claimed(claimSlice, 1, 2, 3, 4)},
	{Op: "Pad", Since: 2, In: "T:A", Infer: inferPad, Eval: evalPad, Body: bodyPad},
	{Op: "Pad", Since: 11, In: "T:A -:I T:A? | 18 T:A -:I T:A? Tind:I?", Infer: inferPad, Eval: evalPad, Body: bodyPad,
		Opaque: claimed(claimPad, 1, 3)},
	{Op: "CenterCropPad", Since: 18, In: "T:A Tind:I", Infer: inferCrop, Eval: evalCrop, Body: bodyCrop,
		Opaque: claimed(claimCrop, 1)},
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
		d, err := axis(a, len(shape))
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
		if list[i], err = integers(n, 1+i); err != nil {
			return nil, err
		}
	}
	return cuts(shape, list[0], list[1], list[2], list[3])
}

func inferSlice(n *graph.Node) ([]Type, error) {
	list, err := sliceCuts(n)
	if err != nil {
		return nil, err
	}
	shape := make([]int64, len(list))
	for d, c := range list {
		shape[d] = c.count
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func evalSlice(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	starts, ends, axes, steps := list(in, 1), list(in, 2), list(in, 3), list(in, 4)
	if n.Version < 10 {
		starts, ends, axes, steps = n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil
	}
	cuts, err := cuts(x.Shape, starts, ends, axes, steps)
	if err != nil {
		return nil, err
	}
	base, shape, stride := int64(0), make([]int64, len(cuts)), strides(x.Shape)
	for d, c := range cuts {
		base += c.start * stride[d]
		shape[d] = c.count
		stride[d] *= c.step
	}
	return []*graph.Tensor{view(x, shape, base, stride)}, nil
}

func bodySlice(b *Body) error {
	cuts, err := sliceCuts(b.Node)
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := make([]tir.Expr, len(at))
		for d, c := range cuts {
			index[d] = plus(times(at[d], c.step), c.start)
			if c.count == 1 {
				index[d] = tir.Int(c.start)
			}
		}
		return b.Read(0, index...)
	})
	return nil
}

// A margin is what Pad adds before and after a dimension; a negative one is cut away.
type margin struct{ before, after int64 }

// margins returns what pads add to each dimension of a tensor; axes may be left out.
func margins(rank int, pads, axes []int64) ([]margin, error) {
	if axes == nil {
		axes = upTo(int64(rank))
	}
	if len(pads) != 2*len(axes) {
		return nil, fmt.Errorf("%d pads for %d axes", len(pads), len(axes))
	}
	list := make([]margin, rank)
	for i, a := range axes {
		d, err := axis(a, rank)
		if err != nil {
			return nil, err
		}
		list[d] = margin{pads[i], pads[len(axes)+i]}
	}
	return list, nil
}

// padMargins returns what a Pad adds, whose operands are attributes before version 11.
func padMargins(n *graph.Node) ([]margin, error) {
	pads, axes := n.Ints("pads"), []int64(nil)
	if n.Version >= 11 {
		var err error
		if pads, err = integers(n, 1); err != nil {
			return nil, err
		}
		if axes, err = integers(n, 3); err != nil {
			return nil, err
		}
	}
	return margins(len(n.Inputs[0].Shape), pads, axes)
}

func inferPad(n *graph.Node) ([]Type, error) {
	if err := single(n, 2); err != nil {
		return nil, err
	}
	list, err := padMargins(n)
	if err != nil {
		return nil, err
	}
	mode := n.Str("mode", "constant")
	shape := slices.Clone(n.Inputs[0].Shape)
	for d, m := range list {
		left := shape[d] + min(m.before, 0) + min(m.after, 0)
		if left < 0 {
			return nil, fmt.Errorf("axis %d of shape %v is cut by more than it has", d, n.Inputs[0].Shape)
		}
		if left == 0 && mode != "constant" && max(m.before, m.after) > 0 {
			return nil, fmt.Errorf("axis %d of shape %v has nothing to pad with", d, n.Inputs[0].Shape)
		}
		shape[d] += m.before + m.after
	}
	switch mode {
	case "constant", "reflect", "edge", "wrap":
	default:
		return nil, Unsupported("mode %s", mode)
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func evalPad(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	pads, axes, fill := list(in, 1), list(in, 3), (*graph.Tensor)(nil)
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
		tables[d] = padTable(n.Str("mode", "constant"), upTo(x.Shape[d]), m)
	}
	return []*graph.Tensor{pick(x, tables, fill)}, nil
}

// padTable returns the index of the input that each index of a padded dimension reads, -1 outside of it: what is cut
// away goes first, then the mode fills up, one element at a time.
func padTable(mode string, t []int64, m margin) []int64 {
	if m.before < 0 {
		t = t[min(int(-m.before), len(t)):]
	}
	if m.after < 0 {
		t = t[:max(0, len(t)+int(m.after))]
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
	for i := -int(max(m.before, 0)); i < n+int(max(m.after, 0)); i++ {
		r = append(r, source(i))
	}
	return r
}

func bodyPad(b *Body) error {
	list, err := padMargins(b.Node)
	if err != nil {
		return err
	}
	mode := b.Node.Str("mode", "constant")
	if mode == "constant" {
		fill := func() tir.Expr { return b.padValue() }
		b.Elementwise(func(at []tir.Expr) tir.Expr { return b.readWithin(list, at, fill) })
		return nil
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := make([]tir.Expr, len(at))
		for d, m := range list {
			low, high := max(0, -m.before), b.Node.Inputs[0].Shape[d]-max(0, -m.after) // what is left of the dimension
			index[d] = padded(mode, plus(at[d], -m.before), low, high, m)
		}
		return b.Read(0, index...)
	})
	return nil
}

// readWithin reads the element of input 0 that a padded tensor has at the indices at, or is fill outside of it.
func (b *Body) readWithin(list []margin, at []tir.Expr, fill func() tir.Expr) tir.Expr {
	x := b.Node.Inputs[0]
	if x.Elems() == 0 {
		return fill()
	}
	index, inside := make([]tir.Expr, len(at)), []tir.Expr(nil)
	for d, m := range list {
		index[d] = plus(at[d], -m.before)
		if m.before > 0 {
			inside = append(inside, ge(at[d], tir.Int(m.before)))
		}
		if m.after > 0 {
			inside = append(inside, lt(at[d], tir.Int(m.before+x.Shape[d])))
		}
	}
	if inside == nil {
		return b.Read(0, index...)
	}
	return tir.IfThenElse(tir.AllOf(inside...), b.Read(0, index...), fill())
}

// padValue returns the number that a Pad fills with.
func (b *Body) padValue() tir.Expr {
	t := Register(b.Node.Inputs[0].Type)
	switch {
	case b.Node.Version < 11:
		return tir.Const(t, b.Node.Float("value", 0))
	case b.Node.Input(2) == nil:
		return tir.Const(t, 0)
	}
	return b.Read(2, zeros(len(b.Node.Inputs[2].Shape))...)
}

func zeros(n int) []tir.Expr {
	list := make([]tir.Expr, n)
	for i := range list {
		list[i] = tir.Int(0)
	}
	return list
}

// padded returns the index within low..high-1 that a padded dimension reads in the place i.
func padded(mode string, i tir.Expr, low, high int64, m margin) tir.Expr {
	if m.before <= 0 && m.after <= 0 {
		return i
	}
	n, i := high-low, plus(i, -low)
	clamped := func(e tir.Expr) tir.Expr {
		return plus(maxOf(minOf(e, tir.Int(n-1)), tir.Int(0)), low)
	}
	switch {
	case mode == "edge" || n == 1:
		return clamped(i)
	case mode == "wrap":
		return plus(tir.Bin(tir.FloorMod, i, tir.Int(n)), low)
	case m.before >= n || m.after >= n: // reflected more than once
		i = tir.Bin(tir.FloorMod, i, tir.Int(2*(n-1)))
		return clamped(minOf(i, sub(tir.Int(2*(n-1)), i)))
	}
	if m.before > 0 {
		i = maxOf(i, sub(tir.Int(0), i))
	}
	if m.after > 0 {
		i = minOf(i, sub(tir.Int(2*(n-1)), i))
	}
	return clamped(i)
}

// cropMargins returns what CenterCropPad adds to each dimension so that it has the extent that is asked for.
func cropMargins(n *graph.Node, shape, want []int64) ([]margin, error) {
	axes := n.Ints("axes")
	if axes == nil {
		axes = upTo(int64(len(shape)))
	}
	if len(axes) != len(want) {
		return nil, fmt.Errorf("shape %v for %d axes", want, len(axes))
	}
	list := make([]margin, len(shape))
	for i, a := range axes {
		d, err := axis(a, len(shape))
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
func centered(have, n int64) margin {
	before := (n - have) / 2
	return margin{before, n - have - before}
}

func inferCrop(n *graph.Node) ([]Type, error) {
	want, err := integers(n, 1)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(n.Inputs[0].Shape)
	list, err := cropMargins(n, shape, want)
	if err != nil {
		return nil, err
	}
	for d, m := range list {
		shape[d] += m.before + m.after
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

func evalCrop(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	list, err := cropMargins(n, in[0].Shape, in[1].I)
	if err != nil {
		return nil, err
	}
	tables := make([][]int64, len(list))
	for d, m := range list {
		tables[d] = padTable("constant", upTo(in[0].Shape[d]), m)
	}
	return []*graph.Tensor{pick(in[0], tables, nil)}, nil
}

func bodyCrop(b *Body) error {
	x, list := b.Node.Inputs[0], []margin(nil)
	for d, e := range b.Node.Outputs[0].Shape {
		list = append(list, centered(x.Shape[d], e))
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return b.readWithin(list, at, func() tir.Expr { return tir.Const(Register(x.Type), 0) })
	})
	return nil
}
