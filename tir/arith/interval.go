package arith

// An Interval is the integers from Lo to Hi, both included.
type Interval struct{ Lo, Hi int64 }

// farAway stands for infinity in the arithmetic of intervals: far beyond any
// index, and far from overflow when a few are added.
const farAway = int64(1) << 58

func clamp(v int64) int64 { return max(-farAway, min(farAway, v)) }

// Range returns constant bounds of a for the given ranges of its variables. It
// returns false if there are none.
//
// Quotients of values that differ by a constant are bounded together, so that
// floordiv(x + 3, 4) - floordiv(x, 4) is 0..1 for any x.
func (a Affine) Range(in Bounds) (Interval, bool) {
	r := Interval{a.Const, a.Const}
	terms := a.terms
	if a.hasQuotients() {
		terms, r = pairQuotients(terms, r)
	}
	for _, t := range terms {
		if t.coef == 0 { // what a pair leaves
			continue
		}
		x, ok := t.atom.bounds(in)
		if !ok {
			return Interval{}, false
		}
		lo, hi := mulClamp(x.Lo, t.coef), mulClamp(x.Hi, t.coef)
		if t.coef < 0 {
			lo, hi = hi, lo
		}
		r.Lo, r.Hi = clamp(r.Lo+lo), clamp(r.Hi+hi)
	}
	if r.Lo <= -farAway || r.Hi >= farAway {
		return Interval{}, false
	}
	return r, true
}

// mulClamp multiplies and keeps away from overflow.
func mulClamp(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b != a || p > farAway || p < -farAway {
		if (a > 0) == (b > 0) {
			return farAway
		}
		return -farAway
	}
	return p
}

func (a Affine) hasQuotients() bool {
	n := 0
	for _, t := range a.terms {
		if t.atom.kind == divAtom {
			n++
		}
	}
	return n > 1
}

// pairQuotients bounds c*floordiv(x+p, n) - c*floordiv(x+q, n) for equal x and
// n, and returns the other terms.
func pairQuotients(terms []term, r Interval) ([]term, Interval) {
	rest := append([]term(nil), terms...)
	for i := range rest {
		for j := range rest {
			p, q := &rest[i], &rest[j]
			if p.atom.kind != divAtom || q.atom.kind != divAtom || p.coef <= 0 || q.coef >= 0 || p.atom.n != q.atom.n {
				continue
			}
			d := p.atom.x.Minus(*q.atom.x)
			if !d.IsConst() {
				continue
			}
			c := min(p.coef, -q.coef)
			r.Lo += c * FloorDiv(d.Const, p.atom.n)
			r.Hi -= c * FloorDiv(-d.Const, p.atom.n)
			p.coef -= c
			q.coef += c
		}
	}
	return rest, r
}

// bounds returns the range of an atom.
func (a atom) bounds(in Bounds) (Interval, bool) {
	switch a.kind {
	case varAtom:
		if in == nil {
			return Interval{}, false
		}
		return in(a.v)
	case divAtom:
		x, ok := a.x.Range(in)
		return Interval{FloorDiv(x.Lo, a.n), FloorDiv(x.Hi, a.n)}, ok
	case modAtom:
		x, ok := a.x.Range(in)
		if ok && FloorDiv(x.Lo, a.n) == FloorDiv(x.Hi, a.n) {
			return Interval{floorMod(x.Lo, a.n), floorMod(x.Hi, a.n)}, true
		}
		return Interval{0, a.n - 1}, true
	}
	x, okX := a.x.Range(in)
	y, okY := a.y.Range(in)
	if !okX || !okY {
		return Interval{}, false
	}
	if a.kind == minAtom {
		return Interval{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}, true
	}
	return Interval{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}, true
}
