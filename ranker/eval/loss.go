package eval

import (
	"math"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/metric"
)

// A loss returns what is to be minimised for the scores s of candidates of some
// quality, each of a task, and writes its derivative by each score. Those of no task
// (-1) are not there.
type loss func(s []float32, quality []float64, task []int, derivative []float32) float64

// lambdaRank is the loss of TenSet's models: a batch of whatever tasks is one
// list; a pair in the wrong order weighs as much as NDCG would change if it were
// swapped.
func lambdaRank(s []float32, quality []float64, task []int, derivative []float32) float64 {
	clear(derivative)
	var list []int
	for i, t := range task {
		if t >= 0 {
			list = append(list, i)
		}
	}
	scores, y := make([]float64, len(list)), make([]float64, len(list))
	for k, i := range list {
		scores[k], y[k] = float64(s[i]), quality[i]
	}
	discount := make([]float64, len(list)) // 1/D by candidate
	for place, k := range metric.Order(scores) {
		discount[k] = 1 / math.Log2(float64(place+2))
	}
	ideal := 0.0
	for place, k := range metric.Order(y) {
		ideal += (math.Exp2(y[k]) - 1) / math.Log2(float64(place+2))
	}
	if ideal == 0 {
		return 0
	}
	sum := 0.0
	for a, i := range list {
		for b, j := range list {
			if y[a] <= y[b] {
				continue
			}
			weight := math.Abs(discount[a]-discount[b]) * (math.Exp2(y[a]) - math.Exp2(y[b])) / ideal
			l, d := ranker.Logistic(scores[a] - scores[b])
			sum += weight * l / math.Ln2
			derivative[i] += float32(weight * d / math.Ln2)
			derivative[j] -= float32(weight * d / math.Ln2)
		}
	}
	return sum
}
