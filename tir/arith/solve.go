package arith

import "github.com/wmtune/wmtune/tir"

// Extremes eliminates a variable from an ordering of indices, which it must
// be linear in, or in quotients and remainders of it: always holds only where
// cond holds for every value of v in its range, and possible wherever it holds
// for some. With v in 0..7:
//
//	((i*8) + v) < 60   =>   always i < 7, possible i < 8
//
// It returns false if cond is no such ordering, or one of sums that may wrap around.
func (s *Simplifier) Extremes(cond tir.Expr, v *tir.Var) (always, possible tir.Expr, ok bool) {
	d, ok := s.ordering(cond)
	if !ok {
		return nil, nil, false
	}
	with, rest := s.separate(d, v)
	sp := s.spanOf(with)
	if !sp.Known() {
		return nil, nil, false
	}
	return s.atLeastZero(rest.AddConst(sp.Lo)), s.atLeastZero(rest.AddConst(sp.Hi)), true
}

// Solve returns the values of v for which an ordering of indices holds: all
// from lo on, if lo is not nil, or all below hi, if hi is not nil. It returns
// false if cond is not linear in v or in one quotient of it.
//
//	((i*8) + (v*2)) < 61          =>   hi = floordiv((60 - (i*8)), 2) + 1
//	(i + floordiv(v, 6)) < 7      =>   hi = 42 - (i*6)
func (s *Simplifier) Solve(cond tir.Expr, v *tir.Var) (lo, hi tir.Expr, ok bool) {
	d, ok := s.ordering(cond)
	if !ok {
		return nil, nil, false
	}
	with, rest := s.separate(d, v)
	if len(with.Terms) != 1 {
		return nil, nil, false
	}
	quotient, start := int64(1), int64(0) // the atom is floordiv(v + start, quotient)
	switch a := s.atoms[with.Terms[0].Atom]; {
	case a.expr == tir.Expr(v):
	case a.op == tir.FloorDiv && len(a.x.Terms) == 1 && a.x.Terms[0].Factor == 1 &&
		s.atoms[a.x.Terms[0].Atom].expr == tir.Expr(v):
		quotient, start = a.div, a.x.Const
	default:
		return nil, nil, false
	}
	k := with.Terms[0].Factor
	if k > 0 { // the atom is at least ceil(-rest/k) = -floor(rest/k)
		q, _ := s.divide(rest, k)
		return s.expr(Constant(-start).Plus(-quotient, q)), nil, true
	}
	q, _ := s.divide(rest, -k) // the atom is at most floor(rest/-k)
	return nil, s.expr(Constant(quotient-start).Plus(quotient, q)), true
}

// ordering returns d such that cond is d >= 0.
func (s *Simplifier) ordering(cond tir.Expr) (Linear, bool) {
	b, ok := cond.(*tir.Binary)
	if !ok || !b.Op.IsCompare() || b.Op == tir.EQ || b.Op == tir.NE || b.X.DType() != tir.Index {
		return Linear{}, false
	}
	x, y := s.linear(b.X), s.linear(b.Y)
	d := difference(b.Op, x, y)
	return d, s.exact(x) && s.exact(y) && s.exact(d)
}

// separate splits d into the terms that depend on v and the rest.
func (s *Simplifier) separate(d Linear, v *tir.Var) (with, rest Linear) {
	return d.Part(func(t Term) bool { return tir.Uses(s.atoms[t.Atom].expr, v) })
}

// atLeastZero returns the condition d >= 0, simplified.
func (s *Simplifier) atLeastZero(d Linear) tir.Expr {
	sp := s.spanOf(d)
	switch {
	case sp.Lo >= 0 || s.follows(d):
		return tir.BoolImm(true)
	case sp.Hi < 0 || s.follows(Constant(-1).Minus(d)):
		return tir.BoolImm(false)
	case !sp.Known():
		return tir.Bin(tir.GE, s.expr(d), tir.Int(0))
	}
	return s.inequality(s.tighten(d))
}
