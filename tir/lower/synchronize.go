package lower

import (
	"maps"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// synchronize puts a barrier wherever threads of a block read what others have
// written to shared memory, or write what others may still have to read:
//
//	bind threadIdx.x in 32 threadIdx.x:        bind threadIdx.x in 32 threadIdx.x:
//	  alloc A.shared: float32[32] shared         alloc A.shared: float32[32] shared
//	  for k0 in 4:                               for k0 in 4:
//	    block A.shared: A.shared[...] = ...  =>    barrier shared
//	    block C: ... A.shared[...]                 block A.shared: A.shared[...] = ...
//	                                               barrier shared
//	                                               block C: ... A.shared[...]
//
// Accesses by one stage do not wait for each other: its loops give each
// element to one thread. Barriers stand between statements of a sequence only,
// where build makes sure that all threads come by.
//
// Of a double-buffered copy, the buffers of this iteration and of the next are told
// apart: one barrier an iteration is enough.
//
// Where only threads of one warp read what they have written, the warp waits, not the block.
func synchronize(f *tir.Func, _ Config) (*tir.Func, error) {
	if !usesThreads(f.Body) {
		return f, nil
	}
	g := *f
	g.Body = mapBlocks(f.Body)
	return &g, nil
}

// mapBlocks synchronizes the outermost thread loops in s.
func mapBlocks(s tir.Stmt) tir.Stmt {
	if l, ok := s.(*tir.For); ok && isThreadLoop(l) {
		p := pending{slotted: slottedBy(s), warps: warpsOf(l), set: map[access]bool{}}
		return p.stmt(s)
	}
	return tir.MapChildren(s, mapBlocks)
}

// An access is by which stage what is done to a shared buffer.
type access struct {
	buffer *tir.Buffer
	stage  string // the name of its blocks
	write  bool
	slot   slot
	row    int // the dimension whose index is the number of the threads' row, from 1; 0: none
}

// A slot says which of the two buffers of a double-buffered copy is meant.
type slot uint8

const (
	anySlot  slot = iota
	thisSlot      // of this iteration of the loop that refills the copy
	nextSlot      // of the next
	evenSlot
	oddSlot
)

// apart reports whether two slots are never one. Slots of iterations are only compared
// with others of the same iteration.
func (s slot) apart(o slot) bool {
	relative := func(s slot) bool { return s == thisSlot || s == nextSlot }
	return s != anySlot && o != anySlot && s != o && relative(s) == relative(o)
}

// slotted holds the loop that refills each double-buffered copy.
type slotted map[*tir.Buffer]*tir.For

// slottedBy finds the double-buffered copies in s: doubleBuffer marks their loops.
func slottedBy(s tir.Stmt) slotted {
	m := slotted{}
	tir.Visit(s, func(t tir.Stmt) bool {
		p, ok := t.(*tir.Pragma)
		if !ok || p.Key != slotsKey {
			return true
		}
		l := p.Body.(*tir.For)
		tir.VisitAllExprs(l.Body, func(e tir.Expr) bool {
			if x, ok := e.(*tir.Load); ok && x.Buffer.Scope == tir.Shared && len(x.Index) > 0 &&
				tir.EqualExpr(x.Index[0], slotOf(l.Var)) {
				m[x.Buffer] = l
			}
			return true
		})
		return true
	})
	return m
}

// of returns the slot of an element.
func (m slotted) of(b *tir.Buffer, index []tir.Expr) slot {
	l := m[b]
	if l == nil {
		return anySlot
	}
	if c, ok := index[0].(*tir.IntImm); ok {
		return evenSlot + slot(c.Value&1)
	}
	switch next := tir.Bin(tir.Add, l.Var, tir.Int(1)); {
	case tir.EqualExpr(index[0], slotOf(l.Var)):
		return thisSlot
	case tir.EqualExpr(index[0], slotOf(next)):
		return nextSlot
	}
	return anySlot
}

// warps says which threads are surely in one warp.
type warps struct {
	row   *tir.Var // those with the same value of it; nil: not known
	whole bool     // all threads of the block
}

// warpsOf returns the warps of a block whose outermost loop over threads is given. Neighbours along threadIdx.x are
// neighbours in a warp: rows whose lengths divide it are never in two.
func warpsOf(l *tir.For) warps {
	var loops []*tir.For
	threads := int64(1)
	for l := range tir.StmtsIn[*tir.For](l) {
		if isThreadLoop(l) {
			loops = append(loops, l)
			threads *= l.Extent.(*tir.IntImm).Value
		}
	}
	w := warps{whole: threads <= tir.WarpLanes}
	if len(loops) == 2 && loops[1].Thread == "threadIdx.x" && tir.WarpLanes%loops[1].Extent.(*tir.IntImm).Value == 0 {
		w.row = loops[0].Var
	}
	return w
}

// rowOf returns the dimension of an index that is the number of the threads' row, from 1, or 0.
func (w warps) rowOf(index []tir.Expr) int {
	if w.row == nil {
		return 0
	}
	return 1 + slices.Index(index, tir.Expr(w.row))
}

// one reports whether accesses to the same element are by one warp.
func (w warps) one(a, b access) bool { return w.whole || a.row > 0 && a.row == b.row }

// pending holds the accesses since the last barrier of the block, and whether each warp has waited since.
type pending struct {
	slotted slotted
	warps   warps
	set     map[access]bool
}

// conflict says who has to wait before accesses: nobody (""), each warp, or the block.
func (p pending) conflict(list []access) tir.Scope {
	var scope tir.Scope
	for _, a := range list {
		for q, waited := range p.set {
			switch {
			case q.buffer != a.buffer || q.stage == a.stage || !q.write && !a.write || q.slot.apart(a.slot):
			case !p.warps.one(q, a):
				return tir.Shared
			case !waited:
				scope = tir.Warp
			}
		}
	}
	return scope
}

// wait notes a barrier.
func (p pending) wait(scope tir.Scope) {
	if scope == tir.Shared {
		clear(p.set)
	}
	for q := range p.set {
		p.set[q] = true
	}
}

func (p pending) add(list []access) {
	for _, a := range list {
		p.set[a] = false
	}
}

// renamed puts other slots in place of those of the copies that l refills.
func (p pending) renamed(l *tir.For, to map[slot]slot) {
	before := maps.Clone(p.set)
	clear(p.set)
	for a, waited := range before {
		if s, ok := to[a.slot]; ok && p.slotted[a.buffer] == l {
			a.slot = s
		}
		if old, ok := p.set[a]; ok { // under another name before
			waited = waited && old
		}
		p.set[a] = waited
	}
}

// accesses returns those of s to shared memory. Of a loop that is in s, all iterations
// count.
func (p pending) accesses(s tir.Stmt) []access {
	var list []access
	stage := ""
	inside := map[*tir.For]bool{}
	for l := range tir.StmtsIn[*tir.For](s) {
		inside[l] = true
	}
	add := func(b *tir.Buffer, index []tir.Expr, write bool) {
		a := access{b, stage, write, p.slotted.of(b, index), p.warps.rowOf(index)}
		if inside[p.slotted[b]] {
			a.slot = anySlot
		}
		list = append(list, a)
	}
	var visit func(s tir.Stmt)
	note := func(e tir.Expr) {
		for l := range tir.ExprsIn[*tir.Load](e) {
			if l.Buffer.Scope == tir.Shared {
				add(l.Buffer, l.Index, false)
			}
		}
	}
	visit = func(s tir.Stmt) {
		tir.Visit(s, func(t tir.Stmt) bool {
			if b, ok := t.(*tir.Block); ok {
				outer := stage
				stage = b.Name
				visit(b.Body)
				stage = outer
				return false
			}
			if st, ok := t.(*tir.Store); ok && st.Buffer.Scope == tir.Shared {
				add(st.Buffer, st.Index, true)
			}
			tir.Exprs(t, note)
			return true
		})
	}
	visit(s)
	return list
}

// stmt puts barriers into s, before which p is pending, and updates p to what
// is pending after it.
func (p pending) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		if s.Kind != tir.ThreadBound {
			return p.repeated(s, nil)
		}
	case *tir.Pragma:
		if s.Key == slotsKey {
			return p.refilled(s.Body.(*tir.For))
		}
	case *tir.Seq:
		var list []tir.Stmt
		for _, t := range s.Stmts {
			if p.isLeaf(t) {
				if scope := p.conflict(p.accesses(t)); scope != "" {
					list = append(list, &tir.Barrier{Scope: scope})
					p.wait(scope)
				}
			}
			list = append(list, p.stmt(t))
		}
		return &tir.Seq{Stmts: list}
	case *tir.If, *tir.Block, *tir.Store, *tir.MMA: // inside an If not all threads come by a barrier
		p.add(p.accesses(s))
		return s
	}
	return tir.MapChildren(s, p.stmt)
}

