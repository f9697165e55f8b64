package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

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
	case tir.Global, tir.Shared, tir.Warp, tir.Local:
		return s, nil
	}
	return "", fmt.Errorf("unknown scope %q: known are global, shared, warp, local", name)
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
		o.Body[k] = &tir.Load{Buffer: c.Results[k], Index: axisVars(op.Axes)}
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

func axisVars(axes []*compute.Axis) []tir.Expr {
	list := make([]tir.Expr, len(axes))
	for i, a := range axes {
		list[i] = a.Var
	}
	return list
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
