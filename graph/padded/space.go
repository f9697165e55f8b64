package padded

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph/op/extent"
)

// An extentOf is an extent that follows from the dimensions: its number at each sample, and a formula of extents that
// are known before it. Extents of one number everywhere have none.
type extentOf struct {
	at    []int64
	terms []term
	plus  int64
	over  int64
	entry int // of the vector of extents, -1 while it has none
}

// A term of a formula is the product of extents, times a number.
type term struct {
	times int64
	of    []*extentOf
}

func (x *extentOf) upper() int64 { return x.at[0] }

// fixed reports whether the extent is the same at all samples.
func (x *extentOf) fixed() bool { return constant(x.at) }

func constant(at []int64) bool {
	return !slices.ContainsFunc(at, func(n int64) bool { return n != at[0] })
}

// A space finds formulas of extents, which it knows by their numbers at all samples.
type space struct {
	points [][]int64 // of each sample the numbers of the dimensions; the first has the upper bounds
	list   []*extentOf
	known  map[string]*extentOf
	dims   int

	entries []*extentOf // those of the vector of extents, the dimensions first
}

func newSpace(points [][]int64) *space {
	s := &space{points: points, known: map[string]*extentOf{}, dims: len(points[0])}
	for d := range points[0] {
		x := &extentOf{over: 1, entry: d}
		for _, p := range points {
			x.at = append(x.at, p[d])
		}
		s.list, s.entries = append(s.list, x), append(s.entries, x)
		if k := fmt.Sprint(x.at); s.known[k] == nil {
			s.known[k] = x
		}
	}
	return s
}

// entry gives an extent a place in the vector of extents, after those of its formula.
func (s *space) entry(x *extentOf) int {
	if x.entry < 0 {
		for _, t := range x.terms {
			for _, y := range t.of {
				s.entry(y)
			}
		}
		x.entry = len(s.entries)
		s.entries = append(s.entries, x)
	}
	return x.entry
}

// formulas returns how the entries that are no dimensions are computed.
func (s *space) formulas() []extent.Formula {
	var list []extent.Formula
	for _, x := range s.entries[s.dims:] {
		f := extent.Formula{Plus: x.plus, Over: x.over}
		for _, t := range x.terms {
			k := extent.Term{Times: t.times}
			for _, y := range t.of {
				k.Entries = append(k.Entries, y.entry)
			}
			f.Terms = append(f.Terms, k)
		}
		list = append(list, f)
	}
	return list
}

// add keeps a new extent, unless one of its numbers is known.
func (s *space) add(at []int64, over, plus int64, terms ...term) *extentOf {
	k := fmt.Sprint(at)
	if s.known[k] == nil {
		s.known[k] = &extentOf{at: at, terms: terms, plus: plus, over: over, entry: -1}
		if !constant(at) {
			s.list = append(s.list, s.known[k])
		}
	}
	return s.known[k]
}

// number returns the extent that is n everywhere.
func (s *space) number(n int64) *extentOf {
	return s.add(slices.Repeat([]int64{n}, len(s.points)), 1, n)
}

// times returns the product of extents.
func (s *space) times(list ...*extentOf) *extentOf {
	at, factor := slices.Repeat([]int64{1}, len(s.points)), int64(1)
	var of []*extentOf
	for _, x := range list {
		for k := range at {
			at[k] *= x.at[k]
		}
		if x.fixed() {
			factor *= x.at[0]
		} else {
			of = append(of, x)
		}
	}
	if len(of) == 0 {
		return s.number(factor)
	}
	return s.add(at, 1, 0, term{factor, of})
}

// find returns the extent of some numbers at the samples, or nil if no formula makes them: sums of multiples of
// dimensions, multiples of known extents and of products of two, and what division by a number makes of a known one.
func (s *space) find(at []int64) *extentOf {
	if constant(at) {
		return s.number(at[0])
	}
	if x := s.known[fmt.Sprint(at)]; x != nil {
		return x
	}
	for _, by := range []func([]int64) *extentOf{s.linear, s.multiple, s.quotient} {
		if x := by(at); x != nil {
			return x
		}
	}
	return nil
}

