package arith

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A linear is a constant plus multiples of atoms: how a Simplifier sees an index expression. Unlike
// an Affine it has numbers for atoms, which makes comparing cheap, and Anything can be one, a load
// or a product included. Atoms are loop variables and what has no linear form, such as a floordiv;
// each distinct one has a number.
type linear struct {
	terms []addend // by atom; no zero factors
	c     int64
}

type addend struct {
	atom int
	k    int64
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
	x, y linear
	div  int64
	kin  int // of a floordiv: the next atom of those that divide x, in a ring
}

func constant(c int64) linear { return linear{c: c} }

// equal reports whether x and y have one form.
func (x linear) equal(y linear) bool { return x.c == y.c && slices.Equal(x.terms, y.terms) }

func (x linear) isConst() bool { return len(x.terms) == 0 }

// plus returns x + k*y.
func (x linear) plus(k int64, y linear) linear {
	if k == 0 || len(y.terms) == 0 {
		return linear{x.terms, x.c + k*y.c}
	}
	if k == 1 && len(x.terms) == 0 {
		return linear{y.terms, x.c + y.c}
	}
	r := linear{terms: make([]addend, 0, len(x.terms)+len(y.terms)), c: x.c + k*y.c}
	i, j := 0, 0
	for i < len(x.terms) || j < len(y.terms) {
		switch {
		case j == len(y.terms) || i < len(x.terms) && x.terms[i].atom < y.terms[j].atom:
			r.terms = append(r.terms, x.terms[i])
			i++
		case i == len(x.terms) || y.terms[j].atom < x.terms[i].atom:
			r.terms = append(r.terms, addend{y.terms[j].atom, k * y.terms[j].k})
			j++
		default:
			if f := x.terms[i].k + k*y.terms[j].k; f != 0 {
				r.terms = append(r.terms, addend{x.terms[i].atom, f})
			}
			i++
			j++
		}
	}
	return r
}

func (x linear) times(k int64) linear { return linear{}.plus(k, x) }

// split returns q and r with x = g*q + r, where r holds the terms whose factor
// g does not divide, and of the constant what is left modulo g.
func (x linear) split(g int64) (q, r linear) {
	n := 0
	for _, t := range x.terms {
		if t.k%g == 0 {
			n++
		}
	}
	terms := make([]addend, len(x.terms))
	q.terms, r.terms = terms[:0:n], terms[n:n]
	for _, t := range x.terms {
		if t.k%g == 0 {
			q.terms = append(q.terms, addend{t.atom, t.k / g})
		} else {
			r.terms = append(r.terms, t)
		}
	}
	q.c = FloorDiv(x.c, g)
	r.c = x.c - q.c*g
	return q, r
}

// gcd returns the greatest common divisor of the factors of x, 0 if there are
// none.
func (x linear) gcd() int64 {
	g := int64(0)
	for _, t := range x.terms {
		g = gcd(g, t.k)
	}
	return g
}

// spanOf returns a range that x is in: that of its terms, and what facts about a
// multiple of the same sum of terms say.
func (s *Simplifier) spanOf(x linear) Interval {
	sp := s.termSpan(x)
	if len(x.terms) < 2 {
		return sp
	}
	for _, f := range s.facts {
		if !proportional(x.terms, f.terms) {
			continue
		}
		// x = p/q * (f - f.c) + x.c and f >= 0
		p, q := x.terms[0].k, f.terms[0].k
		if q < 0 {
			p, q = -p, -q
		}
		if p > 0 {
			sp.Lo = max(sp.Lo, x.c-FloorDiv(p*f.c, q))
		} else {
			sp.Hi = min(sp.Hi, x.c+FloorDiv(-p*f.c, q))
		}
	}
	return sp
}

func proportional(x, y []addend) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].atom != y[i].atom || x[i].k*y[0].k != y[i].k*x[0].k {
			return false
		}
	}
	return true
}

func (s *Simplifier) termSpan(x linear) Interval {
	sp := Interval{x.c, x.c}
	for _, t := range x.terms {
		sp = sp.Plus(t.k, s.atoms[t.atom].span)
	}
	return sp
}

// expr returns x as an expression: the term with the largest factor, which is
// most often of the outermost loop, first; negative ones last.
func (s *Simplifier) expr(x linear) tir.Expr {
	terms := x.terms
	if len(terms) > 1 {
		terms = slices.Clone(terms)
		slices.SortStableFunc(terms, func(a, b addend) int { return cmp.Compare(b.k, a.k) })
	}
	var e tir.Expr
	if len(terms) > 0 && terms[0].k < 0 && x.c > 0 {
		e = tir.Int(x.c)
		x.c = 0
	}
	for _, t := range terms {
		switch {
		case e == nil:
			e = s.scaled(t.atom, t.k)
		case t.k > 0:
			e = tir.Bin(tir.Add, e, s.scaled(t.atom, t.k))
		default:
			e = tir.Bin(tir.Sub, e, s.scaled(t.atom, -t.k))
		}
	}
	switch {
	case e == nil:
		return tir.Int(x.c)
	case x.c > 0:
		return tir.Bin(tir.Add, e, tir.Int(x.c))
	case x.c < 0:
		return tir.Bin(tir.Sub, e, tir.Int(-x.c))
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
