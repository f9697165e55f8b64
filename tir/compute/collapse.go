package compute

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Collapse returns d with neighbouring dimensions made one wherever all ops go through them side by side, as through
// rows. The tensors have the same elements in the same order. A product of 49 rows can be cut into tiles in more ways
// than one of 7 times 7.
//
//	y(n: 1, i: 7, j: 7, c: 64) = sum(k: 32) x[n, i, j, k]*w[k, c]      with x: float32[1, 7, 7, 32]
//	=>
//	y(i: 49, c: 64) = sum(k: 32) x[i, k]*w[k, c]                       with x: float32[49, 32]
//
// Dimensions of one element become part of the one that follows, if that one is made of several. Loops of a reduction
// that run once are left out, as those over a window of 1x1. A DAG whose ops have attributes that name axes is returned
// as it is, as is one with nothing to collapse.
func Collapse(given *DAG) *DAG {
	d := withoutUnits(given)
	c := collapse{dims: map[*tir.Buffer]links{}, reduce: map[*Op]links{}}
	for _, op := range d.Ops {
		a := op.Attrs
		if len(a.SimplifyConstTensorIndices)+len(a.NoSplitAtInner)+len(a.AlwaysUnrollInner) > 0 {
			return given
		}
		c.reduce[op] = newLinks(extents(op.ReduceAxes))
		for _, b := range op.Results {
			if b.Strides != nil {
				return given
			}
			c.dims[b] = newLinks(b.Shape)
		}
	}
	for c.changed = true; c.changed; {
		c.changed = false
		for _, op := range d.Ops {
			c.check(op)
		}
	}
	if !c.any() {
		return given
	}
	return c.rewrite(d)
}

// withoutUnits returns d without the loops of reductions that run once, but for the last one of each. What was read at
// i + 0 is read at i.
func withoutUnits(d *DAG) *DAG {
	n := &DAG{Tensors: d.Tensors, Outputs: d.Outputs}
	for _, op := range d.Ops {
		n.Ops = append(n.Ops, withoutUnitsOf(op))
	}
	return n
}

func withoutUnitsOf(op *Op) *Op {
	n, zero := *op, map[*tir.Var]tir.Expr{}
	n.ReduceAxes = nil
	for i, a := range op.ReduceAxes {
		if last := i+1 == len(op.ReduceAxes) && n.ReduceAxes == nil; a.Extent > 1 || last {
			n.ReduceAxes = append(n.ReduceAxes, a)
			continue
		}
		zero[a.Var] = tir.Int(0)
	}
	if len(zero) == 0 {
		return op
	}
	n.Body = nil
	for _, e := range op.Body {
		n.Body = append(n.Body, tir.MapExpr(e, func(e tir.Expr) tir.Expr { return plain(e, zero) }))
	}
	return &n
}

// plain puts 0 in the place of some variables, in an expression whose operands are plain, and leaves a sum with it out.
func plain(e tir.Expr, zero map[*tir.Var]tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if z, ok := zero[e]; ok {
			return z
		}
	case *tir.Binary:
		if e.Op != tir.Add {
			break
		}
		if isZero(e.Y) {
			return e.X
		}
		if isZero(e.X) {
			return e.Y
		}
	}
	return e
}

func isZero(e tir.Expr) bool {
	n, ok := e.(*tir.IntImm)
	return ok && n.Value == 0
}

func extents(axes []*Axis) []int64 {
	var list []int64
	for _, a := range axes {
		list = append(list, a.Extent)
	}
	return list
}

// links says which dimensions of a shape become one. Those of one element are passed over.
type links struct {
	shape []int64
	wide  []int  // the dimensions of more than one element
	with  []bool // whether wide dimension i and the next become one
}

func newLinks(shape []int64) links {
	l := links{shape: shape}
	for i, n := range shape {
		if n > 1 {
			l.wide = append(l.wide, i)
		}
	}
	l.with = slices.Repeat([]bool{true}, max(len(l.wide)-1, 0))
	return l
}

