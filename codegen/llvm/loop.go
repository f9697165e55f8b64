package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Limits of the statements that expanding loops writes. Compile time grows
// linearly with them, and above 256 multiply-adds in one loop there is no gain.
const (
	maxCopies = 256  // that one unrolled loop becomes
	minCopies = 32   // that it may become in any case: a register tile
	maxTotal  = 1500 // that the whole program becomes
)

// limitCopies chooses how many statements one loop of s may become.
func (m *module) limitCopies(s tir.Stmt) {
	for m.copyLimit = maxCopies; m.copyLimit > minCopies && m.copies(s) > maxTotal; m.copyLimit /= 2 {
	}
}

func (f *function) loop(s *tir.For) {
	if s.Instruction != nil && s.Instruction.IsTile() {
		f.tileLoops(s)
		return
	}
	if f.isEpilogue(s) {
		f.epilogue(s)
		return
	}
	outer := f.product
	f.product = outer || multiplies(s)
	defer func() { f.product = outer }()
	extent := f.index(s.Extent)
	if extent.IsConst() && extent.Const <= 0 {
		return
	}
	if extent.IsConst() && extent.Const == 1 && s.Kind != tir.Vectorized && s.Kind != tir.Tensorized {
		f.vars[s.Var] = arith.Constant(0)
		f.stmt(s.Body)
		return
	}
	switch s.Kind {
	case tir.Parallel:
		if f.parent == nil && f.lane == nil {
			f.parallel(s, extent)
			return
		}
	case tir.Vectorized:
		if extent.IsConst() && f.lane == nil && vectorizable(s) {
			f.vectorized(s, extent.Const)
			return
		}
	case tir.Unrolled:
		defer f.enterTile(s)()
		if extent.IsConst() && f.interleaved(s, extent.Const) {
			return
		}
		if extent.IsConst() {
			f.unrolled(s, extent.Const, f.unrollStep(s, extent.Const))
			return
		}
	case tir.Tensorized:
		f.tensorized(s, extent.Const)
		return
	case tir.Serial:
		if rows := f.rowsAbreast(s, extent); rows > 1 {
			f.abreastRows(s, extent.Const, rows)
			return
		}
		if step := f.m.columnStep(s); step > 1 && f.lane == nil && extent.IsConst() && extent.Const >= step &&
			step*f.m.copies(s.Body) <= f.m.copyLimit {
			f.unrolled(s, extent.Const, step)
			return
		}
	}
	f.hold(s, func() {
		f.serial(s.Var, extent, func() {
			f.fetchAhead(s)
			f.stmt(s.Body)
		})
	})
}

// unrolled repeats the body so many times, in a loop if that is not the whole
// extent. Iterations that are left follow it.
func (f *function) unrolled(s *tir.For, extent, step int64) {
	if step > 1 {
		f.repeats = append(f.repeats, s)
		defer func() { f.repeats = f.repeats[:len(f.repeats)-1] }()
	}
	repeat := func(base arith.Linear, times int64) {
		for i := range times {
			f.vars[s.Var] = base.AddConst(i)
			f.fetchAhead(s)
			f.stmt(s.Body)
		}
	}
	if step == extent {
		repeat(arith.Constant(0), step)
		return
	}
	outer := tir.NewVar(s.Var.Name)
	f.hold(s, func() {
		f.serial(outer, arith.Constant(extent/step), func() { repeat(f.vars[outer].Times(step), step) })
	})
	repeat(arith.Constant(extent/step*step), extent%step)
}

// unrollStep returns how often the body of an unrolled loop is repeated: if that
// gets too long, so many times as divide the extent.
func (f *function) unrollStep(s *tir.For, extent int64) int64 {
	copies := f.m.copies(s.Body)
	if f.lane != nil {
		copies = f.m.copiesIn(s.Body, f.lane.v, f.lane.n)
	}
	step := f.m.unrollStep(extent, copies)
	if per := f.m.columnStep(s); step < extent && step > per && extent%per == 0 {
		for step%per != 0 || extent%step != 0 {
			step--
		}
	}
	return step
}

// unrollStep returns how many iterations of a body that writes so many
// statements are repeated.
func (m *module) unrollStep(extent, copies int64) int64 {
	step := min(extent, max(1, m.copyLimit/max(copies, 1)))
	for extent%step != 0 {
		step--
	}
	return step
}

