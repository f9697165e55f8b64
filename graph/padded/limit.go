package padded

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// An affine is a number below which places are needed: (times*e + plus) / over, rounded down, of an entry e of the
// vector of extents.
type affine struct {
	entry             int
	times, plus, over int64
}

// A limit is the greatest of some.
type limit []affine

// mostParts bounds the parts of a limit: of more readers all is needed.
const mostParts = 3

// limits numbers limits: those below the length of known are entries of the vector of extents, the others are in list.
// Needs adds formulas of those that are left in the end to the vector.
type limits struct {
	node  *graph.Node // wmtune.Extents
	known []extent.Formula
	dims  int
	list  []limit
}

func newLimits(n *graph.Node) *limits {
	l := &limits{node: n, dims: len(n.Ints("least"))}
	for range l.dims {
		l.known = append(l.known, extent.Formula{})
	}
	l.known = append(l.known, extent.Formulas(n)...)
	return l
}

// of returns the limit of a number.
func (l *limits) of(id int) limit {
	if id < len(l.known) {
		return limit{l.basic(affine{id, 1, 0, 1})}
	}
	return l.list[id-len(l.known)]
}

// basic writes a part by the entries that its entry is made of, as far as one number says it.
func (l *limits) basic(x affine) affine {
	for {
		if x.over > 1 { // the vector's program divides nothing below 0
			x.plus = max(x.plus, 0)
		}
		for d := int64(2); d <= x.over && x.times != 0; d++ {
			for x.times%d == 0 && x.over%d == 0 {
				x.times, x.over, x.plus = x.times/d, x.over/d, floorDiv(x.plus, d)
			}
		}
		if x.entry < l.dims {
			return x
		}
		f := l.known[x.entry]
		if len(f.Terms) != 1 || len(f.Terms[0].Entries) != 1 || f.Over != 1 && x.times != 1 {
			return x
		}
		t := f.Terms[0]
		if f.Over == 1 {
			x = affine{t.Entries[0], x.times * t.Times, x.times*f.Plus + x.plus, x.over}
		} else {
			x = affine{t.Entries[0], t.Times, f.Plus + x.plus*f.Over, x.over * f.Over}
		}
	}
}

func floorDiv(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}

// number returns the number of a limit, or -1 if it has too many parts.
func (l *limits) number(x limit) int {
	var list limit
	for _, y := range x {
		y = l.basic(y)
		if slices.ContainsFunc(list, func(z affine) bool { return l.below(y, z) }) {
			continue
		}
		list = append(slices.DeleteFunc(list, func(z affine) bool { return l.below(z, y) }), y)
	}
	slices.SortFunc(list, func(a, b affine) int {
		return cmp.Or(cmp.Compare(a.entry, b.entry), cmp.Compare(a.times, b.times), cmp.Compare(a.plus, b.plus),
			cmp.Compare(a.over, b.over))
	})
	if len(list) > mostParts {
		return -1
	}
	for id := range l.known {
		if slices.Equal(l.of(id), list) {
			return id
		}
	}
	for i, y := range l.list {
		if slices.Equal(y, list) {
			return len(l.known) + i
		}
	}
	l.list = append(l.list, list)
	return len(l.known) + len(l.list) - 1
}

// mostTried bounds the extents for which two are compared.
const mostTried = 1 << 12

// below reports whether x is at most y for all extents.
func (l *limits) below(x, y affine) bool {
	switch {
	case x.entry != y.entry:
		return false
	case x.times == y.times && x.over == y.over:
		return x.plus <= y.plus
	case x.entry >= l.dims:
		return false
	}
	from, to := l.node.Ints("least")[x.entry], l.node.Ints("most")[x.entry]
	if to-from > mostTried {
		return false
	}
	for e := from; e <= to; e++ {
		if floorDiv(x.times*e+x.plus, x.over) > floorDiv(y.times*e+y.plus, y.over) {
			return false
		}
	}
	return true
}

// either returns what is needed of a digit that two readers need below x and below y: -1 stands for all.
func (l *limits) either(x, y int) int {
	switch {
	case x == y:
		return x
	case x < 0 || y < 0:
		return -1
	}
	return l.number(slices.Concat(l.of(x), l.of(y)))
}

// scaled returns the limit of times*v + plus for v below a limit; times is positive.
func (l *limits) scaled(id int, times, plus int64) limit {
	var list limit
	for _, x := range l.of(id) { // times*(x-1) + plus + 1
		list = append(list, affine{x.entry, times * x.times, times*x.plus + (plus+1-times)*x.over, x.over})
	}
	return list
}

// quotient returns the limit of v/by for v below a limit.
func (x limit) quotient(by int64) limit {
	var list limit
	for _, y := range x {
		list = append(list, affine{y.entry, y.times, y.plus + y.over*(by-1), y.over * by})
	}
	return list
}

// add gives the limits of digits entries in the vector of extents.
func (l *limits) add(needs map[*graph.Value][]extent.Digit) {
	var more []extent.Formula
	add := func(f extent.Formula) int {
		for i, g := range slices.Concat(l.known[l.dims:], more) {
			if f.Equal(g) {
				return l.dims + i
			}
		}
		more = append(more, f)
		return len(l.known) + len(more) - 1
	}
	at := make([]int, len(l.list))
	used := make([]bool, len(l.list))
	for _, digits := range needs {
		for _, d := range digits {
			if d.Entry >= len(l.known) {
				used[d.Entry-len(l.known)] = true
			}
		}
	}
	for i, x := range l.list {
		if !used[i] {
			continue
		}
		var terms []extent.Term
		for _, y := range x {
			e := y.entry
			if y.times != 1 || y.plus != 0 || y.over != 1 {
				e = add(extent.Formula{Plus: y.plus, Over: y.over, Terms: []extent.Term{{Times: y.times, Entries: []int{y.entry}}}})
			}
			terms = append(terms, extent.Term{Times: 1, Entries: []int{e}})
		}
		if at[i] = terms[0].Entries[0]; len(terms) > 1 {
			at[i] = add(extent.Formula{Terms: terms})
		}
	}
	for _, digits := range needs {
		for i, d := range digits {
			if d.Entry >= len(l.known) {
				digits[i].Entry = at[d.Entry-len(l.known)]
			}
		}
	}
	extent.Append(l.node, more)
}
