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

// ranks returns the rank of each value, from 1; equal values share the mean of
// the ranks that they take up.
func ranks(v []float64) []float64 {
	list := Order(v)
	out := make([]float64, len(v))
	for i := 0; i < len(list); {
		end := i + 1
		for end < len(list) && v[list[end]] == v[list[i]] {
			end++
		}
		for _, k := range list[i:end] {
			out[k] = float64(i+1+end) / 2
		}
		i = end
	}
	return out
}
