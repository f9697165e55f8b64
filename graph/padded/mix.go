package padded

import (
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// reduced returns the axes that a reduction mixes, and the layout of its result; false if the axes are data.
func (r *rewriter) reduced(n *graph.Node) (axes []int, l layout, ok bool) {
	return r.reducedOf(n, r.layouts[n.Inputs[0]])
}

func (r *rewriter) reducedOf(n *graph.Node, in layout) (axes []int, l layout, ok bool) {
	list := n.Ints("axes")
	if v := n.Input(1); v != nil {
		if list = constants(n, 1); list == nil && v.Elems() > 0 {
			return nil, nil, false
		}
	}
	for _, a := range list {
		at, err := array.Axis(a, len(in))
		if err != nil {
			return nil, nil, false
		}
		axes = append(axes, at)
	}
	if len(list) == 0 && n.Int("noop_with_empty_axes", 0) == 0 {
		for a := range in {
			axes = append(axes, a)
		}
	}
	for a, axis := range in {
		if !slices.Contains(axes, a) {
			l = append(l, axis)
		} else if n.Int("keepdims", 1) != 0 {
			l = append(l, []*extentOf{r.space.number(1)})
		}
	}
	return axes, l, true
}

const runTimeAxes = "its axes are known at run time only"

// reduction returns the rule of a reduction in which a number changes nothing.
func reduction(neutral func(v *graph.Value) float64) func(*rewriter, *graph.Node) error {
	return func(r *rewriter, n *graph.Node) error {
		axes, l, ok := r.reduced(n)
		if !ok {
			return r.refuse(n, runTimeAxes)
		}
		r.hide(n, 0, neutral(n.Inputs[0]), axes...)
		return r.keep(n, l)
	}
}

// mean divides a sum by the true number of elements.
func mean(r *rewriter, n *graph.Node) error {
	axes, l, ok := r.reduced(n)
	if !ok {
		return r.refuse(n, runTimeAxes)
	}
	in := r.layouts[n.Inputs[0]]
	if !slices.ContainsFunc(axes, func(a int) bool { return varies(in[a]) }) {
		return r.keep(n, l)
	}
	return r.becomes(n, r.meanOf(n, n.Inputs[0], axes, n.Int("keepdims", 1), l))
}

// meanOf returns the mean along axes. Sums of float16 or bfloat16 are of float32, as those of the operator.
func (r *rewriter) meanOf(n *graph.Node, x *graph.Value, axes []int, keep int64, l layout) *graph.Value {
	var list []int64
	var sizes []*extentOf
	for _, a := range axes {
		list, sizes = append(list, int64(a)), append(sizes, r.space.total(r.layouts[x][a]))
	}
	t := x.Type
	x = r.hidden(n, x, 0, axes...)
	if t == tir.F16 || t == tir.BF16 {
		x = r.cast(n, x, tir.F32)
	}
	sum := r.apply(n, "ReduceSum", l, []*graph.Value{x, r.constant(graph.Ints(list...))}, graph.IntAttr("keepdims", keep))
	count := r.cast(n, r.entry(n, r.space.times(sizes...)), x.Type)
	return r.cast(n, r.apply(n, "Div", l, []*graph.Value{sum, count}), t)
}

// place returns the rule of the place of the greatest or least element: of equal ones the first.
func place(worst func(v *graph.Value) float64) func(*rewriter, *graph.Node) error {
	return func(r *rewriter, n *graph.Node) error {
		l := slices.Clone(r.layouts[n.Inputs[0]])
		at := r.axisOf(n, 0, len(l))
		if varies(l[at]) && (n.Int("select_last_index", 0) != 0 || len(l[at]) != 1) {
			return r.refuse(n, "it asks for the last of equal elements, or its axis was joined of others")
		}
		r.hide(n, 0, worst(n.Inputs[0]), at)
		if n.Int("keepdims", 1) != 0 {
			l[at] = []*extentOf{r.space.number(1)}
		} else {
			l = slices.Delete(l, at, at+1)
		}
		return r.keep(n, l)
	}
}

func topK(r *rewriter, n *graph.Node) error {
	l := slices.Clone(r.layouts[n.Inputs[0]])
	at := r.axisOf(n, -1, len(l))
	if len(l[at]) != 1 || len(n.Inputs) > 1 && n.Inputs[1].Const == nil {
		return r.refuse(n, "how many it takes is known at run time only, or its axis was joined of others")
	}
	worst := lowest(n.Inputs[0])
	if n.Int("largest", 1) == 0 {
		worst = highest(n.Inputs[0])
	}
	r.hide(n, 0, worst, at)
	y := n.Outputs[0]
	if y == nil {
		y = n.Outputs[1]
	}
	x := r.space.find(r.extentsOf(y, at))
	if x == nil {
		return r.refuse(n, "how many it takes follows from no formula")
	}
	l[at] = []*extentOf{x}
	return r.keep(n, l, l)
}

// softmax gives elements beyond the true extents a weight of 0, and so all of a row without elements.
func softmax(r *rewriter, n *graph.Node) error {
	l := r.layouts[n.Inputs[0]]
	axes := []int{r.axisOf(n, -1, len(l))}
	if n.Version < 13 && n.Domain == "" {
		for axes = nil; len(axes)+r.axisOf(n, 1, len(l)) < len(l); {
			axes = append(axes, r.axisOf(n, 1, len(l))+len(axes))
		}
	}
	y, none := claim{0, make([]bool, len(l))}, false
	for _, a := range axes {
		y.axes[a] = varies(l[a])
		none = none || r.mayBeZero(r.space.total(l[a]))
	}
	r.hide(n, 0, math.Inf(-1), axes...)
	if none && n.Op == "Softmax" && len(axes) == 1 {
		n.Domain, n.Op = "wmtune", "MaskedSoftmax"
		n.SetAttr(graph.IntAttr("axis", int64(axes[0])))
	}
	if n.Op == "MaskedSoftmax" || n.Op == "Softmax" && !none {
		r.claims[n.Outputs[0]] = y
	}
	return r.keep(n, l)
}

// mayBeZero reports whether an extent is 0 if all dimensions that may be 0 are.
func (r *rewriter) mayBeZero(x *extentOf) bool {
	r.space.entry(x)
	var list []int64
	for _, d := range r.dims {
		list = append(list, d.first(d.From))
	}
	for _, f := range r.space.formulas() {
		list = append(list, f.Of(list))
	}
	return list[x.entry] <= 0
}

// cumulated returns the rule of sums or products of what comes before, or behind, where a number changes nothing.
func cumulated(neutral float64) func(*rewriter, *graph.Node) error {
	return func(r *rewriter, n *graph.Node) error {
		l := r.layouts[n.Inputs[0]]
		axis := constants(n, 1)
		if len(axis) != 1 {
			return r.refuse(n, runTimeAxes)
		}
		at, err := array.Axis(axis[0], len(l))
		if err != nil {
			return err
		}
		if n.Int("reverse", 0) != 0 || len(l[at]) > 1 {
			r.hide(n, 0, neutral, at)
		}
		return r.keep(n, l)
	}
}

// rowNorm is of norms whose rows do not vary.
func rowNorm(r *rewriter, n *graph.Node) error {
	l := r.layouts[n.Inputs[0]]
	at := r.axisOf(n, -1, len(l))
	if l[at:].varies() {
		return r.refuse(n, "the axes of a row vary")
	}
	stats := slices.Clone(l)
	for a := at; a < len(l); a++ {
		stats[a] = []*extentOf{r.space.number(1)}
	}
	return r.keep(n, l, stats, stats)
}

// instanceNorm is of means over the true places of each channel.
func instanceNorm(r *rewriter, n *graph.Node) error {
	x := n.Inputs[0]
	l := r.layouts[x]
	if !l[2:].varies() {
		return r.keep(n, l)
	}
	var axes []int
	small, wide := slices.Clone(l), []int64{x.Shape[1]}
	for a := 2; a < len(l); a++ {
		axes, wide = append(axes, a), append(wide, 1)
		small[a] = []*extentOf{r.space.number(1)}
	}
	two := func(op string, l layout, a, b *graph.Value) *graph.Value {
		return r.apply(n, op, l, []*graph.Value{a, b})
	}
	channel := func(i int) *graph.Value {
		return r.apply(n, "Reshape", nil, []*graph.Value{n.Inputs[i], r.constant(graph.Ints(wide...))})
	}
	d := two("Sub", l, x, r.meanOf(n, x, axes, 1, small))
	variance := r.meanOf(n, two("Mul", l, d, d), axes, 1, small)
	epsilon := r.constant(graph.Scalar(x.Type, n.Float("epsilon", 1e-5)))
	d = two("Div", l, d, r.apply(n, "Sqrt", small, []*graph.Value{two("Add", small, variance, epsilon)}))
	return r.becomes(n, two("Add", l, two("Mul", l, d, channel(1)), channel(2)))
}

func quantizeDynamic(r *rewriter, n *graph.Node) error {
	r.hideAll(n, 0, 0)
	return r.keep(n, r.layouts[n.Inputs[0]], layout{}, layout{})
}

// product is of matrices: elements beyond the true extent of what is contracted are 0 in both.
func product(r *rewriter, n *graph.Node) error {
	a, b := r.layouts[n.Inputs[0]], r.layouts[n.Inputs[1]]
	ka, kb := len(a)-1, max(len(b)-2, 0)
	row, column := ka-1, kb+1
	if n.Int("transA", 0) != 0 && len(a) > 1 {
		ka, row = row, ka
	}
	if n.Int("transB", 0) != 0 && len(b) > 1 {
		kb, column = column, kb
	}
	if !alike(a[ka], b[kb]) {
		return r.refuse(n, elsewhere)
	}
	rows, columns := layout{}, layout{}
	if len(a) > 1 {
		rows = layout{a[row]}
	}
	if len(b) > 1 {
		columns = layout{b[column]}
	}
	l, ok := r.broadcast(a[:max(0, len(a)-2)], b[:max(0, len(b)-2)])
	if !ok {
		return r.refuse(n, elsewhere)
	}
	r.hide(n, 0, 0, ka)
	r.hide(n, 1, 0, kb)
	return r.keep(n, slices.Concat(l, rows, columns))
}

// integerProduct is of matrices of integers beyond zero points, whose contracted axis does not vary.
func integerProduct(r *rewriter, n *graph.Node) error {
	b := 1
	if n.Op == "QLinearMatMul" {
		b = 3
	}
	la, lb := r.layouts[n.Inputs[0]], r.layouts[n.Inputs[b]]
	if len(la) < 2 || len(lb) < 2 || varies(la[len(la)-1]) {
		return r.refuse(n, "the axis that it sums over varies")
	}
	l, ok := r.broadcast(la[:len(la)-2], lb[:len(lb)-2])
	if !ok {
		return r.refuse(n, elsewhere)
	}
	return r.keep(n, append(l, la[len(la)-2], lb[len(lb)-1]))
}

func gemm(r *rewriter, n *graph.Node) error {
	a, b := r.layouts[n.Inputs[0]], r.layouts[n.Inputs[1]]
	row, ka, kb, column := 0, 1, 0, 1
	if n.Int("transA", 0) != 0 {
		row, ka = 1, 0
	}
	if n.Int("transB", 0) != 0 {
		kb, column = 1, 0
	}
	l := layout{a[row], b[column]}
	if !alike(a[ka], b[kb]) {
		return r.refuse(n, elsewhere)
	}
	if v := n.Input(2); v != nil {
		if _, ok := r.broadcast(l, r.layouts[v]); !ok {
			return r.refuse(n, elsewhere)
		}
	}
	r.hide(n, 0, 0, ka)
	r.hide(n, 1, 0, kb)
	return r.keep(n, l)
}

// einsum hides the axes whose letters are not in the result.
func einsum(r *rewriter, n *graph.Node) error {
	equation := strings.ReplaceAll(n.Str("equation", ""), " ", "")
	left, out, told := strings.Cut(equation, "->")
	if !told || strings.Contains(equation, ".") {
		return r.refuse(n, "its equation %s has an ellipsis, or no result", equation)
	}
	axes := map[rune][]*extentOf{}
	terms := strings.Split(left, ",")
	for i, t := range terms {
		for a, c := range []rune(t) {
			axis := r.layouts[n.Inputs[i]][a]
			if axes[c] == nil || one(axes[c]) {
				axes[c] = axis
			} else if !one(axis) && !alike(axis, axes[c]) {
				return r.refuse(n, elsewhere)
			}
		}
	}
	for i, t := range terms {
		for a, c := range []rune(t) {
			if !strings.ContainsRune(out, c) {
				r.hide(n, i, 0, a)
			}
		}
	}
	l := layout{}
	for _, c := range out {
		l = append(l, axes[c])
	}
	return r.keep(n, l)
}

// recurrent has sequences end at their true extent.
func recurrent(r *rewriter, n *graph.Node) error {
	in := r.layouts[n.Inputs[0]]
	time, batch := 0, 1
	if n.Int("layout", 0) != 0 {
		time, batch = 1, 0
	}
	if len(in[time]) != 1 || len(in[batch]) != 1 || varies(in[2]) {
		return r.refuse(n, elsewhere)
	}
	for len(n.Inputs) < 5 {
		n.Inputs = append(n.Inputs, nil)
	}
	if n.Inputs[4] == nil && varies(in[time]) {
		length := r.cast(n, r.entry(n, in[time][0], 1), tir.I32)
		n.Inputs[4] = r.apply(n, "Expand", nil, []*graph.Value{length, r.constant(graph.Ints(n.Inputs[0].Shape[batch]))})
	} else if n.Inputs[4] != nil {
		r.hideAll(n, 4, 0)
	}
	one := []*extentOf{r.space.number(1)}
	directions, width := one, []*extentOf{r.space.number(n.Inputs[2].Shape[2])}
	if n.Str("direction", "forward") == "bidirectional" {
		directions = []*extentOf{r.space.number(2)}
	}
	all, last := layout{in[time], directions, in[batch], width}, layout{directions, in[batch], width}
	if time == 1 {
		all, last = layout{in[batch], in[time], directions, width}, layout{in[batch], directions, width}
	}
	return r.keep(n, all, last, last)
}
