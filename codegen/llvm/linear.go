package llvm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An atom is a value of type i64 that index arithmetic does not look into.
type atom struct {
	id      int    // in order of creation, so outer loops come first
	ref     string // of type i64, or a vector of i64 if vec
	vec     bool   // has one value per lane
	data    bool   // is computed or read: without bounds, arithmetic on it may wrap around
	bounded bool   // lo <= value <= hi is known
	lo, hi  int64
}

// A linear is a sum of multiples of atoms, and a constant: the form in which
// index expressions are kept until their value is needed. It shows what is
// constant, what is affine in the lane and which bounds hold, and lets equal
// parts of addresses be computed once.
type linear struct {
	terms []term // by atom id; no zero factors
	c     int64
}

type term struct {
	a *atom
	k int64
}

func constant(c int64) linear { return linear{c: c} }

func (f *function) newAtom(ref string) *atom {
	f.atoms++
	return &atom{id: f.atoms, ref: ref}
}

func (f *function) boundedAtom(ref string, lo, hi int64) *atom {
	a := f.newAtom(ref)
	if lo <= hi && lo > -boundLimit && hi < boundLimit {
		a.bounded, a.lo, a.hi = true, lo, hi
	}
	return a
}

func single(a *atom) linear { return linear{terms: []term{{a, 1}}} }

func (x linear) isConst() bool { return len(x.terms) == 0 }

// add returns x + k*y.
func (x linear) add(y linear, k int64) linear {
	r := linear{c: x.c + k*y.c, terms: make([]term, 0, len(x.terms)+len(y.terms))}
	i, j := 0, 0
	for i < len(x.terms) || j < len(y.terms) {
		switch {
		case j == len(y.terms) || i < len(x.terms) && x.terms[i].a.id < y.terms[j].a.id:
			r.terms = append(r.terms, x.terms[i])
			i++
		case i == len(x.terms) || y.terms[j].a.id < x.terms[i].a.id:
			r.terms = appendTerm(r.terms, y.terms[j].a, k*y.terms[j].k)
			j++
		default:
			r.terms = appendTerm(r.terms, x.terms[i].a, x.terms[i].k+k*y.terms[j].k)
			i++
			j++
		}
	}
	return r
}

func appendTerm(list []term, a *atom, k int64) []term {
	if k == 0 {
		return list
	}
	return append(list, term{a, k})
}

func (x linear) scale(k int64) linear { return linear{}.add(x, k) }

// hasLanes reports whether x differs between lanes.
func (x linear) hasLanes() bool {
	for _, t := range x.terms {
		if t.a.vec {
			return true
		}
	}
	return false
}

// split separates the part that is equal in all lanes, constant included, from
// the rest.
func (x linear) split() (uniform, varying linear) {
	uniform.c = x.c
	for _, t := range x.terms {
		if t.a.vec {
			varying.terms = append(varying.terms, t)
		} else {
			uniform.terms = append(uniform.terms, t)
		}
	}
	return uniform, varying
}

// boundLimit keeps the sums of bounds far from overflow.
const boundLimit = 1 << 60

// bounds returns the range of x if it is known and arithmetic on it cannot
// have overflowed.
func (x linear) bounds() (lo, hi int64, ok bool) {
	lo, hi = x.c, x.c
	for _, t := range x.terms {
		if !t.a.bounded || !mulFits(t.a.lo, t.k) || !mulFits(t.a.hi, t.k) || !fits(lo) || !fits(hi) {
			return 0, 0, false
		}
		l, h := t.a.lo*t.k, t.a.hi*t.k
		lo, hi = lo+min(l, h), hi+max(l, h)
	}
	return lo, hi, fits(lo) && fits(hi)
}

// exact reports whether x is computed without wrapping around, so that it compares as the sum that it stands for.
func (x linear) exact() bool {
	if len(x.terms) == 1 && x.terms[0].k == 1 && x.c == 0 {
		return true // nothing is computed
	}
	for _, t := range x.terms {
		switch {
		case t.a.bounded && !(mulFits(t.a.lo, t.k) && mulFits(t.a.hi, t.k)):
			return false
		case !t.a.bounded && t.a.data:
			return false
		}
	}
	return fits(x.c)
}

func fits(v int64) bool { return -boundLimit < v && v < boundLimit }

// mulFits reports whether a*b is certainly below boundLimit.
func mulFits(a, b int64) bool { return math.Abs(float64(a))*math.Abs(float64(b)) < boundLimit/2 }

// text returns the operand of x, of type i64 or of its vector, computing it as
// a sum from the outermost atom inwards so that partial sums are shared and
// leave inner loops.
func (f *function) text(x linear) string {
	if x.hasLanes() {
		u, v := x.split()
		ref, typ := "", vectorType("i64", f.lane.n)
		for _, t := range v.terms {
			part := t.a.ref
			if t.k != 1 {
				part = f.pure(fmt.Sprintf("mul %s %s, %s", typ, part, splatText("i64", fmt.Sprint(t.k), f.lane.n)))
			}
			if ref == "" {
				ref = part
			} else {
				ref = f.pure(fmt.Sprintf("add %s %s, %s", typ, ref, part))
			}
		}
		if u.isConst() && u.c == 0 {
			return ref
		}
		return f.pure(fmt.Sprintf("add %s %s, %s", typ, f.splatRef("i64", f.text(u), u.isConst()), ref))
	}
	ref := ""
	for _, t := range x.terms {
		part := t.a.ref
		if t.k != 1 {
			part = f.pure(fmt.Sprintf("mul i64 %s, %d", part, t.k))
		}
		if ref == "" {
			ref = part
		} else {
			ref = f.pure(fmt.Sprintf("add i64 %s, %s", ref, part))
		}
	}
	switch {
	case ref == "":
		return fmt.Sprint(x.c)
	case x.c == 0:
		return ref
	}
	return f.pure(fmt.Sprintf("add i64 %s, %d", ref, x.c))
}

// splatRef returns a vector of f.lane.n copies of a scalar operand.
func (f *function) splatRef(typ, ref string, isConst bool) string {
	n := f.lane.n
	if isConst {
		return splatText(typ, ref, n)
	}
	v := vectorType(typ, n)
	one := f.pure(fmt.Sprintf("insertelement %s poison, %s %s, i64 0", v, typ, ref))
	return f.pure(fmt.Sprintf("shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", v, one, v, n))
}

// splatText returns a vector constant of n equal elements.
func splatText(typ, c string, n int64) string {
	if c == "0" || c == "false" || c == floatZero {
		return "zeroinitializer"
	}
	return "<" + strings.TrimSuffix(strings.Repeat(typ+" "+c+", ", int(n)), ", ") + ">"
}

func vectorType(typ string, n int64) string {
	if n == 1 {
		return typ
	}
	return "<" + strconv.FormatInt(n, 10) + " x " + typ + ">"
}

// laneNumbers returns the vector constant 0, 1, ... n-1.
func laneNumbers(typ string, n int64) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("%s %d", typ, i)
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// atomOfLanes returns the atom whose value in lane i is i. Its bounds are those
// of the lanes that count.
func (f *function) atomOfLanes(c chunk) *atom {
	a := f.boundedAtom(laneNumbers("i64", c.n), 0, c.valid-1)
	a.vec = true
	return a
}
