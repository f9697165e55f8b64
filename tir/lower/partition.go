package lower

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// maxVersions bounds how often the innermost statement of a nest is repeated.
// An edge gets a third of what is left, the interior the rest: so the first two
// guards get a corner of their own, and up to six an interior.
const maxVersions = 10

// partition takes guards out of tiles. A guard of a split that does not divide
// is tested once per tile: where it holds for the whole tile, the tile runs
// without it; else, the loop of the tile runs only as far as the guard allows.
// With 60 = 7*8 + 4:
//
//	for i0 in 8:                         for i0 in 8:
//	  for k in 16:                         if i0 < 7:
//	    for i1 in 8:               =>        for k in 16:
//	      if ((i0*8) + i1) < 60:               for i1 in 8:
//	        C[((i0*8) + i1)] = ...               C[((i0*8) + i1)] = ...
//	                                         else:
//	                                           for k in 16:
//	                                             for i1 in 4:
//	                                               C[((i0*8) + i1)] = ...
//
// The tile of a guard is the innermost loop that it depends on; the test stands
// where the other loops that it depends on are known. What the edge's loop
// counts is a constant if the guard leaves only one edge tile, and most often
// there is only one. Loops with much work inside, which
// no emitter unrolls, are shortened without a version for the interior, unless
// they go along memory; so are all when there are maxVersions of a statement. A vectorized loop is shortened
// only to a constant length: else the guard stays inside, as a mask.
//
// Nests with loops bound to GPU threads stay as they are: a thread that has no
// work must still come to the barriers.
func partition(f *tir.Func, _ Config) (*tir.Func, error) {
	if usesThreads(f.Body) {
		return f, nil
	}
	p := partitioner{arith.NewSimplifier(), maxVersions}
	body := p.stmt(f.Body)
	if body == nil {
		panic("BUG: lower: partition removed all of " + f.Name)
	}
	g := *f
	g.Body = body
	return &g, nil
}

func usesThreads(s tir.Stmt) bool {
	return tir.Has(s, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		return ok && (l.Kind == tir.ThreadBound || l.Kind == tir.Vthread)
	})
}

type partitioner struct {
	s        *arith.Simplifier
	versions int // that the statement at hand may still become
}

// stmt partitions the nests in t. It returns nil if nothing is left.
func (p partitioner) stmt(t tir.Stmt) tir.Stmt {
	if n, ok := p.nestOf(t); ok {
		return n.from(0, n.guards, nil)
	}
	switch t := t.(type) {
	case *tir.For:
		if s := filled(t); s != nil {
			return tir.MapChildren(s, p.stmt)
		}
		p.bind(t)
	case *tir.Block:
		return t
	}
	return tir.MapChildren(t, p.stmt)
}

func (p partitioner) bind(t *tir.For) {
	if _, hi, ok := p.s.Bounds(t.Extent); ok {
		p.s.Bind(t.Var, 0, hi-1)
	}
}

// A guardedNest is a chain of loops around something that is all under guards:
//
//	for ...:
//	  for ...:
//	    if guards:
//	      body
type guardedNest struct {
	partitioner
	links  []tir.Stmt // For and Pragma, outermost first
	guards []*nestGuard
	body   tir.Stmt
}

// A nestGuard is one of the conditions.
type nestGuard struct {
	cond  tir.Expr
	tile  int  // the link of the innermost loop that it depends on, -1 if none
	ready int  // before this link all other loops that it depends on are known
	split bool // into an interior and an edge

	peeled bool // the loop around the groups of a tile has been
}

// nestOf returns the nest that starts at t, if what its loops are around is
// under guards.
func (p partitioner) nestOf(t tir.Stmt) (*guardedNest, bool) {
	n := &guardedNest{partitioner: p}
	for {
		switch s := t.(type) {
		case *tir.For:
			n.links = append(n.links, s)
			t = s.Body
			continue
		case *tir.Pragma:
			n.links = append(n.links, s)
			t = s.Body
			continue
		}
		break
	}
	conds := common(t)
	if len(conds) == 0 {
		return nil, false
	}
	for _, l := range n.links {
		if f, ok := l.(*tir.For); ok {
			p.bind(f)
		}
	}
	n.body = without(t, conds)
	for _, c := range conds {
		g := &nestGuard{cond: c, tile: n.innermost(c, len(n.links))}
		if g.tile >= 0 {
			g.ready = n.innermost(c, g.tile) + 1
			g.split = worthVersions(n.links[g.tile].(*tir.For))
		}
		n.guards = append(n.guards, g)
	}
	return n, true
}

