package arith

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A Linear is a constant plus multiples of atoms. Atoms are variables and what has no linear form, such as a floordiv;
// who makes Linears gives each distinct one a number, which makes comparing cheap. Linears are immutable values.
type Linear struct {
	Terms []Term // by atom; no zero factors
	Const int64
}

// A Term is a multiple of an atom.
type Term struct {
	Atom   int
	Factor int64
}

// Constant returns the linear form of a number.
func Constant(c int64) Linear { return Linear{Const: c} }

// Single returns the linear form of an atom.
func Single(atom int) Linear { return Linear{Terms: []Term{{atom, 1}}} }

// IsConst reports whether x has no atoms.
func (x Linear) IsConst() bool { return len(x.Terms) == 0 }

// isSingle reports whether x is an atom.
func (x Linear) isSingle() bool { return len(x.Terms) == 1 && x.Terms[0].Factor == 1 && x.Const == 0 }

// Equal reports whether x and y have one form.
func (x Linear) Equal(y Linear) bool { return x.Const == y.Const && slices.Equal(x.Terms, y.Terms) }

// AddConst returns x + c.
func (x Linear) AddConst(c int64) Linear { return Linear{x.Terms, x.Const + c} }

// Plus returns x + k*y.
func (x Linear) Plus(k int64, y Linear) Linear {
	if k == 0 || len(y.Terms) == 0 {
		return x.AddConst(k * y.Const)
	}
	if k == 1 && len(x.Terms) == 0 {
		return y.AddConst(x.Const)
	}
	r := Linear{Terms: make([]Term, 0, len(x.Terms)+len(y.Terms)), Const: x.Const + k*y.Const}
	i, j := 0, 0
	for i < len(x.Terms) || j < len(y.Terms) {
		switch {
		case j == len(y.Terms) || i < len(x.Terms) && x.Terms[i].Atom < y.Terms[j].Atom:
			r.Terms = append(r.Terms, x.Terms[i])
			i++
		case i == len(x.Terms) || y.Terms[j].Atom < x.Terms[i].Atom:
			r.Terms = append(r.Terms, Term{y.Terms[j].Atom, k * y.Terms[j].Factor})
			j++
		default:
			if f := x.Terms[i].Factor + k*y.Terms[j].Factor; f != 0 {
				r.Terms = append(r.Terms, Term{x.Terms[i].Atom, f})
			}
			i++
			j++
		}
	}
	return r
}

// Minus returns x - y.
func (x Linear) Minus(y Linear) Linear { return x.Plus(-1, y) }

// Times returns k*x.
func (x Linear) Times(k int64) Linear { return Linear{}.Plus(k, x) }

// Split returns q and r with x = g*q + r, where r holds the terms whose factor
// g does not divide, and of the constant what is left modulo g.
func (x Linear) Split(g int64) (q, r Linear) {
	q, r = x.Part(func(t Term) bool { return t.Factor%g == 0 })
	for i := range q.Terms {
		q.Terms[i].Factor /= g
	}
	q.Const = FloorDiv(x.Const, g)
	r.Const = x.Const - q.Const*g
	return q, r
}

// Part returns the terms of x that are of a kind, and the rest with the constant.
func (x Linear) Part(is func(Term) bool) (with, rest Linear) {
	n := 0
	for _, t := range x.Terms {
		if is(t) {
			n++
		}
	}
	terms := make([]Term, len(x.Terms))
	with.Terms, rest.Terms, rest.Const = terms[:0:n], terms[n:n], x.Const
	for _, t := range x.Terms {
		if is(t) {
			with.Terms = append(with.Terms, t)
		} else {
			rest.Terms = append(rest.Terms, t)
		}
	}
	return with, rest
}

// gcd returns the greatest common divisor of the factors of x, 0 if there are
// none.
func (x Linear) gcd() int64 {
	g := int64(0)
	for _, t := range x.Terms {
		g = GCD(g, t.Factor)
	}
	return g
}

// Range returns an interval that x is in, given those of its atoms.
func (x Linear) Range(of func(atom int) Interval) Interval {
	r := Point(x.Const)
	for _, t := range x.Terms {
		r = r.Plus(t.Factor, of(t.Atom))
	}
	return r
}

// IsExact reports whether x is computed without wrapping around, if the atoms are in the given intervals.
func (x Linear) IsExact(of func(atom int) Interval) bool {
	if x.isSingle() {
		return true // nothing is computed
	}
	for _, t := range x.Terms {
		if !of(t.Atom).fits(t.Factor) {
			return false
		}
	}
	return -far < x.Const && x.Const < far
}

