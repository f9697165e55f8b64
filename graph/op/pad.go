package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// windowMargins are those of the dimensions of an image that windows slide over.
func windowMargins(o order, windows []window) []margin {
	list := make([]margin, len(windows))
	for i, w := range windows {
		list[i] = margin{w.before, w.after}
	}
	return image(o, margin{}, list, margin{})
}

// pad surrounds x with value:
//
//	pad(i0, i1) = tir.if_then_else(((i1 >= 1) && (i1 < 9)), x[i0, (i1 - 1)], 0f)
//
// Without any margin it is x itself. Names of axes are given, or nil.
func (b *Body) pad(x compute.Tensor, margins []margin, value float64, axisNames []string) compute.Tensor {
	if !slices.ContainsFunc(margins, func(m margin) bool { return m != margin{} }) {
		return x
	}
	shape := slices.Clone(x.Shape)
	for d, m := range margins {
		shape[d] += m.before + m.after
	}
	axes := named(axisNames, "i", shape)
	at := compute.Vars(axes)
	index := slices.Clone(at)
	var inside []tir.Expr
	for d, m := range margins {
		var conds []tir.Expr
		if m.before > 0 {
			conds = append(conds, ge(at[d], tir.Int(m.before)))
		}
		index[d] = plus(at[d], -m.before)
		if m.after > 0 {
			conds = append(conds, lt(at[d], tir.Int(m.before+x.Shape[d])))
		}
		if len(conds) > 1 && axisNames == nil {
			conds = []tir.Expr{tir.AllOf(conds...)}
		}
		inside = append(inside, conds...)
	}
	v := x.At(index...)
	if len(inside) > 0 {
		v = tir.IfThenElse(tir.AllOf(inside...), v, tir.Const(x.Type, value))
	}
	return b.Stage("pad", x.Type, axes, v)
}

// named returns axes of the given extents and names; if the names are not as many, axes are numbered after prefix.
func named(names []string, prefix string, extents []int64) []*compute.Axis {
	list := make([]*compute.Axis, len(extents))
	for i, n := range extents {
		name := fmt.Sprint(prefix, i)
		if len(names) == len(extents) {
			name = names[i]
		}
		list[i] = compute.NewAxis(name, n)
	}
	return list
}

// imageAxes returns names of the axes of an image and of a window in it, as tir/op has them, in the order of the
// channels: nil if there are too many dimensions.
func imageAxes(o order, rank int, channel string) []string {
	letters := []string{"a", "i", "j"}
	switch rank {
	case 1, 2:
		letters = letters[1 : 1+rank]
	case 3:
	default:
		return nil
	}
	return image(o, "n", letters, channel)
}
