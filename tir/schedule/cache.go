package schedule

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

func (s CacheRead) apply(b *builder) error {
	if s.At < 0 || s.At >= len(b.s.Stages) {
		return fmt.Errorf("no stage %d: there are %d", s.At, len(b.s.Stages))
	}
	st := b.s.Stages[s.At]
	scope, err := cacheScope(s.Scope)
	if err != nil {
		return err
	}
	switch {
	case len(s.Readers) == 0:
		return fmt.Errorf("no reader is listed")
	case st.At == Inlined:
		return fmt.Errorf("stage %s is inlined: it has no result to cache", st.Op.Name)
	}
	from := st.Op.Results[0]
	r := redirection{from: from}
	for _, reader := range s.Readers {
		if reader < 0 || reader >= len(b.s.Stages) {
			return fmt.Errorf("no reader stage %d: there are %d", reader, len(b.s.Stages))
		}
		if op := b.s.Stages[reader].Op; !reads(op, from) {
			return fmt.Errorf("stage %d (%s) does not read %s", reader, op.Name, st.Op.Name)
		}
		r.readers = append(r.readers, reader+1)
	}
	cache := cacheReadOp(st.Op, scope, b.cacheName(st.Op, scope))
	r.to = cache.Results[0]
	b.insert(s.At+1, newStage(cache))
	b.setOps(&r)
	return b.checkNesting()
}

// reads reports whether op loads from buf.
func reads(op *compute.Op, buf *tir.Buffer) bool {
	return slices.ContainsFunc(op.Body, func(e tir.Expr) bool { return tir.ReadsBuffer(e, buf) })
}

// cacheName returns the name of a cache of op: A.shared, or A.d.shared,
// A.d.d.shared if there are stages with that name.
func (b *builder) cacheName(op *compute.Op, scope tir.Scope) string {
	base := op.Name
	if len(op.Results) > 1 {
		base += ".v0"
	}
	for {
		name := base + "." + string(scope)
		if !slices.ContainsFunc(b.s.Stages, func(st *Stage) bool { return st.Op.Name == name }) {
			return name
		}
		base += ".d"
	}
}

func cacheReadOp(op *compute.Op, scope tir.Scope, name string) *compute.Op {
	from := op.Results[0]
	axes := make([]*compute.Axis, len(from.Shape))
	for i, n := range from.Shape {
		axes[i] = &compute.Axis{Var: tir.NewVar("ax" + strconv.Itoa(i)), Extent: n}
	}
	return &compute.Op{
		Name:    name,
		Results: []*tir.Buffer{{Name: name, Type: from.Type, Shape: from.Shape, Scope: scope}},
		Axes:    axes,
		Body:    []tir.Expr{&tir.Load{Buffer: from, Index: compute.Vars(axes)}},
	}
}

// A redirection makes some stages read another buffer.
type redirection struct {
	from, to *tir.Buffer
	readers  []int
}

// op returns o with its loads redirected.
func (r *redirection) op(o *compute.Op) *compute.Op {
	c := *o
	c.Body = make([]tir.Expr, len(o.Body))
	for k, body := range o.Body {
		c.Body[k] = tir.SubstituteLoads(body, func(l *tir.Load) tir.Expr {
			if l.Buffer == r.from {
				return &tir.Load{Buffer: r.to, Index: l.Index}
			}
			return l
		})
	}
	return &c
}

func (s CacheWrite) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	scope, err := cacheScope(s.Scope)
	if err != nil {
		return err
	}
	if err := b.untouched(s.At); err != nil {
		return err
	}
	cache, copied := cacheWriteOps(st.Op, scope)
	b.replaceOp(s.At, newStage(copied))
	b.insert(s.At, newStage(cache))
	b.setOps(nil)
	return nil
}

// cacheScope returns the scope that a cache may be in.
func cacheScope(name string) (tir.Scope, error) {
	switch s := tir.Scope(name); s {
	case tir.Global, tir.Shared, tir.Warp, tir.Local, tir.Inp, tir.Wgt:
		return s, nil
	}
	return "", fmt.Errorf("unknown scope %q: known are global, shared, warp, local, inp, wgt", name)
}

// untouched returns an error if a step was applied to a stage or in it.
func (b *builder) untouched(i int) error {
	st := b.s.Stages[i]
	fresh := st.At == AtRoot && st.AutoUnroll == 0 && st.StorageOffset == 0 && len(st.Aligns) == 0 &&
		st.Buffering == OneBuffer && st.loops.untouched()
	for _, it := range st.Iters {
		fresh = fresh && it.Ann == None
	}
	if !fresh {
		return fmt.Errorf("a step was applied to stage %s already", st.Op.Name)
	}
	if b.s.Attach.hasInside(i) {
		return fmt.Errorf("stage %s has stages attached in it", st.Op.Name)
	}
	return nil
}

// cacheWriteOps returns the op that computes op into a cache, and the copy of
// the cache that takes the place of op. The copy writes the same buffers, so the
// readers of op stay as they are.
func cacheWriteOps(op *compute.Op, scope tir.Scope) (cache, copied *compute.Op) {
	axes, to := renamedAxes(op.Axes, func(name string) string { return name + ".c" })
	c := *op
	c.Name = op.Name + "." + string(scope)
	c.Axes = axes
	c.Results = make([]*tir.Buffer, len(op.Results))
	c.Body = make([]tir.Expr, len(op.Body))
	o := *op
	o.ReduceAxes, o.Combine = nil, nil
	o.Body = make([]tir.Expr, len(op.Body))
	for k, r := range op.Results {
		c.Results[k] = &tir.Buffer{Name: c.Name, Type: r.Type, Shape: r.Shape, Scope: scope}
		c.Body[k] = tir.Substitute(op.Body[k], to)
		o.Body[k] = &tir.Load{Buffer: c.Results[k], Index: compute.Vars(op.Axes)}
	}
	return &c, &o
}

// renamedAxes returns new axes and what to substitute for the old variables.
func renamedAxes(axes []*compute.Axis, name func(string) string) ([]*compute.Axis, map[*tir.Var]tir.Expr) {
	list := make([]*compute.Axis, len(axes))
	to := make(map[*tir.Var]tir.Expr, len(axes))
	for i, a := range axes {
		v := &tir.Var{Name: name(a.Var.Name), Type: a.Var.Type}
		list[i] = &compute.Axis{Var: v, Extent: a.Extent}
		to[a.Var] = v
	}
	return list, to
}

// replaceOp puts a new stage in place of stage i.
func (b *builder) replaceOp(i int, st *Stage) {
	b.s.Stages[i] = st
	b.own[i] = true
}

// setOps makes the current DAG of the ops of the stages, some of which read
// another buffer if redirect is not nil.
func (b *builder) setOps(redirect *redirection) {
	ops := make([]*compute.Op, len(b.s.Stages))
	for i, st := range b.s.Stages {
		if redirect != nil && slices.Contains(redirect.readers, i) {
			b.stage(i).Op = redirect.op(st.Op)
		}
		ops[i] = b.s.Stages[i].Op
	}
	b.s.Current = newDAG(b.s.DAG, ops)
	b.s.flow, b.ownsFlow = new(flow), true
}

// newDAG returns a DAG of other ops with the arguments of d.
func newDAG(d *compute.DAG, ops []*compute.Op) *compute.DAG {
	return &compute.DAG{Tensors: d.Tensors, Outputs: d.Outputs, Ops: ops}
}
