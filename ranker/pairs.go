package ranker

import (
	"math"

	"github.com/wmtune/wmtune/ranker/metric"
)

// PairLoss is the logistic loss of pairs of one task whose qualities differ by more
// than metric.MinBand, the mean over pairs (Burges et al., "Learning to rank using
// gradient descent", 2005). It writes its derivative by each score s. Candidates of
// no task (-1) are not there.
func PairLoss(s []float32, quality []float64, task []int, derivative []float32) float64 {
	clear(derivative)
	sum, pairs := 0.0, 0
	for i := range s {
		for j := range s {
			if task[i] < 0 || task[i] != task[j] || quality[i]-quality[j] <= metric.MinBand {
				continue
			}
			l, d := Logistic(float64(s[i] - s[j]))
			sum, pairs = sum+l, pairs+1
			derivative[i] += float32(d)
			derivative[j] -= float32(d)
		}
	}
	if pairs == 0 {
		return 0
	}
	for i := range derivative {
		derivative[i] /= float32(pairs)
	}
	return sum / float64(pairs)
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
