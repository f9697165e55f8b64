package arith

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// An Interval is the integers from Lo to Hi, both included. An end at or beyond far is not known.
type Interval struct{ Lo, Hi int64 }

// far stands for infinity: it is beyond any index, and far from overflow when a few are added.
const far = int64(1) << 60

// Anything is an interval of which nothing is known.
var Anything = Interval{-far, far}

// Between returns the interval from lo to hi.
func Between(lo, hi int64) Interval { return Interval{lo, hi} }

// Of returns the values of an integer type or Bool; Anything if they are too many to calculate with.
func Of(t tir.DType) Interval {
	lo, hi, ok := t.IntRange()
	if !ok {
		return Anything
	}
	return clamped(lo, hi)
}

// Point returns the interval of one value.
func Point(v int64) Interval { return Interval{v, v} }

func clamped(lo, hi int64) Interval { return Interval{max(lo, -far), min(hi, far)} }

// Known reports whether both ends are known.
func (x Interval) Known() bool { return x.Lo > -far && x.Hi < far }

// IsPoint reports whether x is one value.
func (x Interval) IsPoint() bool { return x.Lo == x.Hi }

// Within reports whether y has all values of x.
func (x Interval) Within(y Interval) bool { return x.Lo >= y.Lo && x.Hi <= y.Hi }

// And returns what is in both. If nothing is, Lo is above Hi.
func (x Interval) And(y Interval) Interval { return Interval{max(x.Lo, y.Lo), min(x.Hi, y.Hi)} }

// Or returns the least interval that covers both.
func (x Interval) Or(y Interval) Interval { return Interval{min(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// narrowed returns the intersection, or x if there is none: the code is dead.
func (x Interval) narrowed(y Interval) Interval {
	if r := x.And(y); r.Lo <= r.Hi {
		return r
	}
	return x
}

// Plus returns the interval of v + k*w for v in x and w in y.
func (x Interval) Plus(k int64, y Interval) Interval {
	if !x.Known() || !y.Known() || !y.fits(k) {
		return Anything
	}
	lo, hi := y.Lo*k, y.Hi*k
	if r := (Interval{x.Lo + min(lo, hi), x.Hi + max(lo, hi)}); r.Known() {
		return r
	}
	return Anything
}

// fits reports whether the products of x and k are known.
func (x Interval) fits(k int64) bool {
	const small = 1 << 29
	if -small < x.Lo && x.Hi < small && -small < k && k < small { // most do
		return true
	}
	m := math.Max(math.Abs(float64(x.Lo)), math.Abs(float64(x.Hi)))
	return m*math.Abs(float64(k)) < float64(far)
}

// FloorDiv returns the interval of floordiv(v, n) for v in x and n > 0.
func (x Interval) FloorDiv(n int64) Interval {
	r := Anything
	if x.Lo > -far {
		r.Lo = FloorDiv(x.Lo, n)
	}
	if x.Hi < far {
		r.Hi = FloorDiv(x.Hi, n)
	}
	return r
}

// FloorMod returns the interval of floormod(v, n) for v in x and n > 0.
func (x Interval) FloorMod(n int64) Interval {
	if q := x.FloorDiv(n); x.Known() && q.IsPoint() {
		return Interval{x.Lo - q.Lo*n, x.Hi - q.Lo*n}
	}
	return Interval{0, n - 1}
}

// dividend returns the interval of v if floordiv(v, n) is in x and n > 0.
func (x Interval) dividend(n int64) Interval {
	r, most := Anything, far/n-1
	if -most < x.Lo && x.Lo < most {
		r.Lo = x.Lo * n
	}
	if -most < x.Hi && x.Hi < most {
		r.Hi = x.Hi*n + n - 1
	}
	return r
}

// Apply returns the interval of v op w for v in x and w in y. It is exact if v and w are independent and both ends are
// taken.
func (x Interval) Apply(op tir.BinOp, y Interval) (r Interval, exact bool) {
	known := x.Known() && y.Known()
	switch op {
	case tir.Min:
		return Interval{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}, known
	case tir.Max:
		return Interval{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}, known
	case tir.FloorMod:
		if y.Lo < 1 || !y.Known() {
			return Anything, false
		}
		if y.IsPoint() {
			return x.FloorMod(y.Lo), known && x.FloorDiv(y.Lo).IsPoint()
		}
		return Interval{0, y.Hi - 1}, false
	case tir.BitAnd: // what is not negative is a mask
		switch {
		case y.Known() && y.Lo >= 0 && (!x.Known() || x.Lo < 0 || y.Hi <= x.Hi):
			return Interval{0, y.Hi}, false
		case x.Known() && x.Lo >= 0:
			return Interval{0, x.Hi}, false
		}
	}
	if !known {
		return Anything, false
	}
	switch op {
	case tir.Add:
		r = x.Plus(1, y)
	case tir.Sub:
		r = x.Plus(-1, y)
	case tir.Mul:
		r = corners(x, y, func(a, b int64) int64 { return a * b })
		if !x.fits(max(y.Hi, -y.Lo)) {
			r = Anything
		}
	case tir.Div, tir.FloorDiv:
		if y.Lo < 1 && (op == tir.FloorDiv || y.Hi >= 0) {
			return Anything, false
		}
		r = corners(x, y, func(a, b int64) int64 {
			if op == tir.Div {
				return a / b
			}
			return FloorDiv(a, b)
		})
	default:
		return Anything, false
	}
	return r, r.Known()
}

// Decide returns what v op 0 is for all v in x, if it is the same.
func (x Interval) Decide(op tir.BinOp) (holds, decided bool) {
	if x.Lo < 0 && x.Hi > 0 && (op == tir.EQ || op == tir.NE) {
		return false, false
	}
	holds = Compare(op, x.Lo, 0)
	return holds, holds == Compare(op, x.Hi, 0)
}

// corners returns the values of what is extreme where both operands are.
func corners(x, y Interval, f func(a, b int64) int64) Interval {
	r := Point(f(x.Lo, y.Lo))
	for _, v := range []int64{f(x.Lo, y.Hi), f(x.Hi, y.Lo), f(x.Hi, y.Hi)} {
		r = r.Or(Point(v))
	}
	return r
}

// Range returns constant bounds of a for the given ranges of its variables. It
// returns false if there are none.
//
// Quotients of values that differ by a constant are bounded together, so that
// floordiv(x + 3, 4) - floordiv(x, 4) is 0..1 for any x.
func (a Affine) Range(in Bounds) (Interval, bool) {
	r := Point(a.Const)
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
		r = r.Plus(t.coef, x)
	}
	return r, r.Known()
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
		return x.FloorDiv(a.n), ok
	case modAtom:
		x, ok := a.x.Range(in)
		if !ok {
			x = Anything
		}
		return x.FloorMod(a.n), true
	}
	x, okX := a.x.Range(in)
	y, okY := a.y.Range(in)
	if !okX || !okY {
		return Interval{}, false
	}
	op := tir.Max
	if a.kind == minAtom {
		op = tir.Min
	}
	return x.Apply(op, y)
}
