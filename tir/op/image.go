package op

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// imageStage begins an op over images. Extents are in the order of channels
// last, as are the style's names; both are put in the order of the layout.
func (g *graph) imageStage(key string, l layout, extents, reduce []int64) *stage {
	s := g.stage(key, extents, reduce)
	s.axes = reorder(l, s.axes)
	if n := len(s.reduce); l == channelsFirst && n > len(extents)-2 {
		s.reduce = append(slices.Clone(s.reduce[n-1:]), s.reduce[:n-1]...)
	}
	return s
}

// canonical puts the dimensions of an image back into the order of channels
// last: batch, spatial, channel.
func canonical[T any](l layout, list []T) []T {
	if l == channelsLast {
		return list
	}
	return append(append([]T{list[0]}, list[2:]...), list[1])
}

// canonicalReduce does so for reduce axes: spatial, channel.
func canonicalReduce[T any](l layout, list []T) []T {
	if l == channelsLast {
		return list
	}
	return append(slices.Clone(list[1:]), list[0])
}

// slideIndex returns the padded position of each spatial dimension.
func slideIndex(ws []window, at, r []tir.Expr) []tir.Expr {
	list := make([]tir.Expr, len(ws))
	for i, w := range ws {
		list[i] = w.at(at[i], r[i])
	}
	return list
}

func floordiv(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorDiv, x, tir.Int(n)) }
func floormod(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorMod, x, tir.Int(n)) }

// A window slides along one dimension.
type window struct {
	size, stride, dilation, pad int64
}

// outputs returns how many positions the window has along n elements.
func (w window) outputs(n int64) int64 {
	span := n + 2*w.pad - (w.size-1)*w.dilation - 1
	if span < 0 {
		return 0
	}
	return span/w.stride + 1
}

// at returns the padded position that output position o reads at offset r.
func (w window) at(o, r tir.Expr) tir.Expr {
	return add(times(o, w.stride), times(r, w.dilation))
}

// slide returns the number of outputs per dimension. It refuses windows that are
// larger than the padded input.
func (g *graph) slide(in []int64, ws []window) []int64 {
	out := make([]int64, len(in))
	for i, w := range ws {
		out[i] = w.outputs(in[i])
		if out[i] < 1 {
			g.refuse("a window of %d with dilation %d does not fit into %d elements with padding %d: the output would be empty",
				w.size, w.dilation, in[i], w.pad)
			out[i] = 1
		}
	}
	return out
}

// A margin is what is added around one dimension.
type margin struct{ before, after int64 }

// pad surrounds x with value:
//
//	pad(i0, i1) = tir.if_then_else(((i1 >= 1) && (i1 < 9)), x[i0, (i1 - 1)], 0f)
//
// Without any margin it is x itself, unless the style wants a stage.
func (g *graph) pad(key string, x compute.Tensor, margins []margin, value float64) compute.Tensor {
	if !slices.ContainsFunc(margins, func(m margin) bool { return m != margin{} }) && !g.style.padAlways {
		return x
	}
	shape := slices.Clone(x.Shape)
	for d, m := range margins {
		shape[d] += m.before + m.after
	}
	s := g.stage(key, shape, nil)
	var inside []tir.Expr
	index := s.index()
	for d, m := range margins {
		var conds []tir.Expr
		if m.before > 0 {
			conds = append(conds, tir.Bin(tir.GE, s.at(d), tir.Int(m.before)))
			index[d] = sub(s.at(d), tir.Int(m.before))
		}
		if m.after > 0 {
			conds = append(conds, tir.Bin(tir.LT, s.at(d), tir.Int(m.before+x.Shape[d])))
		}
		if len(conds) > 1 && !g.style.padFlat && key != "pool_pad" {
			conds = []tir.Expr{tir.AllOf(conds...)}
		}
		inside = append(inside, conds...)
	}
	if len(inside) == 0 {
		return g.pointwise(s, x.At(index...))
	}
	return g.pointwise(s, tir.IfThenElse(tir.AllOf(inside...), x.At(index...), constant(x.Type, value)))
}

// A layout says where the channels of images stand: after the spatial
// dimensions (NHWC) or before them (NCHW).
type layout uint8

const (
	channelsLast layout = iota
	channelsFirst
)

// image orders the dimensions of an image: batch, spatial, channel. It returns
// a new list.
func image[T any](l layout, batch T, spatial []T, channel T) []T {
	list := []T{batch}
	if l == channelsFirst {
		list = append(list, channel)
	}
	list = append(list, spatial...)
	if l == channelsLast {
		list = append(list, channel)
	}
	return list
}

// channel is the position of the channels in an image of the given number of
// spatial dimensions.
func (l layout) channel(spatial int) int {
	if l == channelsFirst {
		return 1
	}
	return spatial + 1
}

// reorder takes a list that has the channels last, such as axes by the style,
// to the order of the layout.
func reorder[T any](l layout, list []T) []T {
	n := len(list) - 1
	return image(l, list[0], list[1:n], list[n])
}
