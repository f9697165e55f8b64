package lower

import (
	"strings"

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
	if l, ok := s.(*tir.For); ok && l.Kind == tir.ThreadBound && strings.HasPrefix(l.Thread, "threadIdx.") {
		return pending{}.stmt(s)
	}
	return tir.MapChildren(s, mapBlocks)
}

// An access is by which stage what is done to a shared buffer.
type access struct {
	buffer *tir.Buffer
	stage  string
	write  bool
}

// pending holds the accesses since the last barrier.
type pending map[access]bool

func (p pending) conflicts(list []access) bool {
	for _, a := range list {
		for q := range p {
			if q.buffer == a.buffer && q.stage != a.stage && (q.write || a.write) {
				return true
			}
		}
	}
	return false
}

func (p pending) add(list []access) {
	for _, a := range list {
		p[a] = true
	}
}

// accesses returns those of s to shared memory.
func accesses(s tir.Stmt) []access {
	var list []access
	stage := ""
	var visit func(s tir.Stmt)
	note := func(e tir.Expr) {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok && l.Buffer.Scope == tir.Shared {
				list = append(list, access{l.Buffer, stage, false})
			}
			return true
		})
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
				list = append(list, access{st.Buffer, stage, true})
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
			p.add(accesses(s.Body)) // what one iteration may leave to the next
		}
	case *tir.Seq:
		var list []tir.Stmt
		for _, t := range s.Stmts {
			if isLeaf(t) && p.conflicts(accesses(t)) {
				list = append(list, &tir.Barrier{Scope: tir.Shared})
				clear(p)
			}
			list = append(list, p.stmt(t))
		}
		return &tir.Seq{Stmts: list}
	case *tir.If, *tir.Block, *tir.Store: // inside an If not all threads come by a barrier
		p.add(accesses(s))
		return s
	}
	return tir.MapChildren(s, p.stmt)
}

// isLeaf reports whether the accesses in s are by one stage, so that no barrier
// is needed, or possible, inside.
func isLeaf(s tir.Stmt) bool {
	if _, ok := s.(*tir.If); ok {
		return true
	}
	list := accesses(s)
	for _, a := range list {
		if a.stage != list[0].stage {
			return false
		}
	}
	return true
}
