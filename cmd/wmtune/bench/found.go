package bench

import (
	"math"
	"slices"
)

// A Found is what one search of one workload found.
type Found struct {
	Workload string    `json:"workload"`
	Scorer   string    `json:"scorer"`
	Seed     uint64    `json:"seed"`
	Budget   int       `json:"budget"`  // trials; 0: the scorer's first choice, measured once it was made
	Seconds  float64   `json:"seconds"` // of its kernel, timed in turns with those of all searches of the same workload and seed; 0: none
	Curve    []float64 `json:"curve"`   // seconds: the best so far after each trial, as the search measured it; 0: none yet
	Wall     float64   `json:"wall_s"`  // of the whole search, without the reference
	Thinking float64   `json:"search_s"`
	Scored   int       `json:"scored"` // states that the scorer was asked for
	Failure  string    `json:"failure,omitempty"`
}

// A Side is one side of a comparison: a scorer with a budget.
type Side struct {
	Scorer string `json:"scorer"`
	Budget int    `json:"trials"`
}

// of returns what a side found for a workload, by seed.
func (s Side) of(list []Found, workload string) map[uint64]Found {
	found := map[uint64]Found{}
	for _, f := range list {
		if f.Workload == workload && f.Scorer == s.Scorer && f.Budget == s.Budget {
			found[f.Seed] = f
		}
	}
	return found
}

// workloadsOf returns the workloads of a list, in the order in which they come.
func workloadsOf(list []Found) []string {
	var names []string
	for _, f := range list {
		if !slices.Contains(names, f.Workload) {
			names = append(names, f.Workload)
		}
	}
	return names
}

// bestKnown is the fastest kernel of a workload that any search found; 0 without one.
func bestKnown(list []Found, workload string) float64 {
	best := 0.0
	for _, f := range list {
		if f.Workload == workload && f.Seconds > 0 && (best == 0 || f.Seconds < best) {
			best = f.Seconds
		}
	}
	return best
}

// A Quality says how near a side comes to the best kernels known: 1 is as good.
type Quality struct {
	Side
	OfBest   float64 `json:"of_best"`  // best known / found, geometric mean over workloads and seeds
	Searches int     `json:"searches"` // that found a kernel
	Failed   int     `json:"failed"`   // that found none: they are not in OfBest
	Wall     float64 `json:"wall_s"`   // of a search: mean
	Thinking float64 `json:"search_s"` // of them without building and measuring
	Scored   float64 `json:"scored"`   // states of a search: mean
}

// QualityOf judges one side by what is known of each workload.
func QualityOf(list []Found, s Side) Quality {
	q := Quality{Side: s}
	sum, n := 0.0, 0
	for _, name := range workloadsOf(list) {
		best := bestKnown(list, name)
		for _, f := range list {
			if f.Workload != name || f.Scorer != s.Scorer || f.Budget != s.Budget {
				continue
			}
			n++
			q.Wall, q.Thinking, q.Scored = q.Wall+f.Wall, q.Thinking+f.Thinking, q.Scored+float64(f.Scored)
			if f.Seconds == 0 {
				q.Failed++
				continue
			}
			q.Searches++
			sum += math.Log(best / f.Seconds)
		}
	}
	if q.Searches > 0 {
		q.OfBest = math.Exp(sum / float64(q.Searches))
	}
	if n > 0 {
		q.Wall, q.Thinking, q.Scored = q.Wall/float64(n), q.Thinking/float64(n), q.Scored/float64(n)
	}
	return q
}