// groups returns the first dimension of each dimension of the collapsed shape, and what is beyond the last.
func (l links) groups() []int {
	var list []int
	next := 0
	for i := 0; i < len(l.wide); {
		last := i
		for last < len(l.with) && l.with[last] {
			last++
		}
		if last > i { // with those of one element before it
			list = append(list, next)
		} else {
			for at := next; at <= l.wide[i]; at++ {
				list = append(list, at)
			}
		}
		next, i = l.wide[last]+1, last+1
	}
	for at := next; at <= len(l.shape); at++ {
		list = append(list, at)
	}
	return list
}

// A collapse finds out which dimensions become one: at first all, then fewer until no op objects.
type collapse struct {
	dims    map[*tir.Buffer]links
	reduce  map[*Op]links
	changed bool

	buffers map[*tir.Buffer]*tir.Buffer // set by rewrite
}

// cut parts wide dimension i of a shape from the next; one that is not there has no link.
func (c *collapse) cut(l links, i int) {
	if i >= 0 && i < len(l.with) && l.with[i] {
		l.with[i] = false
		c.changed = true
	}
}

func (c *collapse) any() bool {
	for _, l := range c.dims {
		if slices.Contains(l.with, true) {
			return true
		}
	}
	return false
}

// A seat is the place of an axis among those of more than one element, spatial or of the reduction.
type seat struct {
	links links
	at    int
}

// joins reports whether an axis becomes one with the next, which is q.
func (p seat) joins(q seat) bool {
	return &p.links.wide[0] == &q.links.wide[0] && q.at == p.at+1 && p.links.with[p.at]
}

// check has an op object to what its body does not go through side by side.
func (c *collapse) check(op *Op) {
	if op.IsPlaceholder() {
		return
	}
	for _, b := range op.Results[1:] { // all have the axes of the first
		for i := range c.dims[b].with {
			if !c.dims[b].with[i] || !c.dims[op.Results[0]].with[i] {
				c.cut(c.dims[b], i)
				c.cut(c.dims[op.Results[0]], i)
			}
		}
	}
	seats := map[*tir.Var]seat{}
	note := func(axes []*Axis, l links) {
		for i, a := range axes {
			if at := slices.Index(l.wide, i); at >= 0 {
				seats[a.Var] = seat{l, at}
			}
		}
	}
	note(op.Axes, c.dims[op.Results[0]])
	note(op.ReduceAxes, c.reduce[op])
	var visit func(e tir.Expr) bool
	visit = func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			c.checkLoad(l, seats)
			for _, x := range l.Index {
				if asVar(x) == nil {
					tir.VisitExpr(x, visit)
				}
			}
			return false
		}
		if p, ok := seats[asVar(e)]; ok { // it is a value, or a part of an index
			c.cut(p.links, p.at-1)
			c.cut(p.links, p.at)
		}
		return true
	}
	for _, body := range op.Body {
		tir.VisitExpr(body, visit)
	}
}

func asVar(e tir.Expr) *tir.Var {
	v, _ := e.(*tir.Var)
	return v
}

// checkLoad parts those dimensions of what is read that are not read at linked axes, and those axes that are not read
// at linked dimensions.
func (c *collapse) checkLoad(l *tir.Load, seats map[*tir.Var]seat) {
	dims := c.dims[l.Buffer]
	at := func(i int) (seat, bool) { // of the axis that wide dimension i is read at
		p, ok := seats[asVar(l.Index[dims.wide[i]])]
		return p, ok
	}
	follows := func(i int) bool { // dimension i+1 is read, as a whole, at the axis that follows the one of i
		if i < 0 || i >= len(dims.with) {
			return false
		}
		p, ok := at(i)
		q, also := at(i + 1)
		return ok && also && dims.with[i] && p.joins(q) && q.links.shape[q.links.wide[q.at]] == dims.shape[dims.wide[i+1]]
	}
	for i := range dims.wide {
		if !follows(i) {
			c.cut(dims, i)
		}
		if p, ok := at(i); ok {
			if !follows(i) {
				c.cut(p.links, p.at)
			}
			if !follows(i - 1) {
				c.cut(p.links, p.at-1)
			}
		}
	}
}

