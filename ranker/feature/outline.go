// Package feature computes AutoScheduler's 164 features of a state: one row for
// each buffer that its program stores to. They are those of TVM
// (src/auto_scheduler/feature.cc), including TVM's quirks, so models trained with
// TVM remain valid; docs/design/features.md says how far.
//
// The features are about the loops that TVM would make of the state, before any
// pass of a compiler: Outline writes them down, without guards, as a nest.Program.
// What Rows computes of a Program is generic over the numbers in it, for extents
// and coefficients that carry derivatives by tile sizes.
//
// The package must not know what the features are for, and nothing of how we
// lower: a pass that is added to tir/lower changes no feature.
package feature

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Outline returns the loop nests of a concrete state as TVM would make them
// (src/te/schedule/schedule_ops.cc), producers first:
//
//	C: i (0,8), k (0,4)            for i in 8:
//	  A attached at i         =>     alloc A
//	                                 A[i, ...] = ...
//	                                 C[i] = 0
//	                                 for k in 4:
//	                                   C[i] = C[i] + A[i, k]
//
// Loops of one iteration are left out, unless they are bound to threads. Indices
// are those of whole tensors, also where a part of one is allocated. The error
// is that of a state that has no bounds.
func Outline(s *schedule.State) (*nest.Program[Float], error) { return outline(s, nil) }

// outline is Outline, which writes a relaxed twin of the program as well if it is not nil.
func outline(s *schedule.State, t *twin) (*nest.Program[Float], error) {
	nests, err := s.Nests()
	if err != nil {
		return nil, fmt.Errorf("feature: %w", err)
	}
	o := newOutliner(s, nests)
	o.twin = t
	o.program()
	return &o.Program, nil
}

// unrollLimits returns the limit that each stage sets for unrolling, 0 included,
// which counts inside a stage with another limit; or -1.
func unrollLimits(s *schedule.State) []int {
	limits := slices.Repeat([]int{-1}, len(s.DAG.Ops))
	for _, step := range s.Steps {
		if at, n := schedule.Adds(step); n > 0 {
			limits = slices.Insert(limits, at, slices.Repeat([]int{-1}, n)...)
		}
		if step, ok := step.(schedule.Pragma); ok {
			var n int
			if _, err := fmt.Sscanf(step.Text, "auto_unroll_max_step$%d", &n); err == nil {
				limits[step.At] = n
			}
		}
	}
	return limits
}

// An outliner writes down the program of a state.
type outliner struct {
	nest.Writer[Float]
	s     *schedule.State
	nests []*schedule.Nest
	stage map[*tir.Buffer]int // whose result a buffer is

	limits []int // of unrolling, by stage; below 0 if it sets none

	text *Text // nil unless loops of one iteration and places in the text are written down

	loops  map[*tir.Var]int // the loops of variables
	unroll int
	freed
	twin *twin // may be nil
}

// A freed has the places of loops over threads that were left, the last one last.
type freed struct{ free []int }

func newOutliner(s *schedule.State, nests []*schedule.Nest) *outliner {
	o := &outliner{s: s, nests: nests, limits: unrollLimits(s), loops: map[*tir.Var]int{}, stage: map[*tir.Buffer]int{}}
	for i, st := range s.Stages {
		for _, r := range st.Op.Results {
			o.stage[r] = i
			o.Buffer(r)
		}
	}
	return o
}

// program writes all nests.
func (o *outliner) program() {
	var roots []int
	for i, n := range o.nests {
		if _, attached := o.s.Attach.At(i); n != nil && !attached {
			roots = append(roots, i)
		}
	}
	o.stages(roots, func() {})
}

// stages writes the nests of the listed stages, in order, and then rest, within
// their allocations.
func (o *outliner) stages(list []int, rest func()) {
	for _, i := range list {
		o.nest(i)
		size := 1.0
		for d := range o.s.Stages[i].Op.Axes {
			size *= float64(o.nests[i].Region[d].Extent)
		}
		for _, r := range o.s.Stages[i].Op.Results {
			o.Alloc(r, Float(size))
			o.twin.alloc(i, r)
		}
	}
	rest()
}

func (o *outliner) nest(i int) {
	n := &nester{outliner: o, n: o.nests[i], op: o.s.Stages[i].Op}
	outer := o.unroll
	if o.limits[i] >= 0 && !(len(n.n.Loops) > 0 && n.n.Loops[0].Iter.Ann.IsThread()) {
		o.unroll = o.limits[i] // TVM loses it on a loop over threads
	}
	n.reduce = len(n.n.Loops)
	if n.op.Combine != nil {
		if k := slices.IndexFunc(n.n.Loops, reduces); k >= 0 {
			n.reduce = k
		}
	}
	n.from(0)
	o.unroll = outer
}