// linear finds a sum of multiples of dimensions.
func (s *space) linear(at []int64) *extentOf {
	n := s.dims + 1
	rows := make([][]float64, n) // the normal equations
	for i := range rows {
		rows[i] = make([]float64, n+1)
	}
	for k, p := range s.points {
		v := make([]float64, n+1)
		for d := range p {
			v[d] = float64(p[d])
		}
		v[s.dims], v[n] = 1, float64(at[k])
		for i := range n {
			for j := range v {
				rows[i][j] += v[i] * v[j]
			}
		}
	}
	for i := range n {
		best := i
		for r := i; r < n; r++ {
			if math.Abs(rows[r][i]) > math.Abs(rows[best][i]) {
				best = r
			}
		}
		rows[i], rows[best] = rows[best], rows[i]
		if math.Abs(rows[i][i]) < 1e-9 {
			return nil
		}
		for r := range n {
			if r == i {
				continue
			}
			for f, j := rows[r][i]/rows[i][i], n; j >= i; j-- {
				rows[r][j] -= f * rows[i][j]
			}
		}
	}
	var terms []term
	factor := func(i int) int64 { return int64(math.Round(rows[i][n] / rows[i][i])) }
	for d := range s.dims {
		if a := factor(d); a != 0 {
			terms = append(terms, term{a, s.list[d : d+1]})
		}
	}
	return s.checked(at, 1, factor(s.dims), terms...)
}

// checked adds an extent if its formula makes the numbers.
func (s *space) checked(at []int64, over, plus int64, terms ...term) *extentOf {
	for k := range at {
		sum := plus
		for _, t := range terms {
			p := t.times
			for _, y := range t.of {
				p *= y.at[k]
			}
			sum += p
		}
		if sum != at[k] {
			return nil
		}
	}
	return s.add(at, over, plus, terms...)
}

// multiple finds a*x+b of a known extent x, a*x*y of two, and a*x+y+b.
func (s *space) multiple(at []int64) *extentOf {
	known := slices.Clone(s.list)
	for _, x := range known {
		if a, b, ok := line(x.at, at); ok {
			return s.checked(at, 1, b, term{a, []*extentOf{x}})
		}
	}
	both, rest := make([]int64, len(at)), make([]int64, len(at))
	for i, x := range known {
		for j, y := range known {
			for k := range at {
				both[k], rest[k] = x.at[k]*y.at[k], at[k]-y.at[k]
			}
			if a, b, ok := line(both, at); ok && b == 0 && j >= i {
				return s.checked(at, 1, 0, term{a, []*extentOf{x, y}})
			}
			if a, b, ok := line(x.at, rest); ok {
				return s.checked(at, 1, b, term{a, []*extentOf{x}}, term{1, []*extentOf{y}})
			}
		}
	}
	return nil
}

// line finds a and b such that y = a*x+b everywhere; a is not 0.
func line(x, y []int64) (a, b int64, ok bool) {
	i := slices.IndexFunc(x, func(v int64) bool { return v != x[0] })
	if i < 0 || (y[i]-y[0])%(x[i]-x[0]) != 0 {
		return 0, 0, false
	}
	a = (y[i] - y[0]) / (x[i] - x[0])
	b = y[0] - a*x[0]
	for k := range x {
		if y[k] != a*x[k]+b {
			return 0, 0, false
		}
	}
	return a, b, a != 0
}

// mostOver is the greatest divisor that is looked for.
const mostOver = 64

// quotient finds a*((x+b)/d)+c of a known extent x, divided and rounded down.
func (s *space) quotient(at []int64) *extentOf {
	q := make([]int64, len(at))
	for _, x := range slices.Clone(s.list) {
		for d := int64(2); d <= mostOver; d++ {
			for b := range d {
				for k := range q {
					q[k] = (x.at[k] + b) / d
				}
				a, c, ok := line(q, at)
				if !ok {
					continue
				}
				part := s.add(slices.Clone(q), d, b, term{1, []*extentOf{x}})
				if a == 1 && c == 0 {
					return part
				}
				return s.checked(at, 1, c, term{a, []*extentOf{part}})
			}
		}
	}
	return nil
}
