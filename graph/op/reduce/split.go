package reduce

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// each calls f with the offsets, in row-major order, of the elements that become one, for each element of the result,
// in order.
func each(s tirop.Split, f func(i int, places []int)) {
	outer, inner := slices.Clone(s.Shape), array.Ones(len(s.Shape))
	for _, d := range s.Axes {
		outer[d], inner[d] = 1, s.Shape[d]
	}
	steps := array.Strides(s.Shape)
	offsets := make([]int, 0, graph.Elems(inner))
	array.Walk(inner, func(_ int, at []int64) { offsets = append(offsets, int(at[0])) }, steps)
	places := make([]int, len(offsets))
	array.Walk(outer, func(i int, base []int64) {
		for k, at := range offsets {
			places[k] = int(base[0]) + at
		}
		f(i, places)
	}, steps)
}
