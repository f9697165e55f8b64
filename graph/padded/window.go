package padded

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
)

// A sliding is a window along an axis.
type sliding struct {
	size, stride, dilation int64
	before                 []int64 // the padding, at each sample
	after                  int64   // the most
}

// slidings returns the windows over the axes behind the first two of the operand, and false if where they begin changes
// with the extents. Sizes are those of attribute kernel_shape, or of the last axes of weights.
func (r *rewriter) slidings(n *graph.Node, x *graph.Value, weights *graph.Value) ([]sliding, bool) {
	l := r.layouts[x]
	rank := len(l) - 2
	sizes, strides, dilations, pads := n.Ints("kernel_shape"), n.Ints("strides"), n.Ints("dilations"), n.Ints("pads")
	if sizes == nil {
		sizes = weights.Shape[2:]
	}
	at := func(list []int64, i int, missing int64) int64 {
		if i < len(list) {
			return list[i]
		}
		return missing
	}
	list := make([]sliding, rank)
	auto := n.Str("auto_pad", "NOTSET")
	for d := range list {
		w := sliding{size: sizes[d], stride: at(strides, d, 1), dilation: at(dilations, d, 1)}
		for _, in := range r.space.total(l[2+d]).at {
			before, after := at(pads, d, 0), at(pads, rank+d, 0)
			if auto == "SAME_UPPER" || auto == "SAME_LOWER" {
				all := max(0, ((in+w.stride-1)/w.stride-1)*w.stride+(w.size-1)*w.dilation+1-in)
				if before, after = all/2, all-all/2; auto == "SAME_LOWER" {
					before, after = after, before
				}
			} else if auto == "VALID" {
				before, after = 0, 0
			}
			w.before, w.after = append(w.before, before), max(w.after, after)
		}
		if list[d] = w; !constant(w.before) {
			return nil, false
		}
	}
	return list, true
}

const shifted = "where its windows begin changes with the extents (auto_pad)"

// slid adds a node whose windows go over the operand x, which is the first, with a number beyond the true edges.
func (r *rewriter) slid(n *graph.Node, weights *graph.Value, value float64) error {
	list, ok := r.slidings(n, n.Inputs[0], weights)
	if !ok {
		return r.refuse(n, shifted)
	}
	l, err := r.image(n, list)
	if err != nil {
		return err
	}
	var axes []int
	for d, w := range list {
		if w.after > 0 || n.Int("ceil_mode", 0) != 0 {
			axes = append(axes, 2+d)
		}
	}
	r.hide(n, 0, value, axes...)
	return r.keep(n, l)
}

// image returns the layout of a result that has the images of the operand. Windows, if there are any, say by which
// formula extents follow from those of the operand.
func (r *rewriter) image(n *graph.Node, list []sliding) (layout, error) {
	in := r.layouts[n.Inputs[0]]
	hints := make(layout, len(in))
	hints[0] = in[0]
	if varies(in[1]) {
		return nil, r.refuse(n, "the number of channels varies")
	}
	for _, axis := range in[2:] {
		if len(axis) != 1 {
			return nil, r.refuse(n, elsewhere)
		}
	}
	for d, w := range list {
		x := in[2+d][0]
		plus := w.before[0] + w.after - (w.size-1)*w.dilation - 1 + w.stride
		if n.Int("ceil_mode", 0) != 0 {
			plus += w.stride - 1
		}
		at := make([]int64, len(x.at))
		for k, v := range x.at {
			at[k] = (v + plus) / w.stride
		}
		if !x.fixed() && slices.Equal(at, r.extentsOf(n.Outputs[0], 2+d)) {
			hints[2+d] = []*extentOf{r.space.add(at, w.stride, plus, term{1, []*extentOf{x}})}
		}
	}
	l, err := r.layoutBySamples(n.Outputs[0], hints)
	if err != nil {
		return nil, r.refuse(n, "%s", err)
	}
	return l, nil
}

