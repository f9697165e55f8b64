package schedule

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

func (s Rfactor) apply(b *builder) error {
	st, it, err := b.iterator(s.At, s.Iter)
	if err != nil {
		return err
	}
	if err := b.readyForRfactor(s.At); err != nil {
		return err
	}
	switch {
	case it.Kind != Reduction:
		return fmt.Errorf("iterator %s of stage %s is not a reduction", it.Name, st.Op.Name)
	case s.FactorIter < 0 || s.FactorIter > len(st.Op.Axes):
		return fmt.Errorf("no position %d: stage %s has %d spatial axes", s.FactorIter, st.Op.Name, len(st.Op.Axes))
	case !st.Op.Combine.Neutral():
		return countedAgain(st)
	}
	f := newFactoring(st, st.loops.leaves[s.Iter])
	for _, r := range st.loops.rels {
		if !f.touched[r.parent] {
			return fmt.Errorf("iterator %s of stage %s is not a piece of what the step before split", it.Name, st.Op.Name)
		}
	}
	rf, repl := f.ops(s.Iter, s.FactorIter)
	n := newStage(repl)
	n.At = st.At
	b.replaceOp(s.At, n)
	b.insert(s.At, newStage(rf))
	b.setOps(nil)
	return b.checkNesting()
}

// countedAgain is why a stage's reduction cannot be done in parts.
func countedAgain(st *Stage) error {
	return fmt.Errorf("the sum of stage %s starts from %s, which each partial sum would add again", st.Op.Name,
		st.Op.Combine.Identity[0])
}

// readyForRfactor returns an error unless just a FU, or none, and a SP were
// applied to stage i, as the last steps.
func (b *builder) readyForRfactor(i int) error {
	st, steps := b.s.Stages[i], b.s.Steps
	n := len(steps)
	if n == 0 || steps[n-1].Kind() != SP || steps[n-1].Stage() != i {
		return fmt.Errorf("the step before is not a SP of stage %s", st.Op.Name)
	}
	want := newLoopTree(len(st.Op.Axes) + len(st.Op.ReduceAxes))
	if n > 1 {
		if fu, ok := steps[n-2].(Fuse); ok && fu.At == i && len(fu.Iters) > 0 &&
			fu.Iters[len(fu.Iters)-1] < len(want.leaves) {
			want = want.fuse(fu.Iters[0], fu.Iters[len(fu.Iters)-1])
		}
	}
	sp := steps[n-1].(Split)
	if sp.Iter < len(want.leaves) {
		want = want.split(sp.Iter, sp.Lengths, sp.InnerToOuter)
	}
	same := slices.Equal(want.leaves, st.loops.leaves) && slices.Equal(want.rels, st.loops.rels)
	for _, it := range st.Iters {
		same = same && it.Ann == None
	}
	if !same || st.AutoUnroll != 0 || len(st.Aligns) > 0 || st.Buffering != OneBuffer {
		return fmt.Errorf("other steps than FU and SP were applied to stage %s", st.Op.Name)
	}
	if b.s.Attach.hasInside(i) {
		return fmt.Errorf("stage %s has stages attached in it", st.Op.Name)
	}
	return nil
}

// ops returns the ops of the two stages that the reduction becomes.
func (f *factoring) ops(iter, factorIter int) (rf, repl *compute.Op) {
	op, leaf := f.st.Op, f.st.loops.leaves[iter]
	factor := &compute.Axis{Var: f.vars[leaf], Extent: f.n.extents[leaf]}
	to, cond := f.values()

	rf = &compute.Op{
		Name:       op.Name + ".rf",
		Axes:       slices.Insert(slices.Clone(op.Axes), factorIter, factor),
		ReduceAxes: f.reduceAxes(iter),
		Combine:    op.Combine,
		Results:    make([]*tir.Buffer, len(op.Results)),
		Body:       make([]tir.Expr, len(op.Body)),
	}
	shape := extentsOf(rf.Axes)
	repl = &compute.Op{
		Name: op.Name + ".repl", Results: op.Results, Combine: op.Combine,
		ReduceAxes: []*compute.Axis{{Var: tir.NewVar(factor.Var.Name + ".v"), Extent: factor.Extent}},
		Body:       make([]tir.Expr, len(op.Body)),
	}
	for d, a := range op.Axes {
		repl.Axes = append(repl.Axes, &compute.Axis{Var: tir.NewVar("ax" + strconv.Itoa(d)), Extent: a.Extent})
	}
	index := slices.Insert(compute.Vars(repl.Axes), factorIter, tir.Expr(repl.ReduceAxes[0].Var))
	for k, r := range op.Results {
		rf.Results[k] = &tir.Buffer{Name: rf.Name, Type: r.Type, Shape: shape}
		rf.Body[k] = tir.Substitute(op.Body[k], to)
		if len(cond) > 0 {
			rf.Body[k] = tir.IfThenElse(tir.AllOf(cond...), rf.Body[k], op.Combine.Start()[k])
		}
		repl.Body[k] = &tir.Load{Buffer: rf.Results[k], Index: index}
	}
	return rf, repl
}