// serial writes a bottom-tested loop of v from 0 to extent-1.
func (f *function) serial(v *tir.Var, extent arith.Linear, body func()) {
	in, _ := f.bounds(extent)
	limit := f.text(extent)
	if in.Lo <= 0 {
		some := value{typ: tir.Bool, n: 1, ref: f.pure("icmp sgt i64 " + limit + ", 0")}
		f.when(some, func() { f.countedLoop(v, limit, arith.Anything.Hi-1, body) })
		return
	}
	f.countedLoop(v, limit, in.Hi-1, body)
}

func (f *function) countedLoop(v *tir.Var, limit string, last int64, body func()) {
	f.settleStraight()
	head, end := f.label("loop"), f.label("end")
	from := f.block
	f.line("br label %%%s", head)
	f.begin(head)
	iv := f.fresh(v.Name)
	next := f.fresh(v.Name + ".next")
	phi := len(f.lines)
	f.lines = append(f.lines, "")
	f.vars[v] = f.loopAtom(iv, last)
	carried := f.carried()
	f.straight(body)
	carried(from)
	f.line("%s = add nuw nsw i64 %s, 1", next, iv)
	f.line("%s.more = icmp ult i64 %s, %s", next, next, limit)
	f.line("br i1 %s.more, label %%%s, label %%%s", next, head, end)
	f.lines[phi] = fmt.Sprintf("  %s = phi i64 [ 0, %%%s ], [ %s, %%%s ]", iv, from, next, f.block)
	f.begin(end)
}

// copies returns how many stores s becomes when its unrolled and vectorised
// loops are expanded. A read that gathers its lanes counts as several, and so
// does a mathematical function.
func (m *module) copies(s tir.Stmt) int64 { return m.copiesIn(s, nil, 1) }

// copiesIn is copies for a statement in a vectorised loop, or nil, whose
// vectors have so many lanes.
func (m *module) copiesIn(s tir.Stmt, vector *tir.Var, lanes int64) int64 {
	switch s := s.(type) {
	case *tir.For:
		extent, ok := s.Extent.(*tir.IntImm)
		if ok && s.Kind == tir.Vectorized && vector == nil && vectorizable(s) {
			width := m.target.Hardware.Lanes(tir.ElementBytes(s.Body))
			return m.copiesIn(s.Body, s.Var, min(width, extent.Value)) * m.vectorCopies(s, extent.Value)
		}
		if s.Kind == tir.Tensorized {
			return 1
		}
		n := m.copiesIn(s.Body, vector, lanes)
		if ok && s.Kind == tir.Unrolled {
			n *= m.unrollStep(max(extent.Value, 1), n)
		}
		return n
	case *tir.Store:
		return 1 + gathers(s, vector)*lanes/8 + functions(s)
	case *tir.If:
		n := m.copiesIn(s.Then, vector, lanes)
		if s.Else != nil {
			n += m.copiesIn(s.Else, vector, lanes)
		}
		return n
	case *tir.Seq:
		n := int64(0)
		for _, t := range s.Stmts {
			n += m.copiesIn(t, vector, lanes)
		}
		return n
	case *tir.Alloc:
		return m.copiesIn(s.Body, vector, lanes)
	case *tir.Block:
		return m.copiesIn(s.Body, vector, lanes)
	case *tir.Pragma:
		return m.copiesIn(s.Body, vector, lanes)
	}
	return 1
}

// gathers counts the accesses of a store whose lanes are not neighbours.
func gathers(s *tir.Store, vector *tir.Var) int64 {
	if vector == nil {
		return 0
	}
	n := int64(0)
	count := func(b *tir.Buffer, index []tir.Expr) {
		step := int64(0)
		for d, stride := range b.ElemStrides() {
			k, ok := arith.Coefficient(index[d], vector)
			if !ok {
				k = 2 // of no fixed distance
			}
			step += k * stride
		}
		if step != 0 && step != 1 {
			n++
		}
	}
	count(s.Buffer, s.Index)
	for l := range tir.ExprsIn[*tir.Load](s.Value) {
		count(l.Buffer, l.Index)
	}
	return n
}

// functions counts the mathematical functions of a store, each as much as it
// writes in units of a store and what goes into it.
func functions(s *tir.Store) int64 {
	n := int64(0)
	for c := range tir.ExprsIn[*tir.Call](s.Value) {
		n += lengths[c.Fn]
	}
	return n
}
