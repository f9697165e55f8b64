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
	places := make([]int, 0, graph.Elems(inner))
	array.Walk(outer, func(i int, base []int64) {
		places = places[:0]
		first := int(base[0])
		array.Walk(inner, func(_ int, at []int64) { places = append(places, first+int(at[0])) }, steps)
		f(i, places)
	}, steps)
}
