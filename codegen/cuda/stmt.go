package cuda

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

func (w *writer) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.For:
		w.loop(s)
	case *tir.Store:
		w.store(s)
	case *tir.If:
		w.conditional(s)
	case *tir.Seq:
		for _, t := range s.Stmts {
			w.stmt(t)
		}
	case *tir.Alloc:
		w.alloc(s.Buffer)
		w.stmt(s.Body)
	case *tir.Block:
		w.stmt(s.Body)
	case *tir.Pragma:
		w.stmt(s.Body)
	case *tir.Barrier:
		if s.Scope == tir.Warp {
			w.line("__syncwarp();")
		} else {
			w.line("__syncthreads();")
		}
	case *tir.Wait:
		w.line("%s();", w.m.need("wait_async"))
	case *tir.MMA:
		w.mma(s)
	default:
		panic(fmt.Sprintf("BUG: cuda: statement %T", s))
	}
}

func (w *writer) conditional(s *tir.If) {
	w.block("if ("+w.expr(s.Cond).text+")", func() { w.stmt(s.Then) })
	if s.Else != nil {
		w.block("else", func() { w.stmt(s.Else) })
	}
}

// alloc declares a buffer of a kernel's own. One in global memory is an argument
// of the kernel.
func (w *writer) alloc(b *tir.Buffer) {
	if b.InGlobal() {
		return
	}
	name, typ := w.declare(b), typeName(b.Type)
	switch {
	case b.Scope == tir.Shared:
		w.line("__shared__ __align__(%d) %s %s[%d];", Alignment, typ, name, b.Extent())
	case isScalar(b):
		w.line("%s %s;", typ, name)
	default:
		w.line("%s %s[%d];", typ, name, b.Extent())
	}
}

// isScalar reports whether b is a variable rather than an array.
func isScalar(b *tir.Buffer) bool { return b.Scope == tir.Local && b.Extent() == 1 }

func (w *writer) store(s *tir.Store) {
	if branches, ok := splitAsync(s); ok {
		w.conditional(branches)
		return
	}
	if w.asyncCopy(s, s.Index, 1, func(index []tir.Expr) []tir.Expr { return index }) {
		return
	}
	w.line("%s", w.assignment(s, w.element(s.Buffer, s.Index)))
}

// assignment returns what stores s.Value to place, as a sum if it adds to what is
// there.
func (w *writer) assignment(s *tir.Store, place string) string {
	if e, ok := s.Value.(*tir.Binary); ok && e.Op == tir.Add && (e.DType() == tir.F32 || e.DType() == tir.F64) {
		if l, ok := e.X.(*tir.Load); ok && l.Buffer == s.Buffer && sameIndex(l.Index, s.Index) {
			return fmt.Sprintf("%s += %s;", place, w.expr(e.Y).text)
		}
	}
	return fmt.Sprintf("%s = %s;", place, w.expr(s.Value).text)
}

func sameIndex(x, y []tir.Expr) bool {
	for i := range x {
		if !tir.EqualExpr(x[i], y[i]) {
			return false
		}
	}
	return true
}
