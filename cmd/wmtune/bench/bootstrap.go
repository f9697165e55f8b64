package bench

import (
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is how often a bootstrap draws.
const resamples = 10000

// bootstrap returns the 95 % interval of the mean over tasks of the mean over seeds,
// by a percentile bootstrap of both levels: tasks are drawn with replacement, and of
// each its seeds (Efron and Tibshirani, An Introduction to the Bootstrap, ch. 13).
// The same values give the same interval. Without values it is 0, 0.
func bootstrap(tasks [][]float64) (low, high float64) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t []float64) bool { return len(t) == 0 })
	if len(tasks) == 0 {
		return 0, 0
	}
	rng := rand.New(rand.NewPCG(2606, 9312))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range tasks {
			task := tasks[rng.IntN(len(tasks))]
			inner := 0.0
			for range task {
				inner += task[rng.IntN(len(task))]
			}
			sum += inner / float64(len(task))
		}
		means[i] = sum / float64(len(tasks))
	}
	slices.Sort(means)
	return quantile(means, 0.025), quantile(means, 0.975)
}

// quantile returns a quantile of sorted values, between two of them where it lies
// there.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(math.Floor(at))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// median returns the median of values; 0 without any.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return quantile(slices.Sorted(slices.Values(values)), 0.5)
}

// mean returns the mean of values; 0 without any.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
