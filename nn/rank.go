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

// PairLoss returns the sum of the logistic loss of pairs of one task whose qualities differ by more than a gap (Burges
// et al., "Learning to rank using gradient descent", 2005), and how many pairs there are. It adds the derivative of the
// sum by each score s. Candidates of no task, which is negative, are not there.
func PairLoss(s []float32, quality []float64, task []int, gap float64, derivative []float32) (sum float64, pairs int) {
	for i := range s {
		for j := range s {
			if task[i] < 0 || task[i] != task[j] || quality[i]-quality[j] <= gap {
				continue
			}
			l, d := Logistic(float64(s[i] - s[j]))
			sum, pairs = sum+l, pairs+1
			derivative[i] += float32(d)
			derivative[j] -= float32(d)
		}
	}
	return sum, pairs
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
