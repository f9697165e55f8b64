package trajectory

import (
	"cmp"
	"slices"
)

const (
	// MaxRelevance is the relevance of the fastest trajectories of a task. Rankers
	// that gain 2^relevance - 1 take no more.
	MaxRelevance = 31

	// tieBand is how much slower than the first of a level another one may be: less
	// than that is noise.
	tieBand = 0.02
)

// A label says how good a cost is among those of its task.
type label struct {
	y         float64 // best / cost
	level     int
	relevance int
}

// labelsOf labels costs in seconds, 0 for those that were not timed, whose labels
// mean nothing. Levels is the number of tie bands, best the smallest cost.
func labelsOf(costs []float64) (list []label, levels int, best float64) {
	list = make([]label, len(costs))
	var order []int
	for i, c := range costs {
		if c > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(costs[a], costs[b]) })
	first := 0.0 // cost of the level
	for _, i := range order {
		if levels == 0 || costs[i] > first*(1+tieBand) {
			first = costs[i]
			levels++
		}
		list[i].level = levels - 1
	}
	for _, i := range order {
		best = costs[order[0]]
		list[i].y = best / costs[i]
		list[i].relevance = MaxRelevance * (levels - list[i].level) / levels
	}
	return list, levels, best
}
