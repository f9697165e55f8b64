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
// masks, and the programs of nodes read. It also returns the vector of extents, or nil.
func Needs(g *graph.Graph) (map[*graph.Value][]extent.Digit, *graph.Value) {
	i := slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.Domain == "wmtune" && n.Op == "Extents" })
	if i < 0 {
		return nil, nil
	}
	s := needs{}
	for _, v := range g.Outputs {
		s.meet(v, nil)
	}
	for _, n := range slices.Backward(g.Nodes) {
		s.node(n)
	}
	for v, digits := range s {
		if !restricts(digits) {
			delete(s, v)
		}
	}
	return s, g.Nodes[i].Outputs[0]
}

// needs has what is needed of values that are read.
type needs map[*graph.Value][]extent.Digit

func restricts(digits []extent.Digit) bool {
	return slices.ContainsFunc(digits, func(d extent.Digit) bool { return d.Entry >= 0 })
}

// meet adds what another reader needs: nil stands for all.
func (s needs) meet(v *graph.Value, digits []extent.Digit) {
	if v == nil {
		return
	}
	digits = joined(digits)
	if old, ok := s[v]; ok {
		digits = common(old, digits)
	}
	s[v] = digits
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

// common returns what one of two readers needs: digits that restrict both.
func common(a, b []extent.Digit) []extent.Digit {
	return refined(a, b, func(x, y int) int {
		if x == y {
			return x
		}
		return -1
	})
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
		s.meet(n.Inputs[0], extent.Digits(n))
		s.meet(n.Inputs[1], nil)
	case extent.IsMask(n):
		s.meet(n.Inputs[0], s.masked(n, s[y]))
		s.meet(n.Inputs[1], nil)
	case op.IsAlias(n) && y.Extents == nil && n.Inputs[0].Extents == nil:
		digits, _, _ := extent.Regroup(s[y], n.Inputs[0].Shape)
		s.meet(n.Inputs[0], digits)
		for _, v := range n.Inputs[1:] {
			s.meet(v, nil)
		}
	case row.Body == nil || row.Form(n) != op.FormBody || !restricts(s[y]):
		all()
	default:
		s.body(n, y)
	}
}

// masked returns what a mask reads: what its result is needed of, but for what it hides.
func (s needs) masked(n *graph.Node, result []extent.Digit) []extent.Digit {
	own := extent.Digits(n)
	for i := range own {
		if !slices.Contains(n.Ints("hides"), int64(i)) {
			own[i].Entry = -1
		}
	}
	shape := n.Outputs[0].Shape
	a, _, ok := extent.Regroup(own, shape)
	b, _, too := extent.Regroup(result, shape)
	if !ok || !restricts(result) {
		return own
	}
	if too {
		if both := refined(joined(a), joined(b), func(x, y int) int { return max(x, y) }); both != nil {
			return both
		}
	}
	if restricts(own) {
		return own
	}
	return result
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
	local := needs{}
	for _, o := range p.DAG.Ops {
		for _, b := range o.Results {
			if of[b] == nil {
				of[b] = &graph.Value{Name: b.Name, Shape: b.Shape}
			}
		}
	}
	result := p.DAG.Results()[0]
	digits, _, ok := extent.Regroup(s[y], result.Shape)
	if ok {
		local[of[result]] = digits
	} else {
		local[of[result]] = nil
	}
	for _, o := range slices.Backward(p.DAG.Ops) {
		if !o.IsPlaceholder() {
			local.stage(o, of)
		}
	}
	for _, v := range n.Inputs {
		if v != nil {
			digits, ok := local[v]
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
			result = s[of[b]]
		} else {
			result = common(result, s[of[b]])
		}
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
			axis := slices.IndexFunc(o.Axes, func(a *compute.Axis) bool { return tir.Expr(a.Var) == at })
			found := false
			for _, r := range result {
				if axis >= 0 && r.Axis == axis {
					digits, found = append(digits, extent.Digit{Axis: d, Upper: r.Upper, Entry: r.Entry}), true
				}
			}
			if !found {
				digits = append(digits, extent.Digit{Axis: d, Upper: load.Buffer.Shape[d], Entry: -1})
			}
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