func convolution(r *rewriter, n *graph.Node) error {
	weights, zero := n.Inputs[1], (*graph.Value)(nil)
	switch n.Op {
	case "ConvInteger":
		zero = n.Input(2)
	case "QLinearConv":
		weights, zero = n.Inputs[3], n.Inputs[2]
	}
	value := 0.0
	if r.layouts[weights].varies() {
		return r.refuse(n, "its weights vary")
	}
	if zero != nil {
		if zero.Const == nil || zero.Elems() != 1 {
			return r.refuse(n, "its zero point is known at run time only")
		}
		value = zero.Const.Tensor().At(0)
	}
	return r.slid(n, weights, value)
}

// windows returns the rule of pools in which a number changes nothing.
func windows(neutral func(v *graph.Value) float64) func(*rewriter, *graph.Node) error {
	return func(r *rewriter, n *graph.Node) error {
		if len(n.Outputs) > 1 && n.Outputs[1] != nil {
			return r.refuse(n, "it asks for places, which count rows of the true extent")
		}
		return r.slid(n, nil, neutral(n.Inputs[0]))
	}
}

// averagePool divides sums by the number of true places in a window, where that is not the same everywhere.
func averagePool(r *rewriter, n *graph.Node) error {
	x := n.Inputs[0]
	list, ok := r.slidings(n, x, nil)
	if !ok {
		return r.refuse(n, shifted)
	}
	past, padding := false, n.Int("count_include_pad", 0) != 0
	for d, w := range list {
		past = past || varies(r.layouts[x][2+d]) && (w.after > 0 && !padding || n.Int("ceil_mode", 0) != 0)
	}
	if !past {
		return r.slid(n, nil, 0)
	}
	if padding {
		return r.refuse(n, "windows end beyond the padding, which counts")
	}
	l, err := r.image(n, list)
	if err != nil {
		return err
	}
	axes := make([]int, len(list))
	shape, counted := []int64{1, 1}, layout{{r.space.number(1)}, {r.space.number(1)}}
	for d := range list {
		axes[d] = 2 + d
		shape, counted = append(shape, x.Shape[2+d]), append(counted, r.layouts[x][2+d])
	}
	ones := graph.NewTensor(x.Type, shape...)
	for i := range ones.F {
		ones.F[i] = 1
	}
	every := r.constant(ones)
	r.layouts[every] = counted
	pool := func(v *graph.Value, l layout) *graph.Value {
		w := r.hidden(n, v, 0, axes...)
		k := &graph.Node{Name: n.Name, Op: n.Op, Version: max(n.Version, 10), Attrs: slices.Clone(n.Attrs),
			Inputs: []*graph.Value{w}}
		k.SetAttr(graph.IntAttr("count_include_pad", 1))
		return r.applied(n, k, l)
	}
	return r.becomes(n, r.apply(n, "Div", l, []*graph.Value{pool(x, l), pool(every, append(counted[:2:2], l[2:]...))}))
}

// transposedConvolution spreads elements: those beyond the true edge add to places before it if windows overlap.
func transposedConvolution(r *rewriter, n *graph.Node) error {
	auto := n.Str("auto_pad", "NOTSET")
	if n.Has("output_shape") || auto == "SAME_UPPER" || auto == "SAME_LOWER" || r.layouts[n.Inputs[1]].varies() {
		return r.refuse(n, "its paddings change with the extents, or its weights do")
	}
	list, ok := r.slidings(n, n.Inputs[0], n.Inputs[1])
	if !ok {
		return r.refuse(n, shifted)
	}
	l, err := r.image(n, nil)
	if err != nil {
		return err
	}
	var axes []int
	for d, w := range list {
		more := int64(0)
		if p := n.Ints("output_padding"); d < len(p) {
			more = p[d]
		}
		if (w.size-1)*w.dilation+1-w.after+more > w.stride {
			axes = append(axes, 2+d)
		}
	}
	r.hide(n, 0, 0, axes...)
	return r.keep(n, l)
}

