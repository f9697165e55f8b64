// Package arith reasons about index expressions. It has two forms of them:
// Affine, a value that prints, with spans whose ends are symbolic, for the bounds
// of regions (tir/schedule); and the Simplifier, which knows ranges of variables
// and conditions that hold, for whole programs (tir/lower).
//
// It must not know of statements, schedules or targets, and must not change data
// arithmetic: only integers of type tir.Index, and conditions on them.
package arith

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// An Affine is an index expression in normal form: a constant plus multiples of
// distinct atoms. Atoms are variables, and quotients and remainders of other
// affine forms by positive constants, and minima and maxima of two. Operations
// simplify as they go, so equal values mostly have equal forms and differences
// of related values mostly come out constant. Affines are immutable values.
type Affine struct {
	Const int64
	terms []term
}

type term struct {
	coef int64
	atom atom
}

type atomKind uint8

const (
	varAtom atomKind = iota
	divAtom          // floordiv(x, n)
	modAtom          // floormod(x, n)
	minAtom          // min(x, y)
	maxAtom          // max(x, y)
)

// An atom is compared by structure.
type atom struct {
	kind atomKind
	v    *tir.Var
	n    int64
	x, y *Affine
}

func (a atom) equal(b atom) bool {
	if a.kind != b.kind || a.v != b.v || a.n != b.n {
		return false
	}
	return equalPtr(a.x, b.x) && equalPtr(a.y, b.y)
}

func equalPtr(a, b *Affine) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.Equal(*b)
}

// ConstAffine returns a constant.
func ConstAffine(c int64) Affine { return Affine{Const: c} }

// VarAffine returns a variable.
func VarAffine(v *tir.Var) Affine {
	return Affine{terms: []term{{1, atom{kind: varAtom, v: v}}}}
}

// IsConst reports whether a has no atoms.
func (a Affine) IsConst() bool { return len(a.terms) == 0 }

// Equal reports whether a and b have the same form.
func (a Affine) Equal(b Affine) bool {
	if a.Const != b.Const || len(a.terms) != len(b.terms) {
		return false
	}
	for _, t := range a.terms {
		if i := b.find(t.atom); i < 0 || b.terms[i].coef != t.coef {
			return false
		}
	}
	return true
}

func (a Affine) find(x atom) int {
	for i := range a.terms {
		if a.terms[i].atom.equal(x) {
			return i
		}
	}
	return -1
}

// Uses reports whether v occurs in a.
func (a Affine) Uses(v *tir.Var) bool {
	for _, t := range a.terms {
		x := t.atom
		if x.v == v || x.x != nil && x.x.Uses(v) || x.y != nil && x.y.Uses(v) {
			return true
		}
	}
	return false
}

// Plus returns a + b.
func (a Affine) Plus(b Affine) Affine {
	c := Affine{Const: a.Const + b.Const}
	if len(b.terms) == 0 {
		c.terms = a.terms
		return c
	}
	if len(a.terms) == 0 {
		c.terms = b.terms
		return c
	}
	c.terms = make([]term, len(a.terms), len(a.terms)+len(b.terms))
	copy(c.terms, a.terms)
	for _, t := range b.terms {
		c.add(t)
	}
	return c.joinDivMod()
}

// add adds a term in place; the terms of a must not be shared.
func (a *Affine) add(t term) {
	if i := a.find(t.atom); i >= 0 {
		a.terms[i].coef += t.coef
		if a.terms[i].coef == 0 {
			a.terms = slices.Delete(a.terms, i, i+1)
		}
		return
	}
	a.terms = append(a.terms, t)
}

// AddConst returns a + c.
func (a Affine) AddConst(c int64) Affine {
	a.Const += c
	return a
}

// Minus returns a - b.
func (a Affine) Minus(b Affine) Affine { return a.Plus(b.Times(-1)) }

// Times returns a * c.
func (a Affine) Times(c int64) Affine {
	switch c {
	case 0:
		return Affine{}
	case 1:
		return a
	}
	b := Affine{Const: a.Const * c, terms: make([]term, len(a.terms))}
	for i, t := range a.terms {
		b.terms[i] = term{t.coef * c, t.atom}
	}
	return b
}