// A factoring is the part of a stage's loops that one reduce loop is related to.
type factoring struct {
	st      *Stage
	touched []bool     // by node
	vars    []*tir.Var // by node; of touched leaves
	n       nest
}

func newFactoring(st *Stage, leaf int) *factoring {
	f := &factoring{st: st, touched: make([]bool, st.loops.nodes), vars: make([]*tir.Var, st.loops.nodes)}
	f.touched[leaf] = true
	f.touch()
	f.setExtents()
	names := nodeNames(st)
	for _, leaf := range st.loops.leaves {
		v := tir.NewVar(names[leaf])
		f.n.vars = append(f.n.vars, v)
		f.vars[leaf] = v
	}
	return f
}

// touch spreads touched along the relations, up and then down.
func (f *factoring) touch() {
	t := f.st.loops
	for k := len(t.rels) - 1; k >= 0; k-- {
		r := t.rels[k]
		if r.kind == splitRel {
			f.touched[r.parent] = f.touched[r.parent] || f.touched[r.inner] || f.touched[r.outer]
		} else {
			f.touched[r.inner], f.touched[r.outer] = f.touched[r.parent], f.touched[r.parent]
		}
	}
	for _, r := range t.rels {
		if r.kind == splitRel {
			f.touched[r.inner], f.touched[r.outer] = f.touched[r.parent], f.touched[r.parent]
		} else {
			f.touched[r.parent] = f.touched[r.inner] || f.touched[r.outer]
		}
	}
}

// setExtents sets the extents of all nodes. Pieces keep their lengths even
// beyond the extent of what was split: how long they are is part of the new op.
func (f *factoring) setExtents() {
	t := f.st.loops
	f.n.extents = make([]int64, t.nodes)
	for d := range len(f.st.Op.Axes) + len(f.st.Op.ReduceAxes) {
		f.n.extents[d] = axisOf(f.st.Op, d).Extent
		f.n.region = append(f.n.region, box{extent: f.n.extents[d]})
	}
	for _, r := range t.rels {
		if r.kind == fuseRel {
			f.n.extents[r.parent] = f.n.extents[r.outer] * f.n.extents[r.inner]
			continue
		}
		first, second := r.inner, r.outer
		if r.nparts {
			first, second = second, first
		}
		f.n.extents[first] = max(r.length, 1)
		f.n.extents[second] = (f.n.extents[r.parent] + f.n.extents[first] - 1) / f.n.extents[first]
	}
}

// values returns what takes the place of the touched reduce axes, and the
// conditions under which that is within them.
func (f *factoring) values() (map[*tir.Var]tir.Expr, []tir.Expr) {
	last := map[*tir.Var]int64{}
	for _, leaf := range f.st.loops.leaves {
		last[f.vars[leaf]] = f.n.extents[leaf] - 1
	}
	in := func(v *tir.Var) (arith.Interval, bool) {
		hi, ok := last[v]
		return arith.Interval{Hi: hi}, ok
	}
	off := f.n.values(f.st, in)
	to := map[*tir.Var]tir.Expr{}
	for d := range f.n.region {
		if f.touched[d] {
			to[axisOf(f.st.Op, d).Var] = off[d].Expr()
		}
	}
	return to, f.n.guards(f.st, off, in)
}

// reduceAxes returns the reduce axes of the factored op: those not touched, then
// the touched loops but for the factored one.
func (f *factoring) reduceAxes(iter int) []*compute.Axis {
	var list []*compute.Axis
	op := f.st.Op
	for d, a := range op.ReduceAxes {
		if !f.touched[len(op.Axes)+d] {
			list = append(list, a)
		}
	}
	for k, leaf := range f.st.loops.leaves {
		if f.touched[leaf] && k != iter {
			list = append(list, &compute.Axis{Var: f.vars[leaf], Extent: f.n.extents[leaf]})
		}
	}
	return list
}

// nodeNames returns the names that TVM gives the nodes: "k.outer" and "k.inner"
// for the pieces of k, "i.j.fused" for i and j fused.
func nodeNames(st *Stage) []string {
	names := make([]string, st.loops.nodes)
	for d := range len(st.Op.Axes) + len(st.Op.ReduceAxes) {
		names[d] = axisOf(st.Op, d).Var.Name
	}
	for _, r := range st.loops.rels {
		switch r.kind {
		case splitRel:
			names[r.outer], names[r.inner] = names[r.parent]+".outer", names[r.parent]+".inner"
		case fuseRel:
			names[r.parent] = names[r.outer] + "." + names[r.inner] + ".fused"
		case unitRel:
			names[r.parent] = "singleton"
		}
	}
	return names
}
