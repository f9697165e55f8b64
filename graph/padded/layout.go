package padded

import (
	"slices"

	"github.com/wmtune/wmtune/graph/op/extent"
)

// A layout says of each axis of a value which extents it is the product of, outermost first. An extent that is fixed is
// part of the one before it.
type layout [][]*extentOf

// varies reports whether an axis has a true extent below its bound.
func varies(axis []*extentOf) bool {
	return slices.ContainsFunc(axis, func(x *extentOf) bool { return !x.fixed() })
}

func (l layout) varies() bool { return slices.ContainsFunc(l, varies) }

// joined returns an axis whose fixed extents are part of the one before them.
func (s *space) joined(axis []*extentOf) []*extentOf {
	var list []*extentOf
	for _, x := range axis {
		switch {
		case x.fixed() && x.at[0] == 1 && len(axis) > 1:
		case x.fixed() && len(list) > 0:
			list[len(list)-1] = s.times(list[len(list)-1], x)
		default:
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		list = append(list, s.number(1))
	}
	return list
}

// total returns the extent of an axis.
func (s *space) total(axis []*extentOf) *extentOf {
	if len(axis) == 1 {
		return axis[0]
	}
	return s.times(axis...)
}

// alike reports whether the true elements of two axes lie at the same places.
func alike(a, b []*extentOf) bool { return slices.Equal(a, b) }

// one reports whether an axis has one element everywhere.
func one(axis []*extentOf) bool { return len(axis) == 1 && axis[0].fixed() && axis[0].at[0] == 1 }

// digits returns the places of a value for a node, and of each digit its extent.
func (s *space) digits(l layout) (list []extent.Digit, of []*extentOf) {
	for a, axis := range l {
		for _, x := range axis {
			d := extent.Digit{Axis: a, Upper: x.upper(), Entry: -1}
			if !x.fixed() {
				d.Entry = s.entry(x)
			}
			list, of = append(list, d), append(of, x)
		}
	}
	return list, of
}

// fixedLayout is that of a shape.
func (s *space) fixedLayout(shape []int64) layout {
	l := make(layout, len(shape))
	for i, n := range shape {
		l[i] = []*extentOf{s.number(n)}
	}
	return l
}

// A claim says that elements beyond the true extents of some axes, and within those of all others, are a known number.
type claim struct {
	value float64
	axes  []bool // nil: nothing is known
}

func (c claim) covers(axis int) bool { return c.axes != nil && c.axes[axis] }

// moved returns the claim of a value whose axis i is the axis from[i] of the one that c is of, or a new one: -1.
func (c claim) moved(from []int) claim {
	if c.axes == nil {
		return c
	}
	m := claim{c.value, make([]bool, len(from))}
	for i, f := range from {
		m.axes[i] = f >= 0 && c.axes[f]
	}
	return m
}