// worthVersions reports whether it matters that the length of a loop is a
// constant: it is a vector, may become one (widen), or may be unrolled. With a
// large body it is not unrolled.
func worthVersions(l *tir.For) bool {
	n, ok := l.Extent.(*tir.IntImm)
	return l.Kind == tir.Vectorized || l.Kind == tir.Unrolled || l.Kind == tir.Tensorized ||
		l.Kind == tir.Serial && ok && (n.Value*steps(l.Body) <= maxUnrolled || storesNeighbours(l))
}

// storesNeighbours reports whether nothing in a loop is a vector yet, and what it stores goes along memory.
func storesNeighbours(l *tir.For) bool {
	along, vectors := false, false
	tir.Visit(l.Body, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.For:
			vectors = vectors || t.Kind == tir.Vectorized
		case *tir.Store:
			if last := len(t.Index) - 1; last >= 0 {
				c, ok := arith.Coefficient(t.Index[last], l.Var)
				along = along || ok && c == 1
			}
		}
		return true
	})
	return along && !vectors
}

// steps returns how many stores s carries out, those of a vectorized loop as
// one.
func steps(s tir.Stmt) int64 {
	switch s := s.(type) {
	case *tir.For:
		n, ok := s.Extent.(*tir.IntImm)
		if !ok || s.Kind == tir.Vectorized {
			return steps(s.Body)
		}
		return min(n.Value, math.MaxInt32) * min(steps(s.Body), math.MaxInt32)
	case *tir.If:
		n := steps(s.Then)
		if s.Else != nil {
			n += steps(s.Else)
		}
		return n
	case *tir.Seq:
		n := int64(0)
		for _, t := range s.Stmts {
			n += steps(t)
		}
		return n
	case *tir.Alloc:
		return steps(s.Body)
	case *tir.Block:
		return steps(s.Body)
	case *tir.Pragma:
		return steps(s.Body)
	case *tir.Store:
		return 1
	}
	return 0
}

// innermost returns the last link before the given one whose variable occurs in
// e, or -1.
func (n *guardedNest) innermost(e tir.Expr, before int) int {
	for k := before - 1; k >= 0; k-- {
		if l, ok := n.links[k].(*tir.For); ok && tir.Uses(e, l.Var) {
			return k
		}
	}
	return -1
}

// from returns the nest from link k on. Of the guards, pending are still to be
// taken care of, and edges are those that do not hold in all of their tile: its
// loop or what is in it has to see to them.
func (n *guardedNest) from(k int, pending, edges []*nestGuard) tir.Stmt {
	for i, g := range pending {
		if g.ready == k || g.tile < 0 {
			return n.test(k, g, slices.Delete(slices.Clone(pending), i, i+1), edges)
		}
	}
	if k == len(n.links) {
		return n.inner(edges)
	}
	switch l := n.links[k].(type) {
	case *tir.Pragma:
		if body := n.from(k+1, pending, edges); body != nil {
			return &tir.Pragma{Key: l.Key, Value: l.Value, Body: body}
		}
		return nil
	case *tir.For:
		return n.loop(k, l, pending, edges)
	}
	panic("BUG: lower: link " + n.links[k].String())
}

// inner returns the body under the guards that no loop took care of.
func (n *guardedNest) inner(edges []*nestGuard) tir.Stmt {
	if len(edges) == 0 {
		return n.stmt(n.body)
	}
	conds := make([]tir.Expr, len(edges))
	for i, g := range edges {
		conds[i] = n.s.Expr(g.cond)
	}
	return n.when(tir.AllOf(conds...), func() tir.Stmt { return n.stmt(n.body) })
}

