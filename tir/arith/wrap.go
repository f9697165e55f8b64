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
		if a.span.bounded() {
			sp = a.span
		}
		if !productFits(sp, t.k) {
			return false
		}
	}
	return -noBound < x.c && x.c < noBound
}

// dataSpan returns a range of the part of x that is data, whatever is in memory.
func (s *Simplifier) dataSpan(x linear) span {
	if len(x.terms) == 1 && x.terms[0].k == 1 && x.c == 0 {
		return s.atoms[x.terms[0].atom].data // of which one end may be known
	}
	sp := span{x.c, x.c}
	for _, t := range x.terms {
		sp = sp.plus(s.atoms[t.atom].data, t.k)
	}
	return clampSpan(sp.lo, sp.hi)
}

// opaqueData is dataSpan of an expression that is not looked into.
func (s *Simplifier) opaqueData(e tir.Expr) span {
	if !tir.Reads(e) {
		return span{}
	}
	switch e := e.(type) {
	case *tir.Cast:
		if lo, hi, ok := e.X.DType().IntRange(); ok {
			return clampSpan(lo, hi)
		}
	case *tir.Select:
		x, y := s.dataSpan(s.linear(e.Then)), s.dataSpan(s.linear(e.Else))
		return span{min(x.lo, y.lo), max(x.hi, y.hi)}
	case *tir.Binary:
		if c, ok := e.Y.(*tir.IntImm); ok && e.Op == tir.BitAnd && c.Value >= 0 {
			return clampSpan(0, c.Value)
		}
	}
	return anything
}

// extremeOf returns the range of the smaller or larger of two values.
func extremeOf(op tir.BinOp, x, y span) span {
	if op == tir.Max {
		return span{max(x.lo, y.lo), max(x.hi, y.hi)}
	}
	return span{min(x.lo, y.lo), min(x.hi, y.hi)}
}