// global returns the rule of a pool over whole images, which is a reduction.
func global(op string) func(*rewriter, *graph.Node) error {
	return func(r *rewriter, n *graph.Node) error {
		k := *n
		k.Op, k.Attrs, k.Version = op, nil, 13
		var axes []int64
		for a := 2; a < len(n.Inputs[0].Shape); a++ {
			axes = append(axes, int64(a))
		}
		k.SetAttr(graph.IntsAttr("axes", axes...), graph.IntAttr("keepdims", 1))
		return rules[op].apply(r, &k)
	}
}

// resize is of a scale that does not follow from the extents. What lies beyond the true edge is what lies there.
func resize(r *rewriter, n *graph.Node) error {
	x, y, in := n.Inputs[0], n.Outputs[0], r.layouts[n.Inputs[0]]
	mode, nearest := n.Str("mode", "nearest"), n.Str("nearest_mode", "round_prefer_floor")
	how := n.Str("coordinate_transformation_mode", "half_pixel")
	if n.Op == "Upsample" || n.Version < 11 {
		how, nearest = "asymmetric", "floor"
	}
	var changed []int
	hints := slices.Clone(in)
	for a, axis := range in {
		size, out := r.space.total(axis).at, r.extentsOf(y, a)
		if slices.Equal(size, out) {
			continue
		}
		if hints[a] = nil; !varies(axis) && constant(out) {
			continue
		}
		scale, ok := r.scale(n, a, size, out)
		switch {
		case !ok:
			return r.refuse(n, "its scale along axis %d changes with the extents", a)
		case len(axis) != 1:
			return r.refuse(n, elsewhere)
		case how != "half_pixel" && how != "asymmetric" && how != "pytorch_half_pixel" || n.Int("antialias", 0) != 0 ||
			n.Int("exclude_outside", 0) != 0 || how == "pytorch_half_pixel" && slices.Contains(out, 1):
			return r.refuse(n, "places of mode %s change with the extents", how)
		}
		whole := scale == float64(int64(scale))
		inside := mode == "nearest" && (how == "asymmetric" && nearest == "floor" ||
			how != "asymmetric" && whole && nearest[:min(5, len(nearest))] == "round")
		if !inside {
			changed = append(changed, a)
		}
	}
	l, err := r.layoutBySamples(y, hints)
	if err != nil {
		return r.refuse(n, "%s", err)
	}
	in = slices.Clone(in)
	for _, a := range changed {
		index := r.within(n, r.constant(graph.Ints(array.UpTo(x.Shape[a])...)), in[a][0], "edge")
		in[a] = []*extentOf{r.space.number(x.Shape[a])} // nothing is beyond
		x = r.taken(n, x, a, index, slices.Clone(in))
	}
	n.Inputs[0] = x
	return r.keep(n, l)
}

// scale returns by how much an axis becomes larger, if that is the same at all samples.
func (r *rewriter) scale(n *graph.Node, axis int, size, out []int64) (float64, bool) {
	i := 2
	if n.Op == "Upsample" || n.Version < 11 {
		i = 1
	}
	list := n.Floats("scales")
	if v := n.Input(i); v != nil && v.Elems() > 0 {
		if begins, err := r.begins(v); !begins || err != nil {
			return 0, false
		}
		list = v.Const.Tensor().F
	}
	if axes := n.Ints("axes"); list != nil && axes != nil {
		for k, a := range axes {
			if (int(a)+len(n.Inputs[0].Shape))%len(n.Inputs[0].Shape) == axis {
				return list[k], true
			}
		}
		return 0, false
	}
	if list != nil {
		return list[axis], true
	}
	for k := range size {
		if out[k]*size[0] != out[0]*size[k] {
			return 0, false
		}
	}
	return float64(out[0]) / float64(size[0]), n.Str("keep_aspect_ratio_policy", "stretch") == "stretch"
}
