package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// common returns the guards that all of s is under and that could stand around
// s: they depend on nothing inside. Statements whose only effect is on a buffer
// that is not used after s do not count, so that what is computed for an
// overhanging part is not computed at all:
//
//	alloc T:                        if i < 7:
//	  T[0] = A[i]                     alloc T:
//	  if i < 7:               =>        T[0] = A[i]
//	    C[i] = T[0]                     C[i] = T[0]
func common(s tir.Stmt) []tir.Expr {
	conds, _ := guardsOf(s, nil)
	return conds
}

// guardsOf is common for a statement inside the allocations of own. It also
// reports whether s does nothing but store to these, under no guards.
func guardsOf(s tir.Stmt, own []*tir.Buffer) (conds []tir.Expr, free bool) {
	switch s := s.(type) {
	case *tir.For:
		inner, free := guardsOf(s.Body, own)
		return slices.DeleteFunc(inner, func(c tir.Expr) bool { return tir.Uses(c, s.Var) }), free
	case *tir.If:
		if s.Else != nil || tir.Reads(s.Cond) {
			return nil, false
		}
		inner, free := guardsOf(s.Then, own)
		return append(tir.Conjuncts(s.Cond), inner...), free
	case *tir.Seq:
		return guardsOfSeq(s, own)
	case *tir.Alloc:
		return guardsOf(s.Body, append(own[:len(own):len(own)], s.Buffer))
	case *tir.Pragma:
		return guardsOf(s.Body, own)
	case *tir.Block:
		return nil, storesOnly(s, own)
	case *tir.Store:
		return nil, slices.Contains(own, s.Buffer)
	}
	return nil, false
}

func guardsOfSeq(s *tir.Seq, own []*tir.Buffer) (conds []tir.Expr, free bool) {
	free = true
	for _, t := range s.Stmts {
		c, f := guardsOf(t, own)
		if f {
			continue
		}
		if free {
			conds, free = c, false
			continue
		}
		conds = slices.DeleteFunc(conds, func(x tir.Expr) bool { return !holdsIn(x, c) })
	}
	return conds, free
}

func holdsIn(x tir.Expr, list []tir.Expr) bool {
	return slices.ContainsFunc(list, func(y tir.Expr) bool { return tir.EqualExpr(x, y) })
}

// written returns the buffer that s itself writes to, nil if none.
func written(s tir.Stmt) *tir.Buffer {
	switch s := s.(type) {
	case *tir.Store:
		return s.Buffer
	case *tir.MMA:
		return s.Buffer
	}
	return nil
}

func storesOnly(s tir.Stmt, own []*tir.Buffer) bool {
	only := true
	tir.Visit(s, func(t tir.Stmt) bool {
		if b := written(t); b != nil && !slices.Contains(own, b) {
			only = false
		}
		return only
	})
	return only
}

// without returns s with the given guards taken as true.
func without(s tir.Stmt, conds []tir.Expr) tir.Stmt {
	return tir.MapStmt(s, func(t tir.Stmt) tir.Stmt {
		i, ok := t.(*tir.If)
		if !ok || i.Else != nil {
			return t
		}
		rest := slices.DeleteFunc(tir.Conjuncts(i.Cond), func(c tir.Expr) bool { return holdsIn(c, conds) })
		if len(rest) == 0 {
			return i.Then
		}
		return &tir.If{Cond: tir.AllOf(rest...), Then: i.Then}
	}, nil)
}