// test makes the two versions of what follows link k: where guard g holds in
// the whole tile, and where it does not.
func (n *guardedNest) test(k int, g *nestGuard, pending, edges []*nestGuard) tir.Stmt {
	if g.tile < 0 {
		return n.when(g.cond, func() tir.Stmt { return n.from(k, pending, edges) })
	}
	always, possible, ok := n.s.Extremes(g.cond, n.links[g.tile].(*tir.For).Var)
	edge := append(slices.Clip(edges), g)
	if !ok {
		return n.from(k, pending, edge)
	}
	return n.when(possible, func() tir.Stmt {
		always = n.s.Expr(always)
		if c, ok := always.(*tir.IntImm); ok && c.Value != 0 {
			return n.from(k, pending, edges)
		}
		if c, ok := always.(*tir.IntImm); ok && c.Value == 0 || !g.split || n.versions == 1 {
			return n.from(k, pending, edge)
		}
		versions := n.versions
		forEdge := max(1, versions/3)
		n.versions = versions - forEdge
		m := n.s.Assume(always)
		then := n.from(k, pending, edges)
		n.s.Release(m)
		n.versions = forEdge
		m = n.s.Assume(&tir.Not{X: always})
		els := n.from(k, pending, edge)
		n.s.Release(m)
		n.versions = versions
		return either(always, then, els)
	})
}

// either returns the If with two branches, one of which, if nil, has nothing to
// do.
func either(cond tir.Expr, then, els tir.Stmt) tir.Stmt {
	switch {
	case then == nil && els == nil:
		return nil
	case then == nil:
		return &tir.If{Cond: &tir.Not{X: cond}, Then: els}
	case els == nil:
		return &tir.If{Cond: cond, Then: then}
	}
	return &tir.If{Cond: cond, Then: then, Else: tir.FreshLoops(els)}
}

// when returns what body makes under a condition, which may be decided.
func (n *guardedNest) when(cond tir.Expr, body func() tir.Stmt) tir.Stmt {
	cond = n.s.Expr(cond)
	if c, ok := cond.(*tir.IntImm); ok {
		if c.Value == 0 {
			return nil
		}
		return body()
	}
	m := n.s.Assume(cond)
	s := body()
	n.s.Release(m)
	if s == nil {
		return nil
	}
	return &tir.If{Cond: cond, Then: s}
}

// peeled returns link k, the innermost loop around the groups of a sum that instructions make, as two loops: over the
// whole groups, and over the last one, which has fewer steps. Accumulators stay in registers over each of them, which
// they would not with a condition inside. It returns false if no guard asks for it.
//
//	for k in 5:                              for k in 4: tensorize g in 4: ...
//	  tensorize g in 4:                =>    for k in 1: tensorize g in 2: C += A[4*(k+4) + g]*...
//	    if k*4 + g < 18: C += A[4*k + g]*...
//
// So are loops over groups of steps of a tile, the innermost one around these, and the loop around the last steps of
// any sum.
func (n *guardedNest) peeled(k int, l *tir.For, pending, edges []*nestGuard) (tir.Stmt, bool) {
	i, around := n.peelable(k, pending)
	if i < 0 || l.Kind != tir.Serial && !isTile(l) {
		return nil, false
	}
	g, rest := pending[i], slices.Delete(slices.Clone(pending), i, i+1)
	always, possible, ok := n.s.Extremes(g.cond, n.links[g.tile].(*tir.For).Var)
	if ok && around {
		always, _, ok = n.s.Extremes(always, n.links[g.ready-1].(*tir.For).Var)
	}
	if !ok {
		return nil, false
	}
	_, end, ok := n.s.Solve(always, l.Var)
	if !ok || end == nil {
		return nil, false
	}
	whole, ok := n.s.Expr(end).(*tir.IntImm)
	if extent, fixed := l.Extent.(*tir.IntImm); !ok || !fixed || whole.Value < 1 || whole.Value >= extent.Value {
		return nil, false
	}
	before := &nestGuard{cond: tir.Bin(tir.LT, l.Var, whole), tile: k}
	behind := &nestGuard{cond: tir.Bin(tir.GE, l.Var, whole), tile: k}
	versions, forEdge := n.versions, n.versions
	if n.links[g.tile].(*tir.For).Kind != tir.Tensorized {
		forEdge = max(1, versions/3)
		n.versions -= forEdge
	}
	first := n.loop(k, l, rest, append(slices.Clip(edges), before))
	n.versions = forEdge
	var last tir.Stmt
	if around {
		again := *g
		again.peeled = true
		last = n.loop(k, l, append(rest, &again), append(slices.Clip(edges), behind))
	} else {
		some := &nestGuard{cond: possible, tile: k}
		last = n.loop(k, l, rest, append(slices.Clip(edges), behind, some, g))
	}
	n.versions = versions
	if last != nil {
		last = tir.FreshLoops(last)
	}
	return tir.Sequence(first, last), true
}

