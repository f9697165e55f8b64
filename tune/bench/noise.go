package bench

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Noise is what became of the final choice of one search when it was made
// again and again.
type Noise struct {
	Workload  string      `json:"workload"`
	Key       string      `json:"key"`       // of what was measured
	Finalists int         `json:"finalists"` // candidates in each choice
	Choices   []Choice    `json:"choices"`
	Best      [][]float64 `json:"best"` // seconds: of each choice, of each finalist
	Unix      int64       `json:"unix"`
	Load      float64     `json:"load"`
}

// A Choice is the outcome of one final measurement: indices of finalists.
type Choice struct {
	Winner int   `json:"winner"`
	Tied   []int `json:"tied"` // with the winner, itself included
}

// medians returns the median best time of each finalist over all choices.
func (n *Noise) medians() []float64 {
	list := make([]float64, n.Finalists)
	for f := range list {
		var times []float64
		for _, c := range n.Best {
			times = append(times, c[f])
		}
		list[f] = lowerMedian(times)
	}
	return list
}

// lowerMedian returns the median of values, of two middle ones the smaller.
func lowerMedian(values []float64) float64 {
	return stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
}

// Fastest returns the finalist that all choices together say is the fastest: that
// with the smallest median of its best times. It is the nearest to the truth that a
// noisy machine lets one come.
func (n *Noise) Fastest() int {
	list := n.medians()
	return slices.Index(list, slices.Min(list))
}

// Agreement returns the share of choices that have the most frequent winner.
func (n *Noise) Agreement() float64 {
	count := make([]int, n.Finalists)
	for _, c := range n.Choices {
		count[c.Winner]++
	}
	return float64(slices.Max(count)) / float64(len(n.Choices))
}

// Covered returns the share of choices whose ties hold the fastest finalist.
func (n *Noise) Covered() float64 {
	fastest, covered := n.Fastest(), 0
	for _, c := range n.Choices {
		if slices.Contains(c.Tied, fastest) {
			covered++
		}
	}
	return float64(covered) / float64(len(n.Choices))
}

// Ties returns the mean number of finalists in a tie.
func (n *Noise) Ties() float64 {
	sum := 0
	for _, c := range n.Choices {
		sum += len(c.Tied)
	}
	return float64(sum) / float64(len(n.Choices))
}

// Loss returns how much longer the winner of a choice takes than the fastest
// finalist, by the medians of all choices: the median choice's.
func (n *Noise) Loss() float64 {
	list := n.medians()
	var loss []float64
	for _, c := range n.Choices {
		loss = append(loss, list[c.Winner]/slices.Min(list)-1)
	}
	return lowerMedian(loss)
}