// reduces reports whether a loop has to do with a reduction.
func reduces(l schedule.Loop) bool {
	return l.Iter.Kind == schedule.Reduction || l.Iter.Kind == schedule.Mixed
}

// A nester writes the loop nest of one stage.
type nester struct {
	*outliner
	n      *schedule.Nest
	op     *compute.Op
	reduce int // the first loop that has to do with the reduction
}

// from writes the nest from loop k on.
func (n *nester) from(k int) {
	if k == n.reduce && n.op.Combine != nil && n.text == nil {
		n.init()
	}
	if k == len(n.n.Loops) {
		n.update()
		return
	}
	leave := n.enter(k)
	inside := slices.Sorted(slices.Values(n.s.Attach.Inside(n.n.Stage, k)))
	n.stages(inside, func() { n.from(k + 1) })
	leave()
}

// enter opens loop k.
func (n *nester) enter(k int) (leave func()) {
	l, o := n.n.Loops[k], n.outliner
	ann := l.Iter.Ann
	leaveTwin := o.twin.enter(schedule.IterKey{Stage: n.n.Stage, Iter: k}, ann)
	if o.text != nil {
		leaveText := o.enterText(l)
		return func() { leaveText(); leaveTwin() }
	}
	if l.Extent == 1 && !ann.IsThread() {
		return leaveTwin
	}
	before, had := o.loops[l.Var]
	o.loops[l.Var] = o.Enter(nest.Loop[Float]{Extent: Float(l.Extent), Ann: ann, Place: o.next(len(o.Loops), ann)})
	return func() {
		leaveTwin()
		if last := o.Leave(); ann.IsThread() {
			o.free = append(o.free, o.Loops[last].Place)
		}
		if had {
			o.loops[l.Var] = before
		}
	}
}

// next returns the place of the next loop, which is next if no other is free. TVM tells loops apart by the
// addresses of their nodes, and makes nodes for loops over threads that it frees when it leaves the loop. The next
// such node has the same address, unless that of another loop took the memory.
func (p *freed) next(next int, ann schedule.Annotation) int {
	if n := len(p.free); n > 0 {
		if ann.IsThread() {
			next = p.free[n-1]
		}
		p.free = p.free[:n-1]
	}
	return next
}

// init writes the initialisation of a reduction: the loops from the first one
// that has to do with it on, without those that only reduce.
func (n *nester) init() {
	var leave []func()
	for k, l := range n.n.Loops[n.reduce:] {
		if l.Iter.Kind != schedule.Reduction {
			leave = append(leave, n.enter(n.reduce+k))
		}
	}
	for d := range n.op.Results {
		n.store(d, n.op.Combine.Identity[d], nil)
	}
	for _, f := range slices.Backward(leave) {
		f()
	}
}

// update writes what the stage computes at one point, or one step of its
// reduction.
func (n *nester) update() {
	for d := range n.op.Results {
		if n.op.Combine == nil {
			n.store(d, n.op.Body[d], nil)
			continue
		}
		n.store(d, n.op.Combine.Result[d], n.op.Combine)
	}
}

// store writes the store of result d.
func (n *nester) store(d int, value tir.Expr, c *compute.Combiner) {
	w := &statement{outliner: n.outliner, env: map[*tir.Var]sum{}, ranges: ranges{loops: n.Loops, text: n.text != nil}}
	at := n.axes(w)
	if n.text != nil {
		at = n.lazyAxes(w)
	}
	for k := range at {
		w.env[n.axis(k)] = at[k]
	}
	own := at[:len(n.op.Axes)]
	forms := w.relaxed(n)
	w.access(n.op.Results[d], nest.Write, own, forms)
	if c != nil {
		w.combine = map[*tir.Var]func(){}
		for k := range c.Acc {
			w.combine[c.Acc[k]] = func() {
				for _, s := range own {
					s.ops(&w.ops.Int)
				}
				w.access(n.op.Results[k], nest.Read, own, forms)
			}
			w.combine[c.Src[k]] = func() { w.value(n.op.Body[k]) }
		}
	}
	w.value(value)
	n.Write(nest.Nest[Float]{Ops: w.ops, Accesses: w.accesses, Unroll: n.unroll})
	if n.text != nil {
		n.text.Places = append(n.text.Places, w.places)
	}
	n.twin.write(w.ops, n.unroll)
}

func (n *nester) axis(k int) *tir.Var {
	if k < len(n.op.Axes) {
		return n.op.Axes[k].Var
	}
	return n.op.ReduceAxes[k-len(n.op.Axes)].Var
}

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
			w.ranges.assume(v, arith.FloorDiv(hi, q.by))
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
			if extent == 1 && (n.text == nil || inner.of.isConst()) {
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
	case r.lazy:
		of, _ := r.divide(q.of, n)
		return quotient{of: of, by: 1}
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
	if r.lazy {
		_, m := r.divide(v, n)
		return m
	}
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
