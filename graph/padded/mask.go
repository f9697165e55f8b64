package padded

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// hide has operand i of a node be a known number beyond the true extents of some axes.
func (r *rewriter) hide(n *graph.Node, i int, value float64, axes ...int) {
	n.Inputs[i] = r.hidden(n, n.Inputs[i], value, axes...)
}

// hidden returns what has a number beyond the true extents of some axes of v: v itself if it has it already.
func (r *rewriter) hidden(like *graph.Node, v *graph.Value, value float64, axes ...int) *graph.Value {
	l, c := r.layouts[v], r.claims[v]
	var need []int
	for _, a := range axes {
		if varies(l[a]) && !(c.covers(a) && c.value == value) {
			need = append(need, a)
		}
	}
	if need == nil {
		return v
	}
	key := fmt.Sprint(v.Name, value, need)
	if r.masks[key] != nil {
		return r.masks[key]
	}
	digits, of := r.space.digits(l)
	var hides []int64
	m := claim{value, make([]bool, len(l))}
	for i, d := range digits {
		for _, a := range need {
			if d.Axis == a && !of[i].fixed() {
				hides, m.axes[a] = append(hides, int64(i)), true
			}
		}
	}
	for a := range l {
		m.axes[a] = m.axes[a] || c.covers(a) && c.value == value
	}
	attrs := append(extent.Attrs(digits), graph.IntsAttr("hides", hides...))
	switch {
	case v.Type.IsFloat():
		attrs = append(attrs, graph.FloatAttr("value", value))
	case math.Abs(value) < 1<<53:
		attrs = append(attrs, graph.IntAttr("ivalue", int64(value)))
	case value > 0:
		_, _, most := expr.Limits(v.Type)
		attrs = append(attrs, graph.IntAttr("ivalue", most))
	default:
		attrs = append(attrs, graph.IntAttr("ivalue", math.MinInt64))
	}
	w := r.apply(like, "wmtune.Mask", l, []*graph.Value{v, r.entries}, attrs...)
	r.claims[w], r.masks[key] = m, w
	return w
}

// hideAll is hide of all axes.
func (r *rewriter) hideAll(n *graph.Node, i int, value float64) {
	var axes []int
	for a := range r.layouts[n.Inputs[i]] {
		axes = append(axes, a)
	}
	r.hide(n, i, value, axes...)
}

// lowest is what no element of a value is below.
func lowest(v *graph.Value) float64 {
	if v.Type.IsFloat() {
		return math.Inf(-1)
	}
	lo, _, _ := expr.Limits(v.Type)
	return lo
}

// highest is what no element of a value is above.
func highest(v *graph.Value) float64 {
	if v.Type.IsFloat() {
		return math.Inf(1)
	}
	_, hi, _ := expr.Limits(v.Type)
	return hi
}
