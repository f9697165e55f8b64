package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// skipPadding has sums leave out what is padding for a whole tile: partition shortens their loops by the guards.
//
//	for i in 33:                          for i in 33:
//	  for r in 3:                           for r in 3:
//	    for c in 256:                         for c in 256:
//	      unroll j in 11:          =>           unroll j in 11:
//	        C[i, j] = C[i, j] +                   if i + r*6 >= 6 && i + r*6 < 39:
//	                  P[i + r*6, j, c]*W[r, c]      C[i, j] = C[i, j] + P[i + r*6, j, c]*W[r, c]
//
// P is a temporary that is zero but for its rows 6 to 38. A guard is of the innermost loop of the sum that its
// condition depends on. If it depends on loops inside of that one, it holds if the condition does for one of their
// iterations. A choice between an element and zero may be in the place of P if it depends on no loop inside.
// A product of zero and an infinite weight is left out, too.
//
// A sum stays as it is if that loop is not serial or has so little inside that it is unrolled, if lengths are not
// known, or if less than leastPadding of the steps are left out.
func skipPadding(f *tir.Func, _ Config) (*tir.Func, error) {
	if usesThreads(f.Body) {
		return f, nil
	}
	p := &paddingSkipper{inside: map[*tir.Buffer]padded{}}
	g := *f
	g.Body = p.stmt(f.Body)
	return &g, nil
}

// leastPadding is the share of a sum's steps that is worth the test. Tests change it, and skip in unrolled loops, too.
var (
	leastPadding = 0.04
	skipUnrolled = false
)

// A padded temporary is zero where one of the conditions does not hold, which are about its indices.
type padded struct {
	index []*tir.Var
	conds []tir.Expr
}

type paddingSkipper struct {
	loops  []*tir.For // around the statement at hand
	inside map[*tir.Buffer]padded
}

func (p *paddingSkipper) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		p.loops = append(p.loops, s)
		defer func() { p.loops = p.loops[:len(p.loops)-1] }()
	case *tir.Alloc:
		if z, ok := p.paddedBy(s); ok {
			p.inside[s.Buffer] = z
		}
	case *tir.Block:
		if st, ok := s.Body.(*tir.Store); ok && !s.Init {
			if guards, left := p.guards(st); len(guards) > 0 {
				b := *s
				b.Body = left
				return &tir.If{Cond: tir.AllOf(guards...), Then: &b}
			}
		}
		return s
	}
	return tir.MapChildren(s, p.stmt)
}

// paddedBy returns where a temporary is zero: one statement stores it, by a choice between a number and zero.
func (p *paddingSkipper) paddedBy(a *tir.Alloc) (z padded, ok bool) {
	var store *tir.Store
	n := 0
	for st := range tir.StmtsIn[*tir.Store](a.Body) {
		if st.Buffer == a.Buffer {
			store, n = st, n+1
		}
	}
	if n != 1 {
		return z, false
	}
	choice, ok := store.Value.(*tir.Select)
	if !ok || !tir.IsZero(choice.Else) {
		return z, false
	}
	for range store.Index {
		z.index = append(z.index, tir.NewVar("at"))
	}
	for _, c := range tir.Conjuncts(choice.Cond) {
		c = tir.MapExpr(c, func(e tir.Expr) tir.Expr {
			d := slices.IndexFunc(store.Index, func(i tir.Expr) bool { return tir.EqualExpr(i, e) })
			if _, fixed := e.(*tir.IntImm); d < 0 || fixed {
				return e
			}
			return z.index[d]
		})
		known := func(v *tir.Var) bool {
			return slices.Contains(z.index, v) ||
				slices.ContainsFunc(p.loops, func(l *tir.For) bool { return l.Var == v })
		}
		if !tir.HasExpr(c, func(e tir.Expr) bool { v, ok := e.(*tir.Var); return ok && !known(v) }) {
			z.conds = append(z.conds, c)
		}
	}
	return z, len(z.conds) > 0
}

// guards returns what must hold for a step of a sum to add anything, and the step where it holds.
func (p *paddingSkipper) guards(s *tir.Store) (guards []tir.Expr, left *tir.Store) {
	sum, ok := s.Value.(*tir.Binary)
	if !ok || sum.Op != tir.Add || !tir.IsStored(sum.X, s) {
		return nil, s
	}
	value := p.factor(sum.Y, func(c tir.Expr, choice bool) bool {
		g, exact, ok := p.guard(c, s)
		if !ok || choice && !exact || !p.pays(g) {
			return false
		}
		guards = append(guards, g)
		return true
	})
	return guards, &tir.Store{Buffer: s.Buffer, Index: s.Index, Value: tir.Bin(tir.Add, sum.X, value)}
}

// factor asks about each condition without which e is zero, since a factor of it is, and returns e without the choices
// that were taken.
func (p *paddingSkipper) factor(e tir.Expr, take func(c tir.Expr, choice bool) bool) tir.Expr {
	switch e := e.(type) {
	case *tir.Cast:
		c := *e
		c.X = p.factor(e.X, take)
		return &c
	case *tir.Binary:
		if e.Op == tir.Mul {
			return tir.Bin(tir.Mul, p.factor(e.X, take), p.factor(e.Y, take))
		}
	case *tir.Select:
		if !tir.IsZero(e.Else) {
			break
		}
		c := *e
		rest := slices.DeleteFunc(tir.Conjuncts(e.Cond), func(c tir.Expr) bool { return take(c, true) })
		if len(rest) == 0 {
			return e.Then
		}
		c.Cond = tir.AllOf(rest...)
		return &c
	case *tir.Load:
		z := p.inside[e.Buffer]
		at := map[*tir.Var]tir.Expr{}
		for d, v := range z.index {
			at[v] = e.Index[d]
		}
		for _, c := range z.conds {
			take(tir.Substitute(c, at), false)
		}
	}
	return e
}

// guard returns what holds if a condition does for some iteration of the loops inside of the tile's, which is the
// innermost loop of the sum that the condition depends on. It is exact if there are no such loops.
func (p *paddingSkipper) guard(c tir.Expr, s *tir.Store) (g tir.Expr, exact, ok bool) {
	b, ok := c.(*tir.Binary)
	if !ok || !b.Op.IsCompare() || b.Op == tir.EQ || b.Op == tir.NE || tir.Reads(c) {
		return nil, false, false
	}
	if _, ok := b.Y.(*tir.IntImm); !ok {
		return nil, false, false
	}
	most := b.Op == tir.GE || b.Op == tir.GT
	e := b.X
	for _, l := range slices.Backward(p.loops) {
		if !tir.Uses(e, l.Var) {
			continue
		}
		if !usesVar(s.Index, l.Var) {
			return tir.Bin(b.Op, e, b.Y), e == b.X, l.Kind == tir.Serial && (skipUnrolled || !worthVersions(l))
		}
		k, affine := arith.Coefficient(e, l.Var)
		n, fixed := l.Extent.(*tir.IntImm)
		if !affine || !fixed {
			return nil, false, false
		}
		at := int64(0)
		if k > 0 == most {
			at = n.Value - 1
		}
		e = tir.Substitute(e, map[*tir.Var]tir.Expr{l.Var: tir.Int(at)})
	}
	return nil, false, false
}

// pays reports whether a guard leaves out enough iterations of the loops that it depends on.
func (p *paddingSkipper) pays(g tir.Expr) bool {
	share, ok := shareOf(g, p.loops)
	return ok && 1-share >= leastPadding
}
