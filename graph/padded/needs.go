package padded

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Needs returns of values of a graph which of their elements are needed: those within the true extents of digits that
// have an entry. All of other values are. The graph may be one that passes have rewritten: that follows from what cuts,
// masks, and the programs of nodes read. It also returns the vector of extents, or nil, to which it adds those below
// which windows and such read.
func Needs(g *graph.Graph) (map[*graph.Value][]extent.Digit, *graph.Value) {
	i := slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.Domain == "wmtune" && n.Op == "Extents" })
	if i < 0 {
		return nil, nil
	}
	s := needs{map[*graph.Value][]extent.Digit{}, newLimits(g.Nodes[i])}
	for _, v := range g.Outputs {
		s.meet(v, nil)
	}
	for _, n := range slices.Backward(g.Nodes) {
		s.node(n)
	}
	for v, digits := range s.of {
		if !restricts(digits) {
			delete(s.of, v)
		}
	}
	s.limits.add(s.of)
	return s.of, g.Nodes[i].Outputs[0]
}

// needs has what is needed of values that are read. An entry of a digit is the number of a limit.
type needs struct {
	of     map[*graph.Value][]extent.Digit
	limits *limits
}

func restricts(digits []extent.Digit) bool {
	return slices.ContainsFunc(digits, func(d extent.Digit) bool { return d.Entry >= 0 })
}

// meet adds what another reader needs: nil stands for all.
func (s needs) meet(v *graph.Value, digits []extent.Digit) {
	if v == nil {
		return
	}
	digits = joined(digits)
	if old, ok := s.of[v]; ok {
		digits = refined(old, digits, s.limits.either)
	}
	s.of[v] = digits
}

// joined returns digits without those of one place, and with neighbours that are constant as one.
func joined(digits []extent.Digit) []extent.Digit {
	var list []extent.Digit
	for _, d := range digits {
		last := len(list) - 1
		switch {
		case d.Upper == 1:
		case last >= 0 && list[last].Axis == d.Axis && list[last].Entry < 0 && d.Entry < 0:
			list[last].Upper *= d.Upper
		default:
			list = append(list, d)
		}
	}
	return list
}

// refined returns the digits that both lists of one shape have, with an entry of the two of each: a digit of which all
// places are needed is divided where the other list has more digits. It is nil if a restricted digit would be divided.
func refined(a, b []extent.Digit, entry func(x, y int) int) []extent.Digit {
	var list []extent.Digit
	a, b = slices.Clone(a), slices.Clone(b)
	for len(a) > 0 && len(b) > 0 {
		x, y := &a[0], &b[0]
		n := min(x.Upper, y.Upper)
		if x.Axis != y.Axis || x.Upper%n != 0 || y.Upper%n != 0 || x.Upper > n && x.Entry >= 0 ||
			y.Upper > n && y.Entry >= 0 {
			return nil
		}
		list = append(list, extent.Digit{Axis: x.Axis, Upper: n, Entry: entry(x.Entry, y.Entry)})
		if x.Upper /= n; x.Upper == 1 {
			a = a[1:]
		}
		if y.Upper /= n; y.Upper == 1 {
			b = b[1:]
		}
	}
	if len(a) > 0 || len(b) > 0 {
		return nil
	}
	return joined(list)
}

// node adds what a node reads.
func (s needs) node(n *graph.Node) {
	row, err := op.Find(n)
	all := func() {
		for _, v := range n.Reads() {
			s.meet(v, nil)
		}
	}
	var y *graph.Value
	if len(n.Outputs) == 1 {
		y = n.Outputs[0]
	}
	switch {
	case err != nil || y == nil:
		all()
	case n.Domain == "wmtune" && n.Op == "Cut":
		s.meet(n.Inputs[0], extent.CutOf(n))
		s.meet(n.Inputs[1], nil)
	case extent.IsPack(n) || extent.IsUnpack(n):
		s.meet(n.Inputs[0], s.rows(n))
		s.meet(n.Inputs[1], nil)
	case extent.IsMask(n):
		s.meet(n.Inputs[0], s.masked(n, s.of[y]))
		s.meet(n.Inputs[1], nil)
	case op.IsAlias(n) && y.Extents == nil && n.Inputs[0].Extents == nil:
		digits, _, _ := extent.Regroup(s.of[y], n.Inputs[0].Shape)
		s.meet(n.Inputs[0], digits)
		for _, v := range n.Inputs[1:] {
			s.meet(v, nil)
		}
	case !restricts(s.of[y]):
		all()
	case row.Opaque != nil && row.Opaque.Reads != nil && row.Form(n) == op.FormOpaque:
		s.function(row.Opaque, n, y)
	case row.Body == nil || row.Form(n) != op.FormBody:
		all()
	default:
		s.body(n, y)
	}
}

