package cuda

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// checkAsync returns an error if f has what t cannot do asynchronously.
func checkAsync(f *tir.Func, t target.Target) error {
	async := tir.Has(f.Body, func(s tir.Stmt) bool {
		st, ok := s.(*tir.Store)
		_, waits := s.(*tir.Wait)
		return waits || ok && st.Async
	})
	if async && !t.HasAsyncCopies() {
		return fmt.Errorf("cuda: %s copies asynchronously, which %s cannot: lower it for that target", f.Name, t)
	}
	return nil
}

// asyncCopy writes a store of n elements as an asynchronous copy from global to shared
// memory:
//
//	async S[t] = A[i*64 + t]        copy_async<4>(&S[t], &A[i * 64 + t]);
//
// The hardware copies 4, 8 or 16 bytes, aligned to as many. Of other sizes, and of
// values that are no elements of global memory, it returns false and writes nothing: a
// store that is done at once is an asynchronous one, too.
func (w *writer) asyncCopy(s *tir.Store, index []tir.Expr, n int64, first func([]tir.Expr) []tir.Expr) bool {
	l, ok := s.Value.(*tir.Load)
	bytes := n * int64(s.Buffer.Type.Bytes())
	if !s.Async || !ok || !l.Buffer.InGlobal() || l.Buffer.Type != s.Buffer.Type || bytes != 4 && bytes != 8 &&
		bytes != 16 {
		return false
	}
	w.line("%s<%d>(&%s, &%s);", w.m.need("copy_async"), bytes, w.element(s.Buffer, index),
		w.element(l.Buffer, first(l.Index)))
	return true
}

// splitAsync returns an asynchronous store of a selection as one in each branch, so that
// what is read is copied and what is not is stored.
func splitAsync(s *tir.Store) (*tir.If, bool) {
	sel, ok := s.Value.(*tir.Select)
	if !s.Async || !ok {
		return nil, false
	}
	in := func(v tir.Expr) tir.Stmt { return &tir.Store{Buffer: s.Buffer, Index: s.Index, Value: v, Async: true} }
	return &tir.If{Cond: sel.Cond, Then: in(sel.Then), Else: in(sel.Else)}, true
}
