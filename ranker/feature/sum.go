package feature

import (
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A sum is an index in the normal form of TVM's canonical simplifier
// (src/arith/canonical_simplify.cc): a constant plus multiples of distinct
// parts.
type sum struct {
	c     int64
	parts []part
}

// A part is coef*floor((x mod upper)/lower), where x is the variable of a loop,
// or of if that is not nil. An upper of 0 is none.
type part struct {
	coef         int64
	loop         int
	of           *sum
	lower, upper int64
}

// same reports whether two parts differ in their coefficients only.
func (p part) same(q part) bool {
	if p.loop != q.loop || p.lower != q.lower || p.upper != q.upper || (p.of == nil) != (q.of == nil) {
		return false
	}
	return p.of == nil || p.of.equal(*q.of)
}

func (s sum) equal(t sum) bool {
	return s.c == t.c && slices.EqualFunc(s.parts, t.parts, func(p, q part) bool { return p.coef == q.coef && p.same(q) })
}

func (s sum) isConst() bool { return len(s.parts) == 0 }

func constant(c int64) sum { return sum{c: c} }

// plus returns s + k*t.
func (s sum) plus(k int64, t sum) sum {
	r := sum{c: s.c + k*t.c, parts: make([]part, len(s.parts), len(s.parts)+len(t.parts))}
	copy(r.parts, s.parts)
	for _, p := range t.parts {
		p.coef *= k
		r.add(p)
	}
	return r
}

// add adds a part in place.
func (s *sum) add(p part) {
	if p.coef == 0 {
		return
	}
	for i := range s.parts {
		q := &s.parts[i]
		switch {
		case q.same(p):
			if q.coef += p.coef; q.coef == 0 {
				s.parts = slices.Delete(s.parts, i, i+1)
			}
			return
		case q.joins(p):
			whole := *q
			whole.coef, whole.lower = p.coef, p.lower
			s.parts = slices.Delete(s.parts, i, i+1)
			s.add(whole)
			return
		case p.joins(*q):
			whole := p
			whole.coef, whole.lower = q.coef, q.lower
			s.parts = slices.Delete(s.parts, i, i+1)
			s.add(whole)
			return
		}
	}
	s.parts = append(s.parts, p)
}

// joins reports whether p is the coarse part of a number, and q the fine part
// below it: (x mod u)/l*l' + (x mod l)/l”, with l = l'*l”.
func (p part) joins(q part) bool {
	if p.loop != q.loop || (p.of == nil) != (q.of == nil) || q.upper != p.lower || p.coef*q.lower != q.coef*p.lower {
		return false
	}
	return p.of == nil || p.of.equal(*q.of)
}

func (s sum) times(k int64) sum {
	if k == 0 {
		return sum{}
	}
	r := sum{c: s.c * k, parts: slices.Clone(s.parts)}
	for i := range r.parts {
		r.parts[i].coef *= k
	}
	return r
}

// sorted returns s with its parts in the order of the text: by falling
// coefficient, then finer parts last.
func (s sum) sorted() sum {
	slices.SortStableFunc(s.parts, func(p, q part) int {
		switch {
		case p.coef != q.coef:
			return falling(p.coef, q.coef)
		case p.lower != q.lower:
			return falling(p.lower, q.lower)
		}
		return falling(p.above(), q.above())
	})
	return s
}

func (p part) above() int64 {
	if p.upper == 0 {
		return 1 << 62
	}
	return p.upper
}

func falling(a, b int64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// ops adds the operations in the text of s.
func (s sum) ops(a *nest.Arithmetic) {
	terms := len(s.parts)
	for _, p := range s.parts {
		if p.coef != 1 && p.coef != -1 {
			a.Mul++
		}
		if p.lower != 1 {
			a.DivMod++
		}
		if p.upper != 0 {
			a.DivMod++
		}
		if p.of != nil {
			p.of.ops(a)
		}
	}
	if s.c != 0 {
		terms++
	}
	if terms > 1 {
		a.AddSub += terms - 1
	}
}

// ranges knows the extents of loops, and bounds that hold where a statement
// stands: guards keep it from running elsewhere.
type ranges struct {
	loops  []nest.Loop[Float]
	bounds []bound
	text   bool // sums are those of a Text
	lazy   bool // quotients and remainders stay as they are, see simplified
}

// A bound says that a sum is at most so much.
type bound struct {
	of   sum // without a constant
	most int64
}

// assume notes that s is at most most. As in TVM, that is known of s as it
// stands, and not of its parts.
func (r *ranges) assume(s sum, most int64) {
	c := s.c
	r.bounds = append(r.bounds, bound{s.plus(1, constant(-c)), most - c})
}

// within reports whether s is in 0..n-1.
func (r ranges) within(s sum, n int64) bool {
	lo, hi := r.of(s)
	return lo >= 0 && hi < n
}

// coarse returns x and y with s = g*x + y, where y is what g does not divide.
func (s sum) coarse(g int64) (x, y sum) {
	x.c = arith.FloorDiv(s.c, g)
	y.c = s.c - g*x.c
	for _, p := range s.parts {
		if p.coef%g == 0 {
			p.coef /= g
			x.parts = append(x.parts, p)
		} else {
			y.parts = append(y.parts, p)
		}
	}
	return x, y
}

// of returns the range of s.
func (r ranges) of(s sum) (lo, hi int64) {
	lo, hi = s.c, s.c
	for _, p := range s.parts {
		a, b := r.ofPart(p)
		a, b = a*p.coef, b*p.coef
		lo, hi = lo+min(a, b), hi+max(a, b)
	}
	for _, b := range r.bounds {
		if b.most+s.c < hi && len(b.of.parts) == len(s.parts) && b.of.plus(-1, s).isConst() {
			hi = b.most + s.c
		}
		if r.text && 0 < len(b.of.parts) && len(b.of.parts) < len(s.parts) { // in a text, what is known of some parts counts
			if rest := s.plus(-1, b.of); len(rest.parts) == len(s.parts)-len(b.of.parts) {
				_, most := r.of(rest)
				hi = min(hi, b.most+most)
			}
		}
	}
	return lo, hi
}

func (r ranges) ofPart(p part) (lo, hi int64) {
	if p.of != nil {
		lo, hi = r.of(*p.of)
	} else {
		hi = int64(r.loops[p.loop].Extent) - 1
		for _, b := range r.bounds {
			if q := b.of.parts; len(q) == 1 && q[0].coef == 1 && q[0].same(part{loop: p.loop, lower: 1}) {
				hi = min(hi, b.most)
			}
		}
	}
	if p.upper != 0 && (lo < 0 || hi >= p.upper) {
		lo, hi = 0, p.upper-1
	}
	return arith.FloorDiv(lo, p.lower), arith.FloorDiv(hi, p.lower)
}

// divide returns floordiv(s, n) and floormod(s, n) for n > 1.
func (r ranges) divide(s sum, n int64) (quotient, remainder sum) {
	if r.lazy {
		if r.within(s, n) {
			return sum{}, s
		}
		return sum{parts: []part{{coef: 1, of: &s, lower: n}}}, sum{parts: []part{{coef: 1, of: &s, lower: 1, upper: n}}}
	}
	quotient, rest := s.coarse(n)
	lo, hi := r.of(rest)
	if q := arith.FloorDiv(lo, n); q == arith.FloorDiv(hi, n) {
		quotient.c += q
		rest.c -= q * n
		return quotient, rest
	}
	q, m := r.split(rest, n)
	return quotient.plus(1, q), m
}

// split is divide for what is neither a multiple of n nor below it.
func (r ranges) split(s sum, n int64) (quotient, remainder sum) {
	if len(s.parts) == 1 && s.c == 0 && s.parts[0].coef == 1 {
		p := s.parts[0]
		q, m := p, p
		q.lower *= n
		if r.text && p.of != nil && p.upper == 0 {
			quotient, rest := r.divide(*p.of, q.lower)
			remainder, _ = r.divide(rest, p.lower)
			return quotient, remainder
		}
		if p.upper == 0 || p.upper%q.lower == 0 {
			m.upper = q.lower
			return sum{parts: []part{q}}, sum{parts: []part{m}}
		}
		return sum{parts: []part{q}}, sum{parts: []part{{coef: 1, of: &s, lower: 1, upper: n}}}
	}
	for _, p := range s.parts { // floordiv(g*x + y, n) = floordiv(x, n/g) with 0 <= y < g
		g := p.coef
		if g <= 1 || n%g != 0 {
			continue
		}
		if r.text && (len(s.parts) > 2 || len(s.parts) == 2 && s.c != 0) {
			break // a text has the sum as one of more than two terms already
		}
		if x, y := s.coarse(g); r.within(y, g) {
			q, m := r.divide(x, n/g)
			return q, m.times(g).plus(1, y)
		}
	}
	whole := s.sorted()
	remainder = sum{parts: []part{{coef: 1, of: &whole, lower: 1, upper: n}}}
	if r.text && len(whole.parts) == 2 && whole.parts[0].coef > n { // rewritten only where it is the first of two terms
		less := sum{c: whole.c, parts: slices.Clone(whole.parts)}
		less.parts[0].coef %= n
		_, remainder = r.divide(less, n)
	}
	return sum{parts: []part{{coef: 1, of: &whole, lower: n}}}, remainder
}

// index returns s as an Index.
func (s sum) index() nest.Index[Float] {
	s = s.sorted()
	e := nest.Index[Float]{Const: Float(s.c), Terms: make([]nest.Term[Float], len(s.parts))}
	for k, p := range s.parts {
		t := nest.Term[Float]{
			Coef: Float(p.coef), Loop: p.loop, Lower: Float(p.lower), Upper: Float(p.upper),
			Divided: p.lower != 1, Reduced: p.upper != 0,
		}
		if p.of != nil {
			of := p.of.index()
			t.Of = &of
		}
		e.Terms[k] = t
	}
	return e
}

// indexOps are the operators of index arithmetic that a sum can hold.
func isIndexOp(op tir.BinOp) bool {
	return op == tir.Add || op == tir.Sub || op == tir.Mul || op == tir.FloorDiv || op == tir.FloorMod
}