// rows returns what is read of the operand of a node that packs rows, or of one that has them where the bounds do.
func (s needs) rows(n *graph.Node) []extent.Digit {
	list, x := extent.Digits(n), n.Inputs[0]
	axes := list[len(list)-1].Axis + 1
	if extent.IsUnpack(n) {
		list, axes = []extent.Digit{{Upper: x.Shape[0], Entry: int(n.Int("rows", -1))}}, 1
	}
	for i, d := range list {
		if x.Shape[d.Axis] == 1 {
			list[i] = extent.Digit{Axis: d.Axis, Upper: 1, Entry: -1}
		}
	}
	for a, size := range x.Shape[axes:] {
		list = append(list, extent.Digit{Axis: axes + a, Upper: size, Entry: -1})
	}
	return list
}

// masked returns what a mask reads: what its result is needed of, but for what it hides.
func (s needs) masked(n *graph.Node, result []extent.Digit) []extent.Digit {
	own := extent.Hidden(n)
	shape := n.Outputs[0].Shape
	a, _, ok := extent.Regroup(own, shape)
	b, _, too := extent.Regroup(result, shape)
	if !ok || !restricts(result) {
		return own
	}
	if too {
		if both := refined(joined(a), joined(b), shown); both != nil {
			return both
		}
	}
	if restricts(own) {
		return own
	}
	return result
}

// shown returns what is needed of a digit that a mask hides beyond x, and whose reader needs it below y.
func shown(x, y int) int {
	if x >= 0 {
		return x
	}
	return y
}

// function adds what a function by hand reads that says it.
func (s needs) function(f *op.Function, n *graph.Node, y *graph.Value) {
	r := &reader{limits: s.limits, axes: map[*tir.Var]spot{}}
	var at []tir.Expr
	for i, size := range y.Shape {
		v := tir.NewVar("i")
		r.axes[v], at = spotOf(s.of[y], i, size), append(at, v)
	}
	var digits []extent.Digit
	for d, e := range f.Reads(n, at) {
		digits = append(digits, r.index(e, d, n.Inputs[0].Shape[d])...)
	}
	s.meet(n.Inputs[0], digits)
	for _, v := range n.Inputs[1:] {
		s.meet(v, nil)
	}
}

// body adds what the program of a node reads: along an axis of the result, what that is needed of, if it reads an
// operand at the place of the axis. Indices that it reads are needed, and so is what is reduced.
func (s needs) body(n *graph.Node, y *graph.Value) {
	p, err := dag.Compose([]*graph.Node{n}, n.Outputs)
	if err != nil || p.DAG.Outputs != 1 {
		for _, v := range n.Reads() {
			s.meet(v, nil)
		}
		return
	}
	of := map[*tir.Buffer]*graph.Value{} // a value for each stage, whose shape is that of the buffer
	for i, b := range p.DAG.Inputs() {
		of[b] = p.Inputs[i]
	}
	local := needs{map[*graph.Value][]extent.Digit{}, s.limits}
	for _, o := range p.DAG.Ops {
		for _, b := range o.Results {
			if of[b] == nil {
				of[b] = &graph.Value{Name: b.Name, Shape: b.Shape}
			}
		}
	}
	result := p.DAG.Results()[0]
	digits, _, ok := extent.Regroup(s.of[y], result.Shape)
	if ok {
		local.of[of[result]] = digits
	} else {
		local.of[of[result]] = nil
	}
	for _, o := range slices.Backward(p.DAG.Ops) {
		if !o.IsPlaceholder() {
			local.stage(o, of)
		}
	}
	for _, v := range n.Inputs {
		if v != nil {
			digits, ok := local.of[v]
			if !ok && !slices.Contains(p.Inputs, v) {
				continue // it is not read
			}
			s.meet(v, digits)
		}
	}
}

// stage adds what a stage reads.
func (s needs) stage(o *compute.Op, of map[*tir.Buffer]*graph.Value) {
	var result []extent.Digit
	for i, b := range o.Results {
		if i == 0 {
			result = s.of[of[b]]
		} else {
			result = refined(result, s.of[of[b]], s.limits.either)
		}
	}
	r := &reader{limits: s.limits, axes: map[*tir.Var]spot{}}
	for i, a := range o.Axes {
		r.axes[a.Var] = spotOf(result, i, a.Extent)
	}
	for _, a := range o.ReduceAxes {
		r.axes[a.Var] = spot{parts: []part{{1, a.Extent, -1}}}
	}
	var read func(e tir.Expr, inside bool) bool
	read = func(e tir.Expr, inside bool) bool {
		load, ok := e.(*tir.Load)
		if !ok {
			return true
		}
		var digits []extent.Digit
		for d, at := range load.Index {
			tir.VisitExpr(at, func(e tir.Expr) bool { return read(e, true) })
			digits = append(digits, r.index(at, d, load.Buffer.Shape[d])...)
		}
		if inside {
			digits = nil
		}
		s.meet(of[load.Buffer], digits)
		return false
	}
	for _, e := range o.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool { return read(e, false) })
	}
}

// spotOf returns the spot of an axis of a result of which digits are needed; nil stands for all.
func spotOf(digits []extent.Digit, axis int, size int64) spot {
	p, inner := spot{}, int64(1)
	for _, d := range slices.Backward(digits) {
		if d.Axis == axis {
			p.parts = append(p.parts, part{inner, d.Upper, d.Entry})
			inner *= d.Upper
		}
	}
	if inner != size {
		return spot{parts: []part{{1, size, -1}}}
	}
	return p
}