// An atomInfo is what a Simplifier knows of one atom.
type atomInfo struct {
	expr tir.Expr
	span Interval // what it is in: base and assumed

	base    Interval // of a variable as bound, of another as follows from its parts
	assumed Interval // by conditions
	data    Interval // of what elements of buffers add to it; see exact

	// Of a floordiv or floormod by the constant div, or a min or max: the
	// operator and operands.
	op   tir.BinOp
	x, y Linear
	div  int64
	kin  int // of a floordiv: the next atom of those that divide x, in a ring
}

// spanOf returns a range that x is in: that of its terms, and what facts about a
// multiple of the same sum of terms say.
func (s *Simplifier) spanOf(x Linear) Interval {
	sp := s.termSpan(x)
	if len(x.Terms) < 2 {
		return sp
	}
	for _, f := range s.facts {
		if !proportional(x.Terms, f.Terms) {
			continue
		}
		// x = p/q * (f - f.Const) + x.Const and f >= 0
		p, q := x.Terms[0].Factor, f.Terms[0].Factor
		if q < 0 {
			p, q = -p, -q
		}
		if p > 0 {
			sp.Lo = max(sp.Lo, x.Const-FloorDiv(p*f.Const, q))
		} else {
			sp.Hi = min(sp.Hi, x.Const+FloorDiv(-p*f.Const, q))
		}
	}
	return sp
}

func proportional(x, y []Term) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Atom != y[i].Atom || x[i].Factor*y[0].Factor != y[i].Factor*x[0].Factor {
			return false
		}
	}
	return true
}

func (s *Simplifier) termSpan(x Linear) Interval { return x.Range(s.span) }

// span returns what an atom is in.
func (s *Simplifier) span(atom int) Interval { return s.atoms[atom].span }

// expr returns x as an expression: the term with the largest factor, which is
// most often of the outermost loop, first; negative ones last.
func (s *Simplifier) expr(x Linear) tir.Expr {
	terms := x.Terms
	if len(terms) > 1 {
		terms = slices.Clone(terms)
		slices.SortStableFunc(terms, func(a, b Term) int { return cmp.Compare(b.Factor, a.Factor) })
	}
	var e tir.Expr
	if len(terms) > 0 && terms[0].Factor < 0 && x.Const > 0 {
		e = tir.Int(x.Const)
		x.Const = 0
	}
	for _, t := range terms {
		switch {
		case e == nil:
			e = s.scaled(t.Atom, t.Factor)
		case t.Factor > 0:
			e = tir.Bin(tir.Add, e, s.scaled(t.Atom, t.Factor))
		default:
			e = tir.Bin(tir.Sub, e, s.scaled(t.Atom, -t.Factor))
		}
	}
	switch {
	case e == nil:
		return tir.Int(x.Const)
	case x.Const > 0:
		return tir.Bin(tir.Add, e, tir.Int(x.Const))
	case x.Const < 0:
		return tir.Bin(tir.Sub, e, tir.Int(-x.Const))
	}
	return e
}

func (s *Simplifier) scaled(atom int, k int64) tir.Expr {
	e := s.atoms[atom].expr
	if k == 1 {
		return e
	}
	return tir.Bin(tir.Mul, e, tir.Int(k))
}

// Coefficient returns k if e is k*v plus something without v, as it is written: products of sums, quotients and
// remainders are not taken apart. It is 0 if v does not occur in e.
func Coefficient(e tir.Expr, v *tir.Var) (k int64, ok bool) {
	if !tir.Uses(e, v) {
		return 0, true
	}
	b, isBinary := e.(*tir.Binary)
	if !isBinary {
		return 1, e == tir.Expr(v)
	}
	x, okX := Coefficient(b.X, v)
	y, okY := Coefficient(b.Y, v)
	if !okX || !okY {
		return 0, false
	}
	switch b.Op {
	case tir.Add:
		return x + y, true
	case tir.Sub:
		return x - y, true
	case tir.Mul:
		if c, ok := b.Y.(*tir.IntImm); ok {
			return x * c.Value, true
		}
		if c, ok := b.X.(*tir.IntImm); ok {
			return c.Value * y, true
		}
	}
	return 0, false
}

// Stride returns by how many elements an access of b moves on when v grows by 1. Ok is false if that is not known.
func Stride(b *tir.Buffer, index []tir.Expr, v *tir.Var) (n int64, ok bool) {
	for d, stride := range b.ElemStrides() {
		k, ok := Coefficient(index[d], v)
		if !ok {
			return 0, false
		}
		n += k * stride
	}
	return n, true
}
