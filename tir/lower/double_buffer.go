package lower

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/schedule"
)

// bufferKey is the key of the Pragma around the nest of a copy that is to be
// double-buffered; its value is a schedule.Buffering. slotsKey is that around the loop
// in which it is, for synchronize.
const (
	bufferKey = "double_buffer"
	slotsKey  = "slots"
)

// doubleBuffer fetches what the next iteration of a loop copies to shared memory while
// this one's is in use. There are two of the copy, for even and odd iterations:
//
//	for k in 8:                             alloc A.shared: float32[2, 32] shared
//	  alloc A.shared: float32[32] shared    A.shared[0, t] = A[0, t]
//	  pragma double_buffer=1                for k in 8:
//	  A.shared[t] = A[k, t]            =>     alloc A.next: float32 local
//	  C[t] = C[t] + A.shared[31 - t]          if k < 7:
//	                                            A.next = A[k + 1, t]
//	                                          C[t] = C[t] + A.shared[k % 2, 31 - t]
//	                                          if k < 7:
//	                                            A.shared[(k + 1) % 2, t] = A.next
//
// The loads stand before what is computed and the stores behind it, so that a thread
// waits for global memory last. Where the target has asynchronous stores, and the
// pragma says 2, neither registers nor the thread wait:
//
//	async A.shared[0, t] = A[0, t]
//	for k in 8:
//	  wait
//	  if k < 7:
//	    async A.shared[(k + 1) % 2, t] = A[k + 1, t]
//	  C[t] = C[t] + A.shared[k % 2, 31 - t]
//
// A copy stays as it is where buffering says that it cannot be refilled so. After this
// no pragma double_buffer is left.
func doubleBuffer(f *tir.Func, cfg Config) (*tir.Func, error) {
	if !usesThreads(f.Body) {
		return f, nil
	}
	async := cfg.Target.HasAsyncCopies()
	g := *f
	g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		if l, ok := s.(*tir.For); ok {
			return doubled(l, async)
		}
		return s
	}, nil)
	g.Body = tir.MapStmt(g.Body, func(s tir.Stmt) tir.Stmt {
		if p, ok := s.(*tir.Pragma); ok && p.Key == bufferKey {
			return p.Body
		}
		return s
	}, nil)
	return &g, nil
}

// buffering returns how the copy of stage i is refilled: as its pragma says, if it is
// one of elements of global memory into shared memory, inside a loop of several
// iterations that each thread runs by itself, and there are threads; else there is one buffer.
func (b *builder) buffering(i int) schedule.Buffering {
	st := b.s.Stages[i]
	at, attached := b.s.Attach.At(i)
	k := b.kernelOf(i)
	if st.Buffering == schedule.OneBuffer || !attached || k == nil || len(k.dims) == 0 ||
		st.Op.Combine != nil || len(st.Op.Results) != 1 || b.storage[st.Op.Results[0]].buffer.Scope != tir.Shared {
		return schedule.OneBuffer
	}
	l := b.nests[at.Stage].Loops[at.Iter]
	if l.Extent < 2 || l.Iter.Ann != schedule.None && l.Iter.Ann != schedule.Unroll {
		return schedule.OneBuffer
	}
	how := st.Buffering
	for _, e := range b.s.InlinedBody(i) {
		for l := range tir.ExprsIn[*tir.Load](e) {
			if !b.storage[l.Buffer].buffer.InGlobal() {
				how = schedule.OneBuffer // what this iteration computes is not there before it
			}
		}
	}
	return how
}

// bufferAlign is that of the second buffer, in bytes: what the first one's vectors have.
const bufferAlign = 16

// twice returns the buffer that holds two of b.
func twice(b *tir.Buffer) *tir.Buffer {
	c := *b
	unit := int64(bufferAlign / b.Type.Bytes())
	c.Strides = append([]int64{(b.Extent() + unit - 1) / unit * unit}, b.ElemStrides()...)
	c.Shape = append([]int64{2}, b.Shape...)
	return &c
}

// A refill is a copy to shared memory that a loop makes in each iteration.
type refill struct {
	buffer *tir.Buffer
	wide   *tir.Buffer
	how    schedule.Buffering
	body   tir.Stmt
}

