package feature

import "github.com/wmtune/wmtune/tir/schedule"

// A quotient is floor(of/by), as TVM's rewriting leaves it before the parts of
// sums are put in order. If step is not 0, of was written as outer*step + inner.
type quotient struct {
	of, inner sum
	by, step  int64
	outer     *quotient
}

// axes returns the values of the axes of the stage in a statement.
//
// Where loops run past an axis, a guard keeps the statement from running, and TVM
// simplifies with what the guard says. What it makes of that depends on the form
// that the guard has by then: this follows MakeBoundCheck
// (src/te/schedule/message_passing.cc) and the rules for quotients in
// src/arith/rewrite_simplify.cc.
func (n *nester) axes(w *statement) []sum {
	list := n.derive(w)
	if n.guard(w, list) {
		list = n.derive(w)
	}
	at := make([]sum, len(list))
	for k, q := range list {
		v := w.ranges.value(q)
		if _, hi := w.ranges.of(q.of); q.by != 1 && !q.of.hasMultiple(q.by) {
			w.ranges.assume(v, floorDiv(hi, q.by))
		}
		at[k] = v.from(n.start(w, k))
	}
	return at
}

// start returns where the region of axis k starts.
func (n *nester) start(w *statement, k int) sum {
	s, _ := w.index(n.n.Region[k].Min)
	return s
}

// from returns start + s.
func (s sum) from(start sum) sum {
	if start.isConst() && start.c == 0 {
		return s
	}
	return start.plus(1, s)
}

// derive returns the values of the axes from the starts of their regions.
func (n *nester) derive(w *statement) []quotient {
	return schedule.Derive(n.n,
		func(k int) quotient {
			if l := n.n.Loops[k]; l.Extent != 1 {
				s, _ := w.index(l.Var)
				return quotient{of: s, by: 1}
			}
			return quotient{by: 1}
		},
		func(outer, inner quotient, extent int64) quotient {
			if extent == 1 {
				return outer
			}
			if outer.by != 1 {
				outer = quotient{of: w.ranges.value(outer), by: 1}
			}
			fine := w.ranges.value(inner)
			return quotient{of: outer.of.times(extent).plus(1, fine), by: 1, outer: &outer, inner: fine, step: extent}
		},
		func(fused quotient, extent int64) (outer, inner quotient) {
			if extent == 1 {
				return fused, quotient{by: 1}
			}
			return w.ranges.over(fused, extent), quotient{of: w.ranges.rest(fused, extent), by: 1}
		})
}

// guard assumes that axes keep within their regions, and regions within the
// domain, and reports whether that is news.
func (n *nester) guard(w *statement, list []quotient) bool {
	for k, q := range list {
		v := w.ranges.value(q)
		region, domain := n.n.Region[k].Extent, n.domain(k)
		if _, hi := w.ranges.of(v); hi >= region {
			w.ranges.assume(q.of, region*q.by-1)
		}
		if at := v.from(n.start(w, k)); region < domain {
			if _, hi := w.ranges.of(at); hi >= domain {
				w.ranges.assume(at, domain-1)
			}
		}
	}
	return len(w.ranges.bounds) > 0
}

// over returns floordiv(q, n). A quotient of a quotient is one. Of a sum, a
// multiple of n comes out, or a common factor of n and all that matters cancels.
func (r ranges) over(q quotient, n int64) quotient {
	switch {
	case q.by != 1 || q.step == 0:
		q.by *= n
	case q.step%n == 0 && !q.outer.of.isConst():
		fine, _ := r.divide(q.inner, n)
		switch {
		case q.step > n:
			q.step /= n
			q.of, q.inner = q.outer.of.times(q.step).plus(1, fine), fine
		case fine.isConst() && fine.c == 0:
			return *q.outer
		default:
			return quotient{of: q.outer.of.plus(1, fine), by: 1}
		}
	case n%q.step == 0 && r.within(q.inner, q.step):
		n /= q.step
		q = *q.outer
		q.by = n
	default:
		q.by = n
	}
	return q
}

// rest returns floormod(q, n). What a sum begins with is taken modulo n.
func (r ranges) rest(q quotient, n int64) sum {
	v := r.value(q)
	if lo, hi := r.of(q.of); lo >= 0 && hi < q.by*n && !q.of.hasMultiple(q.by) {
		return v
	}
	if q.by == 1 && q.step > n {
		v = q.outer.of.times(q.step%n).plus(1, q.inner)
	}
	_, m := r.divide(v, n)
	return m
}

// hasMultiple reports whether n divides a part of s.
func (s sum) hasMultiple(n int64) bool {
	for _, p := range s.parts {
		if p.coef%n == 0 {
			return true
		}
	}
	return false
}

// value returns a quotient as a sum.
func (r ranges) value(q quotient) sum {
	if q.by == 1 {
		return q.of
	}
	s, _ := r.divide(q.of, q.by)
	return s
}

// domain returns the extent of axis k.
func (n *nester) domain(k int) int64 {
	if k < len(n.op.Axes) {
		return n.op.Axes[k].Extent
	}
	return n.op.ReduceAxes[k-len(n.op.Axes)].Extent
}