// peelable returns the index of the guard that asks for link k to be two loops, -1 if none does, and whether the link
// is around the groups of a tile of instructions.
func (n *guardedNest) peelable(k int, pending []*nestGuard) (at int, around bool) {
	for i, g := range pending {
		if g.tile <= k {
			continue
		}
		if n.links[g.tile].(*tir.For).Kind != tir.Tensorized {
			if g.ready == k+1 && g.split && n.versions > 1 && n.sums(k) && n.sums(g.tile) {
				return i, false
			}
			continue
		}
		if g.ready-1 > k {
			groups, ok := n.links[g.ready-1].(*tir.For)
			around = ok && isTile(groups) && !g.peeled && n.innermost(g.cond, g.ready-1) == k
		}
		if g.ready == k+1 || around {
			return i, around
		}
	}
	return -1, false
}

// sums reports whether each iteration of link k writes to the same elements.
func (n *guardedNest) sums(k int) bool {
	l, ok := n.links[k].(*tir.For)
	return ok && !tir.Has(l.Body, func(t tir.Stmt) bool {
		st, ok := t.(*tir.Store)
		return ok && slices.ContainsFunc(st.Index, func(e tir.Expr) bool { return tir.Uses(e, l.Var) })
	})
}

// loop returns link k, shortened by the guards whose tile it is.
func (n *guardedNest) loop(k int, l *tir.For, pending, edges []*nestGuard) tir.Stmt {
	if s, ok := n.peeled(k, l, pending, edges); ok {
		return s
	}
	lo, hi, rest := n.shorten(k, l, edges)
	_, last, ok := n.s.Bounds(hi)
	first, _, okLo := n.s.Bounds(lo)
	if ok && okLo && last <= first {
		return nil
	}
	if ok && okLo {
		n.s.Bind(l.Var, first, last-1)
	}
	body := n.from(k+1, pending, rest)
	n.bind(l)
	if body == nil {
		return nil
	}
	c := *l
	c.Body, c.Extent = body, n.s.Expr(tir.Bin(tir.Sub, hi, lo))
	if start, ok := lo.(*tir.IntImm); !ok || start.Value != 0 {
		c.Var = tir.NewVar(l.Var.Name)
		at := tir.Bin(tir.Add, c.Var, lo)
		if n, fixed := l.Extent.(*tir.IntImm); fixed && !ok { // an emitter sees that no place is outside of a buffer
			at = tir.Bin(tir.Min, at, tir.Int(n.Value-1))
		}
		c.Body = tir.SubstituteStmt(body, map[*tir.Var]tir.Expr{l.Var: at})
	}
	if _, ok := c.Extent.(*tir.IntImm); !ok && (c.Kind == tir.Unrolled || c.Kind == tir.Tensorized) {
		c.Kind = tir.Serial
	}
	return &c
}

// shorten returns the range of l in which the guards hold whose tile it is, and
// the guards that are left.
func (n *guardedNest) shorten(k int, l *tir.For, edges []*nestGuard) (lo, hi tir.Expr, rest []*nestGuard) {
	lo, hi = tir.Int(0), l.Extent
	for _, g := range edges {
		if g.tile != k {
			rest = append(rest, g)
			continue
		}
		from, to, ok := n.s.Solve(g.cond, l.Var)
		if !ok {
			rest = append(rest, g)
			continue
		}
		newLo, newHi := lo, hi
		if from != nil {
			newLo = n.s.Expr(tir.Bin(tir.Max, lo, from))
		}
		if to != nil {
			newHi = n.s.Expr(tir.Bin(tir.Min, hi, to))
		}
		_, constLo := newLo.(*tir.IntImm)
		_, constHi := newHi.(*tir.IntImm)
		if l.Kind == tir.Vectorized && !(constLo && constHi) {
			rest = append(rest, g)
			continue
		}
		lo, hi = newLo, newHi
	}
	return lo, hi, rest
}