// doubled returns l with its copies double-buffered, or l if there are none.
func doubled(l *tir.For, async bool) tir.Stmt {
	n, constant := l.Extent.(*tir.IntImm)
	if !constant || n.Value < 2 || l.Kind != tir.Serial && l.Kind != tir.Unrolled {
		return l
	}
	var list []refill
	rest := takeRefills(l.Body, &list)
	if len(list) == 0 || rest == nil {
		return l
	}
	var first, fetch, keep []tir.Stmt // before the loop; before what an iteration computes, and behind it
	var staged []*tir.Buffer
	waits := false
	this := map[*tir.Buffer]element{}
	for _, r := range list {
		this[r.buffer] = element{r.wide, []tir.Expr{slotOf(l.Var)}}
		next := tir.Bin(tir.Add, l.Var, tir.Int(1))
		begin, again := r.at(l.Var, tir.Int(0), tir.Int(0)), r.at(l.Var, next, slotOf(next))
		if async && r.how == schedule.TwoBuffersByAsync {
			first, fetch, waits = append(first, asyncStores(begin)), append(fetch, asyncStores(again)), true
			continue
		}
		first = append(first, begin)
		if stage, load, store := staging(r.buffer, again); stage != nil {
			fetch, keep, staged = append(fetch, load), append(keep, store), append(staged, stage)
		} else {
			fetch = append(fetch, again)
		}
	}
	unlessLast := func(list []tir.Stmt) tir.Stmt {
		if s := tir.Sequence(list...); s != nil {
			return &tir.If{Cond: tir.Bin(tir.LT, l.Var, tir.Int(n.Value-1)), Then: s}
		}
		return nil
	}
	body := tir.Sequence(unlessLast(fetch), onBuffers(rest, this), unlessLast(keep))
	for _, b := range staged {
		body = &tir.Alloc{Buffer: b, Body: body}
	}
	if waits {
		body = tir.Sequence(&tir.Wait{}, body)
	}
	loop := *l
	loop.Body = body
	s := tir.Sequence(append(first, &tir.Pragma{Key: slotsKey, Value: 2, Body: &loop})...)
	for i := len(list) - 1; i >= 0; i-- {
		s = &tir.Alloc{Buffer: list[i].wide, Body: s}
	}
	return s
}

// slotOf returns which of two buffers iteration k has.
func slotOf(k tir.Expr) tir.Expr { return tir.Bin(tir.FloorMod, k, tir.Int(2)) }

// takeRefills returns s without the copies that are to be double-buffered, which it
// adds to the list. Those that are not made once an iteration stay.
func takeRefills(s tir.Stmt, list *[]refill) tir.Stmt {
	switch s := s.(type) {
	case *tir.Alloc:
		stmts := []tir.Stmt{s.Body}
		if seq, ok := s.Body.(*tir.Seq); ok {
			stmts = seq.Stmts
		}
		if p, ok := stmts[0].(*tir.Pragma); ok && p.Key == bufferKey && s.Buffer.Scope == tir.Shared {
			*list = append(*list, refill{s.Buffer, twice(s.Buffer), schedule.Buffering(p.Value), p.Body})
			if len(stmts) == 1 {
				return nil
			}
			return takeRefills(tir.Sequence(stmts[1:]...), list)
		}
	case *tir.Seq:
	case *tir.Pragma:
		if s.Key == slotsKey || s.Key == bufferKey {
			return s
		}
	default:
		return s
	}
	return tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { return takeRefills(t, list) })
}

// at returns the copy of iteration k, which v is, in one of the two buffers; nil if all of it
// is beyond an edge.
func (r *refill) at(v *tir.Var, k, slot tir.Expr) tir.Stmt {
	s := tir.FreshLoops(tir.SubstituteStmt(r.body, map[*tir.Var]tir.Expr{v: k}))
	if s = (simplifier{Simplifier: arith.NewSimplifier()}).stmt(s); s == nil {
		return nil
	}
	return onBuffers(s, map[*tir.Buffer]element{r.buffer: {r.wide, []tir.Expr{slot}}})
}

// staging takes a nest apart that stores one element at a time: into one that loads the
// elements into a buffer of the thread's own, and one that stores them. The buffer is nil
// if the nest is more than that.
func staging(b *tir.Buffer, nest tir.Stmt) (stage *tir.Buffer, load, store tir.Stmt) {
	own := &tir.Buffer{Name: b.Name + ".next", Type: b.Type, Scope: tir.Local}
	var index []tir.Expr
	for s := nest; ; {
		switch t := s.(type) {
		case *tir.For:
			n, ok := t.Extent.(*tir.IntImm)
			if !ok {
				return nil, nil, nil
			}
			own.Shape, index, s = append(own.Shape, n.Value), append(index, t.Var), t.Body
			continue
		case *tir.Block:
			s = t.Body
			continue
		case *tir.Pragma:
			s = t.Body
			continue
		case *tir.If:
			if t.Else != nil {
				return nil, nil, nil
			}
			s = t.Then
			continue
		case *tir.Store:
			return own, withStore(nest, &tir.Store{Buffer: own, Index: index, Value: t.Value}),
				tir.FreshLoops(withStore(nest,
					&tir.Store{Buffer: t.Buffer, Index: t.Index, Value: &tir.Load{Buffer: own, Index: index}}))
		}
		return nil, nil, nil
	}
}

// withStore returns a nest with another store in place of its only one.
func withStore(nest tir.Stmt, st *tir.Store) tir.Stmt {
	return tir.MapStmt(nest, func(s tir.Stmt) tir.Stmt {
		if _, ok := s.(*tir.Store); ok {
			return st
		}
		return s
	}, nil)
}

// asyncStores makes the stores of a copy asynchronous.
func asyncStores(s tir.Stmt) tir.Stmt {
	if s == nil {
		return nil
	}
	return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
		if st, ok := s.(*tir.Store); ok {
			c := *st
			c.Async = true
			return &c
		}
		return s
	}, nil)
}