func (c *collapse) rewrite(d *DAG) *DAG {
	c.buffers = map[*tir.Buffer]*tir.Buffer{}
	n := &DAG{Outputs: d.Outputs}
	for _, op := range d.Ops {
		n.Ops = append(n.Ops, c.op(op))
	}
	for _, b := range d.Tensors {
		n.Tensors = append(n.Tensors, c.buffers[b])
	}
	return n
}

func (c *collapse) op(op *Op) *Op {
	n := *op
	n.Results = nil
	for _, b := range op.Results {
		flat := *b
		flat.Shape, flat.Given = nil, b.GivenShape()
		bounds := c.dims[b].groups()
		for i, first := range bounds[:len(bounds)-1] {
			flat.Shape = append(flat.Shape, product(b.Shape[first:bounds[i+1]]))
		}
		c.buffers[b] = &flat
		n.Results = append(n.Results, &flat)
	}
	if op.IsPlaceholder() {
		return &n
	}
	vars := map[*tir.Var]tir.Expr{}
	n.Axes = merge(op.Axes, c.dims[op.Results[0]], vars)
	n.ReduceAxes = merge(op.ReduceAxes, c.reduce[op], vars)
	n.Body = nil
	for _, e := range op.Body {
		n.Body = append(n.Body, tir.MapExpr(e, func(e tir.Expr) tir.Expr { return c.expr(e, vars) }))
	}
	n.Attrs.LayoutFree = nil
	for _, b := range op.Attrs.LayoutFree {
		n.Attrs.LayoutFree = append(n.Attrs.LayoutFree, c.buffers[b])
	}
	return &n
}

// merge returns the axes that are left, and adds what stands for those that are not: the one that they are part of.
func merge(axes []*Axis, l links, vars map[*tir.Var]tir.Expr) []*Axis {
	var list []*Axis
	bounds := l.groups()
	for i, first := range bounds[:len(bounds)-1] {
		group := axes[first:bounds[i+1]]
		if len(group) == 1 {
			list = append(list, group[0])
			continue
		}
		wide := group[slices.IndexFunc(group, func(a *Axis) bool { return a.Extent > 1 })]
		whole := &Axis{Var: tir.NewVar(wide.Var.Name), Extent: product(extents(group))}
		for _, a := range group {
			vars[a.Var] = tir.Int(0)
			if a.Extent > 1 {
				vars[a.Var] = whole.Var
			}
		}
		list = append(list, whole)
	}
	return list
}

// expr maps an expression whose operands are mapped: dimensions that become one are read at the same axis.
func (c *collapse) expr(e tir.Expr, vars map[*tir.Var]tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if x := vars[e]; x != nil {
			return x
		}
	case *tir.Load:
		l := &tir.Load{Buffer: c.buffers[e.Buffer]}
		bounds := c.dims[e.Buffer].groups()
		for i, first := range bounds[:len(bounds)-1] {
			at := first
			for bounds[i+1]-first > 1 && e.Buffer.Shape[at] == 1 {
				at++
			}
			l.Index = append(l.Index, e.Index[at])
		}
		return l
	}
	return e
}

func product(list []int64) int64 {
	n := int64(1)
	for _, x := range list {
		n *= x
	}
	return n
}

// FewerSparse reports whether a reduction of d has an axis of few divisors that is part of a longer one in the
// collapsed DAG.
func FewerSparse(d, collapsed *DAG) bool {
	for i, op := range d.Ops {
		if len(op.ReduceAxes) > 0 && sparseAxes(op) > sparseAxes(collapsed.Ops[i]) {
			return true
		}
	}
	return false
}

// sparseAxes counts the spatial axes of few divisors.
func sparseAxes(op *Op) int {
	n := 0
	for _, a := range op.Axes {
		if arith.Sparse(a.Extent) {
			n++
		}
	}
	return n
}