// repeated puts barriers into a loop. Before an iteration is pending what is before the
// first, or what an iteration leaves to the next, which knows slots by the names of turn.
func (p pending) repeated(l *tir.For, turn map[slot]slot) tir.Stmt {
	if p.isLeaf(l) {
		p.add(p.accesses(l))
		return l
	}
	for {
		q := pending{p.slotted, p.warps, maps.Clone(p.set)}
		s := tir.MapChildren(l, q.stmt)
		q.renamed(l, turn)
		before := maps.Clone(p.set)
		for a, w := range q.set {
			old, ok := p.set[a]
			p.set[a] = w && (old || !ok)
		}
		if maps.Equal(p.set, before) {
			clear(p.set)
			maps.Copy(p.set, q.set)
			return s
		}
	}
}

// refilled puts barriers into a loop that refills double-buffered copies.
func (p pending) refilled(l *tir.For) tir.Stmt {
	p.renamed(l, map[slot]slot{evenSlot: thisSlot, oddSlot: nextSlot}) // in iteration 0
	s := p.repeated(l, map[slot]slot{thisSlot: nextSlot, nextSlot: thisSlot})
	this, next := evenSlot, oddSlot // of the iteration that would be after the last
	if l.Extent.(*tir.IntImm).Value%2 == 1 {
		this, next = next, this
	}
	p.renamed(l, map[slot]slot{thisSlot: this, nextSlot: next})
	return s
}

// isLeaf reports whether the accesses in s are by one stage, so that no barrier
// is needed, or possible, inside.
func (p pending) isLeaf(s tir.Stmt) bool {
	if _, ok := s.(*tir.If); ok {
		return true
	}
	list := p.accesses(s)
	for _, a := range list {
		if a.stage != list[0].stage {
			return false
		}
	}
	return true
}
