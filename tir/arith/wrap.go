package arith

import "github.com/wmtune/wmtune/tir"

// Data of type int64 wraps around, as all integers do, so that what holds of numbers need not hold of it: x + 1 > x is
// false of the largest x, and x*4 of a large one says nothing of x. Sums and multiples stay what they are modulo 2^64;
// quotients, orderings, minima and maxima are rewritten only of what is exact. What no element of a buffer goes into is
// index arithmetic, which does not wrap around even where nothing is known of a variable.

// exact reports whether x is computed without wrapping around.
func (s *Simplifier) exact(x linear) bool {
	if len(x.terms) == 1 && x.terms[0].k == 1 && x.c == 0 {
		return true // nothing is computed
	}
	for _, t := range x.terms {
		a := &s.atoms[t.atom]
		sp := a.data
		if a.span.Known() {
			sp = a.span
		}
		if !sp.fits(t.k) {
			return false
		}
	}
	return -far < x.c && x.c < far
}

// dataSpan returns a range of the part of x that is data, whatever is in memory.
func (s *Simplifier) dataSpan(x linear) Interval {
	if len(x.terms) == 1 && x.terms[0].k == 1 && x.c == 0 {
		return s.atoms[x.terms[0].atom].data // of which one end may be known
	}
	sp := Interval{x.c, x.c}
	for _, t := range x.terms {
		sp = sp.Plus(t.k, s.atoms[t.atom].data)
	}
	return clamped(sp.Lo, sp.Hi)
}

// opaqueData is dataSpan of an expression that is not looked into.
func (s *Simplifier) opaqueData(e tir.Expr) Interval {
	if !tir.Reads(e) {
		return Interval{}
	}
	switch e := e.(type) {
	case *tir.Cast:
		return Of(e.X.DType())
	case *tir.Select:
		return s.dataSpan(s.linear(e.Then)).Or(s.dataSpan(s.linear(e.Else)))
	case *tir.Binary:
		if c, ok := e.Y.(*tir.IntImm); ok && e.Op == tir.BitAnd && c.Value >= 0 {
			return clamped(0, c.Value)
		}
	}
	return Anything
}
