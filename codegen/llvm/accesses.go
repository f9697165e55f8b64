package llvm

import "github.com/wmtune/wmtune/tir"

// accesses collects how a statement reaches each buffer that it stores to.
type accesses struct {
	stored []*tir.Buffer // in order
	index  map[*tir.Buffer][]tir.Expr
	reads  map[*tir.Buffer]bool // is read as well
	bad    map[*tir.Buffer]bool // reached by two indices, or stored under a condition
	local  map[*tir.Buffer]bool // allocated inside
	loops  []*tir.For
	unfit  bool // holds something that rules out any change
}

func (a *accesses) stmt(s tir.Stmt, cond tir.Expr) {
	switch s := s.(type) {
	case *tir.For:
		if s.Kind == tir.Parallel {
			a.unfit = true
		}
		a.loops = append(a.loops, s)
		a.expr(s.Extent)
		a.stmt(s.Body, cond)
	case *tir.Store:
		if _, ok := a.index[s.Buffer]; !ok {
			a.stored = append(a.stored, s.Buffer)
		}
		a.access(s.Buffer, s.Index)
		a.bad[s.Buffer] = a.bad[s.Buffer] || cond != nil
		a.expr(s.Value)
	case *tir.If:
		a.expr(s.Cond)
		a.stmt(s.Then, s.Cond)
		if s.Else != nil {
			a.stmt(s.Else, s.Cond)
		}
	case *tir.Seq:
		for _, t := range s.Stmts {
			a.stmt(t, cond)
		}
	case *tir.Alloc:
		a.local[s.Buffer] = true
		a.stmt(s.Body, cond)
	case *tir.Block:
		a.stmt(s.Body, cond)
	case *tir.Pragma:
		a.stmt(s.Body, cond)
	default:
		a.unfit = true
	}
}

func (a *accesses) expr(e tir.Expr) {
	tir.VisitExpr(e, func(x tir.Expr) bool {
		if l, ok := x.(*tir.Load); ok {
			a.reads[l.Buffer] = true
			a.access(l.Buffer, l.Index)
		}
		return true
	})
}

// access notes an access; indices that look up other buffers do not count as
// equal.
func (a *accesses) access(b *tir.Buffer, index []tir.Expr) {
	first, ok := a.index[b]
	if !ok {
		a.index[b] = index
	} else if !sameExprs(first, index) {
		a.bad[b] = true
	}
	for _, e := range index {
		tir.VisitExpr(e, func(x tir.Expr) bool {
			_, load := x.(*tir.Load)
			a.bad[b] = a.bad[b] || load
			return true
		})
	}
}