// joinDivMod undoes the taking apart of values into quotients and remainders:
//
//	n*floordiv(x, n) + floormod(x, n)             => x
//	m*floormod(floordiv(x, m), n) + floormod(x, m) => floormod(x, m*n)
//
// and the same for multiples of both sides.
func (a Affine) joinDivMod() Affine {
	for i, m := range a.terms {
		if m.atom.kind != modAtom {
			continue
		}
		quotient := m.atom.x.FloorDiv(m.atom.n, nil)
		if len(quotient.terms) != 1 || quotient.terms[0].coef != 1 || quotient.Const != 0 {
			continue
		}
		for j, d := range a.terms {
			if d.coef != m.coef*m.atom.n {
				continue
			}
			whole := *m.atom.x
			if !d.atom.equal(quotient.terms[0].atom) {
				if d.atom.kind != modAtom || !d.atom.x.Equal(quotient) {
					continue
				}
				whole = whole.FloorMod(m.atom.n*d.atom.n, nil)
			}
			rest := Affine{Const: a.Const, terms: make([]term, 0, len(a.terms))}
			for k, t := range a.terms {
				if k != i && k != j {
					rest.terms = append(rest.terms, t)
				}
			}
			return rest.Plus(whole.Times(m.coef))
		}
	}
	return a
}

// A Bounds tells the range of a variable; it returns false if it knows none.
type Bounds func(v *tir.Var) (Interval, bool)

// FloorDiv returns floordiv(a, n) for n > 0.
//
// Multiples of n come out of the quotient; a common factor of what is left
// cancels, and what is too small to matter is dropped; a quotient of a quotient
// is one by the product; and a quotient whose bounds agree is constant.
func (a Affine) FloorDiv(n int64, in Bounds) Affine {
	if n == 1 {
		return a
	}
	out, rest := a.divide(n)
	rest, n, _ = rest.cancel(n)
	if n == 1 {
		return out.Plus(rest)
	}
	if r, ok := rest.Range(in); ok && FloorDiv(r.Lo, n) == FloorDiv(r.Hi, n) {
		return out.AddConst(FloorDiv(r.Lo, n))
	}
	if x, g, _, ok := rest.coarse(n, in); ok {
		return out.Plus(x.FloorDiv(n/g, in))
	}
	if len(rest.terms) == 1 && rest.terms[0].coef == 1 {
		switch x := rest.terms[0].atom; {
		case x.kind == divAtom:
			// floordiv(floordiv(y, m) + c, n) = floordiv(y + c*m, m*n)
			return out.Plus(x.x.AddConst(rest.Const*x.n).FloorDiv(x.n*n, in))
		case x.kind == modAtom && x.n%n == 0 && rest.Const == 0:
			return out.Plus(x.x.FloorDiv(n, in).FloorMod(x.n/n, in))
		}
	}
	return out.Plus(Affine{terms: []term{{1, atom{kind: divAtom, n: n, x: &rest}}}})
}

// FloorMod returns floormod(a, n) for n > 0, simplified like FloorDiv.
func (a Affine) FloorMod(n int64, in Bounds) Affine {
	if n == 1 {
		return Affine{}
	}
	_, rest := a.divide(n)
	rest, n, g := rest.cancel(n)
	offset := floorMod(a.Const, g)
	if n == 1 {
		return ConstAffine(offset)
	}
	return rest.remainder(n, in).Times(g).AddConst(offset)
}

// remainder is FloorMod after common factors are out.
func (a Affine) remainder(n int64, in Bounds) Affine {
	if r, ok := a.Range(in); ok && FloorDiv(r.Lo, n) == FloorDiv(r.Hi, n) {
		return a.AddConst(-n * FloorDiv(r.Lo, n))
	}
	if x, g, fine, ok := a.coarse(n, in); ok {
		return x.FloorMod(n/g, in).Times(g).Plus(fine)
	}
	for _, t := range a.terms {
		if t.atom.kind == modAtom && t.atom.n%n == 0 {
			// floormod(floormod(y, m), n) = floormod(y, n) if n divides m.
			b := a.Minus(Affine{terms: []term{t}}).Plus(t.atom.x.Times(t.coef))
			return b.FloorMod(n, in)
		}
	}
	return Affine{terms: []term{{1, atom{kind: modAtom, n: n, x: &a}}}}
}

