package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// maxVthreads is up to how many virtual threads are written out, one after the
// other (tir/transforms/inject_virtual_thread.cc stops at 15).
const maxVthreads = 16

// vthread carries virtual threads of a GPU out side by side: their loop moves from
// around the body of a thread to around the statements in it, and what is a virtual
// thread's own gets an element for each.
//
//	vthread i in 2:                       alloc C: float32[2, 4] local
//	  alloc C: float32[4] local           for k in 8:
//	  for k in 8:                           alloc A.shared: float32[32] shared
//	    alloc A.shared: float32[32] shared  A.shared[t] = A[k, t]
//	    A.shared[t] = A[k, t]          =>   for j in 4:
//	    for j in 4:                           unroll i in 2:
//	      C[j] = C[j] + A.shared[4*i + j]       C[i, j] = C[i, j] + A.shared[4*i + j]
//	  for j in 4:                         for j in 4:
//	    D[4*i + j] = C[j]                   unroll i in 2:
//	                                          D[4*i + j] = C[i, j]
//
// So they share what is fetched to shared memory, and one has something to do while
// another waits. What does not depend on the virtual thread is done once: it is the
// same for all, as iterations are independent.
//
// A loop stays as it is if a virtual thread fetches to shared memory what others do
// not.
//
// For accelerators, see inUnits.
func vthread(f *tir.Func, cfg Config) (*tir.Func, error) {
	g := *f
	if cfg.Target.Kind == target.VDLA {
		g.Body = inUnits(f.Body)
		return &g, nil
	}
	if !usesThreads(f.Body) {
		return f, nil
	}
	g.Body = vthreads(f.Body)
	return &g, nil
}

// vthreads carries out all virtual threads in s, inner ones first.
func vthreads(s tir.Stmt) tir.Stmt {
	s = tir.MapChildren(s, vthreads)
	l, ok := s.(*tir.For)
	if !ok || l.Kind != tir.Vthread {
		return s
	}
	n := l.Extent.(*tir.IntImm).Value // a constant: tir.Check
	w := &interleaving{loop: l, n: n, own: map[*tir.Buffer]*tir.Buffer{}}
	if !w.findOwn() {
		return s
	}
	return w.stmt(l.Body)
}

// An interleaving moves the loop over virtual threads to the statements.
type interleaving struct {
	loop *tir.For
	n    int64
	own  map[*tir.Buffer]*tir.Buffer // what a virtual thread has to itself, and what it becomes
}

// findOwn finds the buffers, allocated inside the loop, whose elements depend on the
// virtual thread. It reports whether none of them is shared by threads.
func (w *interleaving) findOwn() bool {
	inside := map[*tir.Buffer]bool{}
	for a := range tir.StmtsIn[*tir.Alloc](w.loop.Body) {
		inside[a.Buffer] = true
	}
	for known := -1; known < len(w.own); { // until nothing is added
		known = len(w.own)
		w.stores(w.loop.Body, false, func(b *tir.Buffer) {
			if inside[b] && w.own[b] == nil {
				w.own[b] = w.widened(b)
			}
		})
	}
	for b := range w.own {
		if b.Scope != tir.Local {
			return false
		}
	}
	return true
}

// stores calls f for the buffers of all stores in s that depend on the virtual
// thread, or are under what does.
func (w *interleaving) stores(s tir.Stmt, under bool, f func(*tir.Buffer)) {
	tir.Exprs(s, func(e tir.Expr) { under = under || w.depends(e) })
	if b := written(s); b != nil && under {
		f(b)
	}
	tir.MapChildren(s, func(c tir.Stmt) tir.Stmt {
		w.stores(c, under, f)
		return c
	})
}

// depends reports whether an expression depends on the virtual thread.
func (w *interleaving) depends(e tir.Expr) bool {
	found := false
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Var:
			found = found || e == w.loop.Var
		case *tir.Load:
			found = found || w.own[e.Buffer] != nil
		}
		return !found
	})
	return found
}

// touched reports whether a statement depends on the virtual thread.
func (w *interleaving) touched(s tir.Stmt) bool {
	found := false
	tir.Visit(s, func(s tir.Stmt) bool {
		if b := written(s); b != nil && w.own[b] != nil {
			found = true
		}
		tir.Exprs(s, func(e tir.Expr) { found = found || w.depends(e) })
		return !found
	})
	return found
}

// widened returns a buffer with an element of b for each virtual thread.
func (w *interleaving) widened(b *tir.Buffer) *tir.Buffer {
	c := *b
	if b.Strides != nil {
		c.Strides = slices.Insert(slices.Clone(b.Strides), 0, b.Extent())
	}
	c.Shape = slices.Insert(slices.Clone(b.Shape), 0, w.n)
	return &c
}

// stmt carries s out for all virtual threads.
func (w *interleaving) stmt(s tir.Stmt) tir.Stmt {
	if !w.touched(s) {
		return s
	}
	switch s := s.(type) {
	case *tir.Seq, *tir.Pragma:
		return tir.MapChildren(s, w.stmt)
	case *tir.Alloc:
		b := s.Buffer
		if wide := w.own[b]; wide != nil {
			b = wide
		}
		return &tir.Alloc{Buffer: b, Body: w.stmt(s.Body)}
	case *tir.For:
		if (s.Kind == tir.Serial || s.Kind == tir.Unrolled) && !w.depends(s.Extent) {
			return tir.MapChildren(s, w.stmt)
		}
	case *tir.If:
		if !w.depends(s.Cond) {
			return tir.MapChildren(s, w.stmt)
		}
	}
	return w.around(s)
}

// around returns the loop over virtual threads around s.
func (w *interleaving) around(s tir.Stmt) tir.Stmt {
	v := tir.NewVar(w.loop.Var.Name)
	to := map[*tir.Buffer]element{}
	for b, wide := range w.own {
		to[b] = element{buffer: wide, index: []tir.Expr{v}}
	}
	for a := range tir.StmtsIn[*tir.Alloc](s) {
		delete(to, a.Buffer) // inside of the loop it is a virtual thread's own as it is
	}
	kind := tir.Unrolled
	if w.n > maxVthreads {
		kind = tir.Serial
	}
	body := onBuffers(tir.SubstituteStmt(s, map[*tir.Var]tir.Expr{w.loop.Var: v}), to)
	return tir.FreshLoops(&tir.For{Var: v, Extent: tir.Int(w.n), Kind: kind, Body: body})
}
