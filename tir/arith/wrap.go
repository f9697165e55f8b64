package arith

import "github.com/wmtune/wmtune/tir"

// Data of type int64 wraps around, as all integers do, so that what holds of numbers need not hold of it: x + 1 > x is
// false of the largest x, and x*4 of a large one says nothing of x. Sums and multiples stay what they are modulo 2^64;
// quotients, orderings, minima and maxima are rewritten only of what is exact. What no element of a buffer goes into is
// index arithmetic, which does not wrap around even where nothing is known of a variable.

// exact reports whether x is computed without wrapping around.
func (s *Simplifier) exact(x Linear) bool {
	return x.IsExact(func(atom int) Interval {
		if a := &s.atoms[atom]; !a.span.Known() {
			return a.data
		}
		return s.atoms[atom].span
	})
}

// dataSpan returns a range of the part of x that is data, whatever is in memory.
func (s *Simplifier) dataSpan(x Linear) Interval {
	if x.isSingle() {
		return s.atoms[x.Terms[0].Atom].data // of which one end may be known
	}
	sp := x.Range(func(atom int) Interval { return s.atoms[atom].data })
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
