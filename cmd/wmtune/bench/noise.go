package bench

import (
	"fmt"
	"slices"
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

// Fastest returns the finalist that all choices together say is the fastest: that
// with the smallest median of its best times. It is the nearest to the truth that a
// noisy machine lets one come.
func (n *Noise) Fastest() int {
	best, at := 0.0, -1
	for f := range n.Finalists {
		var times []float64
		for _, c := range n.Best {
			times = append(times, c[f])
		}
		slices.Sort(times)
		if m := times[(len(times)-1)/2]; at < 0 || m < best {
			best, at = m, f
		}
	}
	return at
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
	median := make([]float64, n.Finalists)
	for f := range median {
		var times []float64
		for _, c := range n.Best {
			times = append(times, c[f])
		}
		slices.Sort(times)
		median[f] = times[(len(times)-1)/2]
	}
	var loss []float64
	for _, c := range n.Choices {
		loss = append(loss, median[c.Winner]/slices.Min(median)-1)
	}
	slices.Sort(loss)
	return loss[(len(loss)-1)/2]
}

// NoiseTable shows studies and their mean. Claimed is the rate at which result.json
// says that ties hold the fastest.
func NoiseTable(list []Noise, claimed float64) Table {
	t := Table{Head: []string{"workload", "finalists", "choices", "same winner", "ties hold the fastest", "mean tie", "winner slower by"}}
	var covered, total float64
	for i := range list {
		n := &list[i]
		t.Rows = append(t.Rows, []string{
			n.Workload, fmt.Sprint(n.Finalists), fmt.Sprint(len(n.Choices)), share(n.Agreement()), share(n.Covered()),
			fmt.Sprintf("%.1f", n.Ties()), percent(n.Loss()),
		})
		covered += n.Covered() * float64(len(n.Choices))
		total += float64(len(n.Choices))
	}
	t.Notes = []string{
		"fastest: the finalist with the smallest median over all choices",
		fmt.Sprintf("ties hold the fastest in %s of %.0f choices; result.json claims %s", share(covered/total), total, share(claimed)),
	}
	return t
}

func share(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }
