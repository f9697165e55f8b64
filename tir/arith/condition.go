package arith

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// condition simplifies a comparison, And or Or.
func (s *Simplifier) condition(e *tir.Binary) tir.Expr {
	if e.Op == tir.And || e.Op == tir.Or {
		return s.logic(e)
	}
	if e.X.DType() != tir.Index {
		return tir.MapOperands(e, s.Expr)
	}
	return s.compare(e)
}

// logic simplifies And and Or.
func (s *Simplifier) logic(e *tir.Binary) tir.Expr {
	decides := func(c *tir.IntImm) bool { return (c.Value != 0) == (e.Op == tir.Or) }
	x := s.Expr(e.X)
	if c, ok := x.(*tir.IntImm); ok {
		if decides(c) {
			return x
		}
		return s.Expr(e.Y)
	}
	m := Mark{facts: len(s.facts)}
	if e.Op == tir.And { // y matters only where x holds
		m = s.Assume(x)
	}
	y := s.Expr(e.Y)
	s.Release(m)
	if c, ok := y.(*tir.IntImm); ok {
		if decides(c) {
			return y
		}
		return x
	}
	return rebuilt(e, x, y)
}

func rebuilt(e *tir.Binary, x, y tir.Expr) tir.Expr {
	if x == e.X && y == e.Y {
		return e
	}
	return &tir.Binary{Op: e.Op, X: x, Y: y}
}

func (s *Simplifier) not(e *tir.Not) tir.Expr {
	x := s.Expr(e.X)
	if c, ok := x.(*tir.IntImm); ok {
		return tir.BoolImm(c.Value == 0)
	}
	if n := negate(x); n != nil {
		return s.Expr(n)
	}
	if x == e.X {
		return e
	}
	return &tir.Not{X: x}
}

var opposite = map[tir.BinOp]tir.BinOp{
	tir.LT: tir.GE, tir.GE: tir.LT, tir.LE: tir.GT, tir.GT: tir.LE, tir.EQ: tir.NE, tir.NE: tir.EQ,
}

// negate returns the opposite of a comparison of indices, or nil: of floats, a
// NaN makes both false.
func negate(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Binary:
		if e.Op.IsCompare() && e.X.DType() == tir.Index {
			return tir.Bin(opposite[e.Op], e.X, e.Y)
		}
	case *tir.Not:
		return e.X
	}
	return nil
}

// compare simplifies a comparison of indices. All orderings become x < y or
// x <= y of the terms that are positive in y - x, or in x - y.
func (s *Simplifier) compare(e *tir.Binary) tir.Expr {
	x, y := s.linear(e.X), s.linear(e.Y)
	if e.Op == tir.EQ || e.Op == tir.NE {
		return s.equality(e, x, y)
	}
	if !s.exact(x) || !s.exact(y) {
		return rebuilt(e, s.expr(x), s.expr(y))
	}
	d := difference(e.Op, x, y)
	sp := s.spanOf(d)
	if !sp.Known() { // arithmetic on it might overflow
		if d.IsConst() {
			return tir.BoolImm(d.Const >= 0)
		}
		if s.follows(d) {
			return tir.BoolImm(true)
		}
		return rebuilt(e, s.expr(x), s.expr(y))
	}
	switch {
	case sp.Lo >= 0 || s.follows(d):
		return tir.BoolImm(true)
	case sp.Hi < 0 || s.follows(Constant(-1).Minus(d)):
		return tir.BoolImm(false)
	}
	return s.inequality(s.tighten(d))
}

// difference returns d such that x op y is d >= 0, for an ordering op.
func difference(op tir.BinOp, x, y Linear) Linear {
	switch op {
	case tir.LT:
		return y.Minus(x).AddConst(-1)
	case tir.LE:
		return y.Minus(x)
	case tir.GT:
		return x.Minus(y).AddConst(-1)
	case tir.GE:
		return x.Minus(y)
	}
	panic("BUG: arith: " + op.String() + " is no ordering")
}

// follows reports whether x >= 0 follows from one of the facts.
func (s *Simplifier) follows(x Linear) bool {
	for _, f := range s.facts {
		if rest := x.Minus(f); rest.IsConst() && rest.Const >= 0 || s.spanOf(rest).Lo >= 0 {
			return true
		}
	}
	return false
}

// tighten returns an equivalent of d >= 0 with smaller factors:
//
//	i*8 + j*4 <= 62    =>  i*2 + j <= 15
//	i*8 + j <= 55      =>  i <= 6           j in 0..7
func (s *Simplifier) tighten(d Linear) Linear {
	if g := d.gcd(); g > 1 {
		q, _ := d.Split(g)
		d = q
	}
	if len(d.Terms) < 2 {
		return d
	}
	factors := make([]int64, 0, len(d.Terms))
	for _, t := range d.Terms {
		factors = append(factors, max(t.Factor, -t.Factor))
	}
	slices.Sort(factors)
	for _, g := range slices.Compact(factors)[1:] { // g*q + r >= 0, where g divides the factors of q
		q, r := d.Split(g)
		// With 0 <= r < g this is q >= 0; r has part of the constant, which may be given back.
		if n := s.spanOf(r).FloorDiv(g); n.IsPoint() {
			return s.tighten(q.AddConst(n.Lo))
		}
	}
	return d
}

// inequality returns d >= 0 with the negative terms moved to the left:
// (negated negative terms) <= (positive terms + c), and as < a constant if
// there is one.
func (s *Simplifier) inequality(d Linear) tir.Expr {
	var left, right Linear
	for _, t := range d.Terms {
		if t.Factor < 0 {
			left.Terms = append(left.Terms, Term{t.Atom, -t.Factor})
		} else {
			right.Terms = append(right.Terms, t)
		}
	}
	switch {
	case len(right.Terms) == 0: // left <= c
		return tir.Bin(tir.LT, s.expr(left), tir.Int(d.Const+1))
	case len(left.Terms) == 0: // right >= -c
		return tir.Bin(tir.GE, s.expr(right), tir.Int(-d.Const))
	case d.Const <= 0:
		left.Const = -d.Const
		return tir.Bin(tir.LE, s.expr(left), s.expr(right))
	}
	right.Const = d.Const
	return tir.Bin(tir.LE, s.expr(left), s.expr(right))
}

func (s *Simplifier) equality(e *tir.Binary, x, y Linear) tir.Expr {
	d := x.Minus(y)
	sp := s.spanOf(d)
	switch {
	case d.IsConst():
		return tir.BoolImm((d.Const == 0) == (e.Op == tir.EQ))
	case sp.Known() && (sp.Lo > 0 || sp.Hi < 0):
		return tir.BoolImm(e.Op == tir.NE)
	}
	if sp.Known() {
		if g := d.gcd(); d.Const%g != 0 {
			return tir.BoolImm(e.Op == tir.NE)
		}
	}
	return rebuilt(e, s.expr(x), s.expr(y))
}