// divide splits a into n*out + rest, with the constant of rest in 0..n-1 and its
// coefficients between -n and n.
func (a Affine) divide(n int64) (out, rest Affine) {
	out.Const, rest.Const = FloorDiv(a.Const, n), floorMod(a.Const, n)
	for _, t := range a.terms {
		// Rounding to zero keeps small negative coefficients as they are.
		q := t.coef / n
		if r := t.coef - q*n; r != 0 {
			rest.terms = append(rest.terms, term{r, t.atom})
		}
		if q != 0 {
			out.terms = append(out.terms, term{q, t.atom})
		}
	}
	return out, rest
}

// cancel divides a and n by the common factor of n and a's coefficients;
// what of the constant does not divide is dropped, which changes no quotient.
func (a Affine) cancel(n int64) (Affine, int64, int64) {
	g := n
	for _, t := range a.terms {
		g = GCD(g, t.coef)
	}
	if g == 1 {
		return a, n, 1
	}
	b := Affine{Const: FloorDiv(a.Const, g), terms: make([]term, len(a.terms))}
	for i, t := range a.terms {
		b.terms[i] = term{t.coef / g, t.atom}
	}
	return b, n / g, g
}

// coarse writes a as g*x + fine with fine in 0..g-1 for a divisor g of n, so that
// fine does not matter for the quotient by n. It returns false if there is no
// such g but 1.
func (a Affine) coarse(n int64, in Bounds) (x Affine, g int64, fine Affine, ok bool) {
	for _, t := range a.terms {
		g = GCD(n, t.coef)
		if g == 1 {
			continue
		}
		x, fine = Affine{Const: FloorDiv(a.Const, g)}, Affine{Const: floorMod(a.Const, g)}
		for _, t := range a.terms {
			if t.coef%g == 0 {
				x.terms = append(x.terms, term{t.coef / g, t.atom})
			} else {
				fine.terms = append(fine.terms, t)
			}
		}
		if r, known := fine.Range(in); known && r.Lo >= 0 && r.Hi < g {
			return x, g, fine, true
		}
	}
	return Affine{}, 1, Affine{}, false
}

// Min returns min(a, b).
func (a Affine) Min(b Affine, in Bounds) Affine {
	if r, ok := a.Minus(b).Range(in); ok && r.Hi <= 0 {
		return a
	} else if ok && r.Lo >= 0 {
		return b
	}
	return Affine{terms: []term{{1, atom{kind: minAtom, x: &a, y: &b}}}}
}

// Max returns max(a, b).
func (a Affine) Max(b Affine, in Bounds) Affine {
	if r, ok := a.Minus(b).Range(in); ok && r.Lo >= 0 {
		return a
	} else if ok && r.Hi <= 0 {
		return b
	}
	return Affine{terms: []term{{1, atom{kind: maxAtom, x: &a, y: &b}}}}
}

// Expr returns a as an expression.
func (a Affine) Expr() tir.Expr {
	var e tir.Expr
	for _, t := range a.terms {
		x, c := t.atom.expr(), t.coef
		op := tir.Add
		if e != nil && c < 0 {
			op, c = tir.Sub, -c
		}
		if c != 1 {
			x = tir.Bin(tir.Mul, x, tir.Int(c))
		}
		if e == nil {
			e = x
		} else {
			e = tir.Bin(op, e, x)
		}
	}
	switch {
	case e == nil:
		return tir.Int(a.Const)
	case a.Const > 0:
		return tir.Bin(tir.Add, e, tir.Int(a.Const))
	case a.Const < 0:
		return tir.Bin(tir.Sub, e, tir.Int(-a.Const))
	}
	return e
}

func (a atom) expr() tir.Expr {
	switch a.kind {
	case varAtom:
		return a.v
	case divAtom:
		return tir.Bin(tir.FloorDiv, a.x.Expr(), tir.Int(a.n))
	case modAtom:
		return tir.Bin(tir.FloorMod, a.x.Expr(), tir.Int(a.n))
	case minAtom:
		return tir.Bin(tir.Min, a.x.Expr(), a.y.Expr())
	}
	return tir.Bin(tir.Max, a.x.Expr(), a.y.Expr())
}

// String returns the text of Expr.
func (a Affine) String() string { return a.Expr().String() }

// floorMod returns what FloorDiv leaves.
func floorMod(a, n int64) int64 { return a - n*FloorDiv(a, n) }

// FloorDiv returns a/n rounded down.
func FloorDiv(a, n int64) int64 {
	q := a / n
	if a%n != 0 && (a < 0) != (n < 0) {
		q--
	}
	return q
}

// GCD returns the greatest common divisor of a and b, which is not negative; a
// 0 divides nothing but is divided by all.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}
