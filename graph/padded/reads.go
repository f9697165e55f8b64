package padded

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
)

// A spot is an index as a sum: what is added up counts the places of digits, times a number.
type spot struct {
	parts []part
	plus  int64
}

// A part of a spot counts the places of a digit, of which those below its limit are needed.
type part struct {
	times, upper int64
	entry        int
}

// A reader finds out where an expression of axes reads.
type reader struct {
	limits *limits
	axes   map[*tir.Var]spot
}

// index returns which places of a dimension of size elements an index reads.
func (r *reader) index(e tir.Expr, axis int, size int64) []extent.Digit {
	p, ok := r.spot(e)
	if !ok {
		return []extent.Digit{{Axis: axis, Upper: size, Entry: -1}}
	}
	if list := p.digits(axis, size); list != nil {
		return list
	}
	d := extent.Digit{Axis: axis, Upper: size, Entry: -1}
	if x := r.limit(p); x != nil {
		d.Entry = r.limits.number(x)
	}
	return []extent.Digit{d}
}

// digits returns the digits of a dimension that a place goes through, or nil if it is not all of them in order.
func (p spot) digits(axis int, size int64) []extent.Digit {
	parts := slices.Clone(p.parts)
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.times, b.times) })
	inner := int64(1)
	var list []extent.Digit
	for _, x := range parts {
		if x.upper == 1 {
			continue
		}
		if x.times != inner {
			return nil
		}
		inner *= x.upper
		list = append(list, extent.Digit{Axis: axis, Upper: x.upper, Entry: x.entry})
	}
	if inner != size || p.plus != 0 {
		return nil
	}
	slices.Reverse(list)
	return list
}

// limit returns below what a place is, by the part that says most; nil if none says anything.
func (r *reader) limit(p spot) limit {
	at := -1
	for i, x := range p.parts {
		if x.entry >= 0 && x.times > 0 && (at < 0 || x.times*x.upper > p.parts[at].times*p.parts[at].upper) {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	rest := p.plus
	for i, x := range p.parts {
		if i != at && x.times > 0 {
			rest += x.times * (x.upper - 1)
		}
	}
	return r.limits.scaled(p.parts[at].entry, p.parts[at].times, rest)
}

// most returns the greatest number of a place within the bounds.
func (p spot) most() int64 {
	n := p.plus
	for _, x := range p.parts {
		if x.times > 0 {
			n += x.times * (x.upper - 1)
		}
	}
	return n
}

// spot returns an index as a sum; ok is false if it is none.
func (r *reader) spot(e tir.Expr) (p spot, ok bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return spot{plus: e.Value}, true
	case *tir.Var:
		p, ok = r.axes[e]
		return p, ok
	case *tir.Binary:
		x, ok := r.spot(e.X)
		y, too := r.spot(e.Y)
		if !ok || !too {
			return p, false
		}
		n, constant := y.plus, len(y.parts) == 0
		switch {
		case e.Op == tir.Add:
			return spot{slices.Concat(x.parts, y.parts), x.plus + y.plus}, true
		case e.Op == tir.Sub:
			return spot{slices.Concat(x.parts, y.scaled(-1).parts), x.plus - y.plus}, true
		case e.Op == tir.Mul && constant:
			return x.scaled(n), true
		case e.Op == tir.Mul && len(x.parts) == 0:
			return y.scaled(x.plus), true
		case e.Op == tir.FloorDiv && constant && n > 0:
			return r.quotient(x, n)
		case e.Op == tir.FloorMod && constant && n > 0:
			if _, low, ok := x.divide(n); ok {
				return low, true
			}
			return spot{parts: []part{{1, n, -1}}}, true
		case e.Op == tir.Min && constant:
			return r.bounded(min(x.most(), n), r.limit(x))
		case e.Op == tir.Max && constant && n >= 0:
			x, most := r.limit(x), max(x.most(), n)
			if x != nil {
				x = append(x, affine{0, 0, n + 1, 1})
			}
			return r.bounded(most, x)
		}
	}
	return p, false
}

func (p spot) scaled(by int64) spot {
	q := spot{plus: p.plus * by}
	for _, x := range p.parts {
		q.parts = append(q.parts, part{x.times * by, x.upper, x.entry})
	}
	return q
}

// bounded returns a place of which only is known what it is below.
func (r *reader) bounded(most int64, below limit) (spot, bool) {
	x := part{1, max(most, 0) + 1, -1}
	if below != nil {
		x.entry = r.limits.number(below)
	}
	return spot{parts: []part{x}}, true
}

// quotient returns p/by.
func (r *reader) quotient(p spot, by int64) (spot, bool) {
	if high, _, ok := p.divide(by); ok {
		return high, true
	}
	x := r.limit(p)
	if x != nil {
		x = x.quotient(by)
	}
	return r.bounded(floorDiv(p.most(), by), x)
}

// divide returns p/by and p%by, if digits say what these are.
func (p spot) divide(by int64) (high, low spot, ok bool) {
	high.plus = floorDiv(p.plus, by)
	low.plus = p.plus - high.plus*by
	for _, x := range p.parts {
		switch {
		case x.times%by == 0:
			high.parts = append(high.parts, part{x.times / by, x.upper, x.entry})
		case x.times > 0 && x.entry < 0 && by%x.times == 0 && x.upper%(by/x.times) == 0:
			n := by / x.times
			low.parts = append(low.parts, part{x.times, n, -1})
			high.parts = append(high.parts, part{1, x.upper / n, -1})
		case x.times > 0:
			low.parts = append(low.parts, x)
		default:
			return high, low, false
		}
	}
	return high, low, low.most() < by
}
