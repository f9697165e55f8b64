package metric

import (
	"cmp"
	"slices"
)

// Order returns the candidates by falling score. Equal ones keep their order.
func Order(s []float64) []int {
	list := make([]int, len(s))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s[b], s[a]) })
	return list
}
