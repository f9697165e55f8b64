package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A splitter splits the thread loops around the body of a block at its barriers.
// What threads do between two barriers is found along the way that they take,
// which leads out of one loop into another, and from one iteration to the next:
//
//	bind t in 32 threadIdx.x:        for t in 32:
//	  INIT                             INIT; FETCH(0)
//	  for k in 8:                    for k in 8:
//	    FETCH(k)               =>      for t in 32:
//	    barrier                          USE(k)
//	    USE(k)                           if k < 7:
//	  STORE                                FETCH(k + 1)
//	                                     else:
//	                                       STORE
//
// A thread thus runs on as far as it may before another one does: nothing waits
// where no barrier is. (Here one is missing at the start of an iteration, and
// FETCH(1) of one thread comes before USE(0) of the next.) Compilers of OpenCL for
// CPUs split loops, too (pocl: Jääskeläinen et al., 2015, section 4.4), but put
// barriers of their own around loops.
type splitter struct {
	order Order
	loops []*tir.For // over threads, outermost first
}

// A tail is what follows a statement: what a thread does up to the next barrier,
// and what the host does from there on.
type tail struct {
	thread []tir.Stmt
	host   []tir.Stmt
}

// split returns what the host does for a body.
func (p splitter) split(body tir.Stmt) tir.Stmt {
	if !hasBarrier(body) {
		return p.threads([]tir.Stmt{body})
	}
	return tir.Sequence(p.threads(p.head(body)), tir.Sequence(p.rest(body, tail{})...))
}

// head returns what a thread does of s before its first barrier.
func (p splitter) head(s tir.Stmt) []tir.Stmt {
	switch s := s.(type) {
	case *tir.Barrier:
		return nil
	case *tir.Seq:
		for i, t := range s.Stmts {
			if hasBarrier(t) {
				return slices.Concat(s.Stmts[:i], p.head(t))
			}
		}
	case *tir.For:
		return p.headAt(s, tir.Int(0))
	case *tir.Block:
		return p.head(s.Body)
	case *tir.Pragma:
		return p.head(s.Body)
	}
	panic("BUG: lower: no way to a barrier in " + s.String())
}

// headAt returns the head of an iteration of a loop.
func (p splitter) headAt(s *tir.For, i tir.Expr) []tir.Stmt {
	var list []tir.Stmt
	for _, t := range p.head(s.Body) {
		list = append(list, tir.FreshLoops(tir.SubstituteStmt(t, map[*tir.Var]tir.Expr{s.Var: i})))
	}
	return list
}

// rest returns what the host does after the first barrier of s and in its tail.
func (p splitter) rest(s tir.Stmt, k tail) []tir.Stmt {
	switch s := s.(type) {
	case *tir.Barrier:
		return slices.Concat([]tir.Stmt{p.threads(k.thread)}, k.host)
	case *tir.Seq:
		for i, t := range s.Stmts {
			if hasBarrier(t) {
				return p.rest(t, p.tailOf(s.Stmts[i+1:], k))
			}
		}
	case *tir.For:
		c := *s
		c.Kind = tir.Serial
		c.Body = tir.Sequence(p.rest(s.Body, tail{thread: p.next(s, k)})...)
		if c.Body == nil {
			return k.host
		}
		return slices.Concat([]tir.Stmt{&c}, k.host)
	case *tir.Block:
		return p.rest(s.Body, k)
	case *tir.Pragma:
		return p.rest(s.Body, k)
	}
	panic("BUG: lower: no barrier in " + s.String())
}

// tailOf returns the tail that starts with the statements of a list.
func (p splitter) tailOf(list []tir.Stmt, k tail) tail {
	for i, t := range list {
		if hasBarrier(t) {
			return tail{slices.Concat(list[:i], p.head(t)), p.rest(t, p.tailOf(list[i+1:], k))}
		}
	}
	return tail{slices.Concat(list, k.thread), k.host}
}

// next returns what a thread does after an iteration of a loop: the head of the
// next one, or what follows the loop.
func (p splitter) next(s *tir.For, k tail) []tir.Stmt {
	last := s.Extent.(*tir.IntImm).Value - 1
	again, after := tir.Sequence(p.headAt(s, tir.Bin(tir.Add, s.Var, tir.Int(1)))...), tir.Sequence(k.thread...)
	switch {
	case last == 0 || again == nil && after == nil:
		return k.thread
	case again == nil:
		return []tir.Stmt{&tir.If{Cond: tir.Bin(tir.EQ, s.Var, tir.Int(last)), Then: after}}
	}
	return []tir.Stmt{&tir.If{Cond: tir.Bin(tir.LT, s.Var, tir.Int(last)), Then: again, Else: after}}
}

// threads returns the loops in which all threads do the statements of a list, or
// nil if there are none.
func (p splitter) threads(list []tir.Stmt) tir.Stmt {
	s := tir.Sequence(list...)
	if s == nil {
		return nil
	}
	s = tir.FreshLoops(s)
	vars, to := make([]*tir.Var, len(p.loops)), map[*tir.Var]tir.Expr{}
	for d, l := range p.loops {
		vars[d] = tir.NewVar(l.Var.Name)
		to[l.Var] = vars[d]
		if p.order == Backward {
			to[l.Var] = tir.Bin(tir.Sub, tir.Int(l.Extent.(*tir.IntImm).Value-1), vars[d])
		}
	}
	s = tir.SubstituteStmt(s, to)
	for d := len(p.loops) - 1; d >= 0; d-- {
		s = &tir.For{Var: vars[d], Extent: p.loops[d].Extent, Body: s}
	}
	return s
}
