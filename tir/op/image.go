package op

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
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
