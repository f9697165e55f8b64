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
	found := false
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok && l.Buffer == buf {
				found = true
			}
			return !found
		})
	}
	return found
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
		Body:    []tir.Expr{&tir.Load{Buffer: from, Index: axisVars(axes)}},
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
