package schedule

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Ranges, spans and values travel along the relations of a loop tree: down from
// the axes to the loops, or up (te/schedule/message_passing.cc). Every node
// starts at 0 here; what an axis starts at is added at the root.

// passDown sets the extents of all nodes from those of the region. A piece of a
// split is no longer than its parent, unless it is bound to threads: their
// number may have to match that of other stages. It is an error if the loops
// would run for ever.
func (n *nest) passDown(st *Stage) error {
	t := st.loops
	n.extents = make([]int64, t.nodes)
	for d, b := range n.region {
		n.extents[d] = b.extent
	}
	bound := threadNodes(st)
	for _, r := range t.rels {
		switch r.kind {
		case splitRel:
			first, second := r.inner, r.outer
			if r.nparts {
				first, second = r.outer, r.inner
			}
			whole := n.extents[r.parent]
			n.extents[first] = r.length
			if !bound[first] {
				n.extents[first] = min(whole, r.length)
			}
			n.extents[second] = (whole + r.length - 1) / r.length
		case fuseRel:
			n.extents[r.parent] = times(n.extents[r.outer], n.extents[r.inner])
		case unitRel:
			n.extents[r.parent] = 1
		}
	}
	all := int64(1)
	for _, leaf := range t.leaves {
		all = times(all, n.extents[leaf])
	}
	if all > maxExtent {
		return fmt.Errorf("schedule: the number of iterations of stage %s is out of range", st.Op.Name)
	}
	return nil
}

// threadNodes reports of each node whether a loop that derives from it is bound
// to threads.
func threadNodes(st *Stage) []bool {
	t := st.loops
	bound := make([]bool, t.nodes)
	for k, leaf := range t.leaves {
		bound[leaf] = st.Iters[k].Ann.IsThread()
	}
	for k := len(t.rels) - 1; k >= 0; k-- {
		switch r := t.rels[k]; r.kind {
		case splitRel:
			bound[r.parent] = bound[r.inner] || bound[r.outer]
		case fuseRel:
			bound[r.inner], bound[r.outer] = bound[r.parent], bound[r.parent]
		}
	}
	return bound
}

// passUp sets the spans of inner nodes and axes from those of the leaves.
func (n *nest) passUp(st *Stage, spans []arith.Span, in arith.Bounds) {
	t := st.loops
	for k := len(t.rels) - 1; k >= 0; k-- {
		switch r := t.rels[k]; r.kind {
		case splitRel:
			if n.isWhole(spans, r.outer) && n.isWhole(spans, r.inner) {
				spans[r.parent] = n.whole(r.parent)
				continue
			}
			spans[r.parent] = spans[r.outer].Times(n.extents[r.inner]).Plus(spans[r.inner])
		case fuseRel:
			inner := n.extents[r.inner]
			if n.isWhole(spans, r.parent) {
				spans[r.outer], spans[r.inner] = n.whole(r.outer), n.whole(r.inner)
				continue
			}
			fused := spans[r.parent]
			spans[r.outer], spans[r.inner] = fused.FloorDiv(inner, in), fused.FloorMod(inner, in)
		}
	}
}

func (n *nest) whole(node int) arith.Span {
	return arith.Span{Hi: arith.ConstAffine(n.extents[node] - 1)}
}

func (n *nest) isWhole(spans []arith.Span, node int) bool {
	sp := spans[node]
	return sp.Lo.IsConst() && sp.Hi.IsConst() && sp.Lo.Const == 0 && sp.Hi.Const == n.extents[node]-1
}

// values returns each node in terms of the loop variables.
func (n *nest) values(st *Stage, in arith.Bounds) []arith.Affine {
	t := st.loops
	off := make([]arith.Affine, t.nodes)
	for k, leaf := range t.leaves {
		if n.extents[leaf] != 1 {
			off[leaf] = arith.VarAffine(n.vars[k])
		}
	}
	for k := len(t.rels) - 1; k >= 0; k-- {
		switch r := t.rels[k]; r.kind {
		case splitRel:
			off[r.parent] = off[r.outer].Times(n.extents[r.inner]).Plus(off[r.inner])
		case fuseRel:
			inner := n.extents[r.inner]
			off[r.outer], off[r.inner] = off[r.parent].FloorDiv(inner, in), off[r.parent].FloorMod(inner, in)
		}
	}
	return off
}

// A guard is a condition on one node.
type guard struct {
	node  int
	limit int64 // node < limit
}

// overruns returns the guards that keep nodes within their extents, where loops
// run past them because a split does not divide; and for each axis, whether it
// is run past.
//
// An overrun of the outer piece of a split is one of its parent too, and is left
// to it. One of the inner piece would repeat elements of the next outer
// iteration, and is stopped there; so is one of a fused loop.
func (n *nest) overruns(st *Stage) (guards []guard, roots []bool) {
	t := st.loops
	last := make([]int64, t.nodes) // the largest value
	for _, leaf := range t.leaves {
		last[leaf] = n.extents[leaf] - 1
	}
	stop := func(node int) {
		if last[node] >= n.extents[node] {
			guards = append(guards, guard{node, n.extents[node]})
			last[node] = n.extents[node] - 1
		}
	}
	for k := len(t.rels) - 1; k >= 0; k-- {
		switch r := t.rels[k]; r.kind {
		case splitRel:
			stop(r.inner)
			last[r.parent] = last[r.outer]*n.extents[r.inner] + last[r.inner]
		case fuseRel:
			stop(r.parent)
			last[r.outer], last[r.inner] = n.extents[r.outer]-1, n.extents[r.inner]-1
		case unitRel:
			stop(r.parent)
		}
	}
	roots = make([]bool, len(n.region))
	for d := range roots {
		roots[d] = last[d] >= n.extents[d]
	}
	return guards, roots
}

// guards returns the conditions under which the body of a nest must run.
func (n *nest) guards(st *Stage, off []arith.Affine, in arith.Bounds) []tir.Expr {
	var list []tir.Expr
	less := func(a arith.Affine, limit int64) {
		list = append(list, tir.Bin(tir.LT, a.Expr(), tir.Int(limit)))
	}
	inner, roots := n.overruns(st)
	for _, g := range inner {
		less(off[g.node], g.limit)
	}
	for d, b := range n.region {
		domain := axisOf(st.Op, d).Extent
		lo, hi := arith.Interval{Lo: -1}, arith.Interval{Hi: domain}
		if r, ok := b.min.Range(in); ok {
			lo, hi = r, arith.Interval{Lo: r.Lo + b.extent - 1, Hi: r.Hi + b.extent - 1}
		}
		value := b.min.Plus(off[d])
		// Leaving the region matters even inside the domain: there is no room
		// in the buffer.
		wholeDomain := b.extent == domain && b.min.Equal(arith.Affine{})
		if roots[d] && !wholeDomain {
			less(off[d], b.extent)
		}
		if lo.Lo < 0 {
			list = append(list, tir.Bin(tir.GE, value.Expr(), tir.Int(0)))
		}
		if hi.Hi >= domain || roots[d] && wholeDomain {
			less(value, domain)
		}
	}
	return list
}
