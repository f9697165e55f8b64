package lower

import (
	"sync"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// simplify simplifies index expressions and conditions with the ranges of loop
// variables and the conditions around, and removes what they decide:
//
//	for i in 8:                         for i in 8:
//	  for j in 4:                         for j in 4:
//	    if ((i*4) + j) < 32:     =>         C[i, j] = A[((i*4) + j)]
//	      C[i, (((i*4) + j) - (i*4))] =
//	        A[((i*4) + j)]
//
// Loops without iterations go, and so do those of one iteration unless they are
// bound to threads. So does a temporary that nothing reads, as of indices whose
// values do not matter. An If whose condition joins several with && stays one.
//
// For processors, loops that were fused and are not parallel go apart (unfused).
func simplify(f *tir.Func, cfg Config) (*tir.Func, error) {
	s := simplifier{simplifiers.Get().(*arith.Simplifier), unread(f.Body), cfg.Target.Kind == target.LLVM}
	defer func() {
		s.Reset()
		simplifiers.Put(s.Simplifier)
	}()
	body := s.stmt(f.Body)
	if body == nil {
		body = &tir.Seq{} // tir.Check says what is wrong
	}
	g := *f
	g.Body = body
	return &g, nil
}

type simplifier struct {
	*arith.Simplifier
	unread map[*tir.Buffer]bool // temporaries, which go
	apart  bool                 // loops that were fused go apart
}

// unread returns the temporaries in s that nothing reads.
func unread(s tir.Stmt) map[*tir.Buffer]bool {
	list := map[*tir.Buffer]bool{}
	for a := range tir.StmtsIn[*tir.Alloc](s) {
		list[a.Buffer] = true
	}
	tir.Visit(s, func(t tir.Stmt) bool {
		if m, ok := t.(*tir.MMA); ok { // it adds to its tile
			delete(list, m.Buffer)
		}
		tir.Exprs(t, func(e tir.Expr) {
			for l := range tir.ExprsIn[*tir.Load](e) {
				delete(list, l.Buffer)
			}
		})
		return true
	})
	return list
}

// simplifiers holds those that are not in use.
var simplifiers = sync.Pool{New: func() any { return arith.NewSimplifier() }}

func (s simplifier) stmt(t tir.Stmt) tir.Stmt {
	switch t := t.(type) {
	case *tir.For:
		return s.loop(t)
	case *tir.If:
		return s.ifStmt(t)
	case *tir.Store:
		if s.unread[t.Buffer] {
			return nil
		}
		return tir.MapStmt(t, nil, s.Expr)
	case *tir.Alloc:
		if s.unread[t.Buffer] {
			return s.stmt(t.Body)
		}
	case *tir.MMA:
		return tir.MapStmt(t, nil, s.Expr)
	}
	return tir.MapChildren(t, s.stmt)
}

func (s simplifier) loop(t *tir.For) tir.Stmt {
	extent := s.Expr(t.Extent)
	lo, hi, ok := s.Bounds(extent)
	if ok && hi <= 0 {
		return nil
	}
	last := int64(1) << 62
	if ok {
		last = hi - 1
	}
	s.Bind(t.Var, 0, last)
	body := s.stmt(t.Body)
	if body == nil {
		return nil
	}
	if ok && lo == 1 && hi == 1 && t.Kind != tir.ThreadBound && t.Instruction == nil {
		return body // the range 0..0 has made the variable a constant
	}
	c := *t
	c.Extent, c.Body = extent, body
	if s.apart {
		if u := unfused(&c); u != nil {
			return s.stmt(u)
		}
	}
	return &c
}

func (s simplifier) ifStmt(t *tir.If) tir.Stmt {
	cond := s.Expr(t.Cond)
	if c, ok := cond.(*tir.IntImm); ok {
		switch {
		case c.Value != 0:
			return s.stmt(t.Then)
		case t.Else != nil:
			return s.stmt(t.Else)
		}
		return nil
	}
	m := s.Assume(cond)
	then := s.stmt(t.Then)
	s.Release(m)
	var els tir.Stmt
	if t.Else != nil {
		m = s.Assume(&tir.Not{X: cond})
		els = s.stmt(t.Else)
		s.Release(m)
	}
	switch {
	case then == nil && els == nil:
		return nil
	case then == nil:
		return &tir.If{Cond: s.Expr(&tir.Not{X: cond}), Then: els}
	}
	return &tir.If{Cond: cond, Then: then, Else: els}
}
