package nn

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Spearman returns the correlation of the ranks of two lists, where equal values share the mean of
// the ranks that they take up. It is 0 if all values of a list are equal.
func Spearman(x, y []float64) float64 {
	a, b := ranks(x), ranks(y)
	if len(a) == 0 || slices.Min(a) == slices.Max(a) || slices.Min(b) == slices.Max(b) {
		return 0
	}
	return stat.Correlation(a, b, nil)
}

// ranks returns the rank of each value, from the smallest. NaN comes before all numbers, and none
// is equal to another.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		end := i + 1
		for end < len(order) && x[order[end]] == x[order[i]] {
			end++
		}
		for _, k := range order[i:end] {
			out[k] = float64(i+end-1) / 2
		}
		i = end
	}
	return out
}

// Logistic returns log(1 + e^-x) and its derivative.
func Logistic(x float64) (value, derivative float64) {
	if x > 0 {
		e := math.Exp(-x)
		return math.Log1p(e), -e / (1 + e)
	}
	e := math.Exp(x)
	return math.Log1p(e) - x, -1 / (1 + e)
}
