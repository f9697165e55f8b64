package bench

import (
	"cmp"
	"math"
	"slices"
)

// TieBand is how much faster a kernel must be to be called faster.
const TieBand = 0.02

// An Outcome is who was faster, as far as the tie band lets one say.
type Outcome string

// The outcomes, for the side that is compared with the baseline.
const (
	Win  Outcome = "win"
	Tie  Outcome = "tie"
	Loss Outcome = "loss"
)

// A Cell is one workload of a comparison.
type Cell struct {
	Workload string     `json:"workload"`
	Ratio    float64    `json:"ratio"` // baseline's time / the side's, geometric mean over seeds; 0: none
	Outcome  Outcome    `json:"outcome"`
	Seeds    []SeedCell `json:"seeds"`
}

// A SeedCell is one pair of searches, from the same seed.
type SeedCell struct {
	Seed  uint64  `json:"seed"`
	Base  float64 `json:"baseline_s"` // 0: no kernel was found
	Ours  float64 `json:"seconds"`
	Ratio float64 `json:"ratio"` // 0: one of them found none
}

// A Versus compares a side with a baseline over all workloads. Ratios are baseline /
// side: above 1 the side's kernels are faster (A/O of the paper, section 4.1).
type Versus struct {
	Side
	Baseline Side   `json:"baseline"`
	Cells    []Cell `json:"cells"` // all, the lost ones, too

	Geomean float64 `json:"geomean"`
	Low     float64 `json:"low"` // of its 95 % interval
	High    float64 `json:"high"`
	Median  float64 `json:"median"`
	Trimmed float64 `json:"geomean_without_two_largest"`
	Wins    int     `json:"wins"`
	Ties    int     `json:"ties"`
	Losses  int     `json:"losses"`
	Failed  int     `json:"failed"`          // searches of the side that found no kernel where the baseline's did
	Lacking int     `json:"baseline_failed"` // the other way round

	// How much longer the side's kernels take: side / baseline - 1 (the paper's
	// equation 14, if the baseline is the full model).
	IncreaseMedian float64 `json:"increase_median"`
	IncreaseMean   float64 `json:"increase_mean"`
}

// Compare compares a side with a baseline. The ratio is formed per seed; a pair of
// which one found nothing has none, and counts as won or lost in its cell if no pair
// there has one.
func Compare(list []Found, side, baseline Side) Versus {
	v := Versus{Side: side, Baseline: baseline}
	var logs [][]float64
	var ratios, increases []float64
	for _, name := range workloadsOf(list) {
		c, pairs := v.cell(list, name)
		if len(c.Seeds) == 0 {
			continue
		}
		v.Cells = append(v.Cells, c)
		switch c.Outcome {
		case Win:
			v.Wins++
		case Loss:
			v.Losses++
		default:
			v.Ties++
		}
		if c.Ratio > 0 {
			logs, ratios, increases = append(logs, pairs), append(ratios, c.Ratio), append(increases, 1/c.Ratio-1)
		}
	}
	if len(ratios) == 0 {
		return v
	}
	low, high := bootstrap(logs)
	v.Geomean, v.Low, v.High = geomean(ratios), math.Exp(low), math.Exp(high)
	v.Median, v.Trimmed = median(ratios), geomean(withoutLargest(ratios, 2))
	v.IncreaseMedian, v.IncreaseMean = median(increases), mean(increases)
	return v
}

// cell compares the searches of one workload, and returns the logarithms of the
// ratios of its pairs.
func (v *Versus) cell(list []Found, workload string) (Cell, []float64) {
	c := Cell{Workload: workload, Outcome: Tie}
	var logs []float64
	base, ours := v.Baseline.of(list, workload), v.Side.of(list, workload)
	failed, lacking := 0, 0
	for seed, b := range base {
		o, ok := ours[seed]
		if !ok {
			continue
		}
		p := SeedCell{Seed: seed, Base: b.Seconds, Ours: o.Seconds}
		switch {
		case b.Seconds > 0 && o.Seconds > 0:
			p.Ratio = b.Seconds / o.Seconds
		case b.Seconds > 0:
			failed++
		case o.Seconds > 0:
			lacking++
		}
		c.Seeds = append(c.Seeds, p)
	}
	slices.SortFunc(c.Seeds, func(a, b SeedCell) int { return cmp.Compare(a.Seed, b.Seed) })
	for _, p := range c.Seeds {
		if p.Ratio > 0 {
			logs = append(logs, math.Log(p.Ratio))
		}
	}
	v.Failed, v.Lacking = v.Failed+failed, v.Lacking+lacking
	switch {
	case len(logs) > 0:
		c.Ratio = math.Exp(mean(logs))
		c.Outcome = outcomeOf(c.Ratio)
	case failed > lacking:
		c.Outcome = Loss
	case lacking > failed:
		c.Outcome = Win
	}
	return c, logs
}

func outcomeOf(ratio float64) Outcome {
	switch {
	case ratio > 1+TieBand:
		return Win
	case ratio < 1/(1+TieBand):
		return Loss
	}
	return Tie
}

// geomean returns the geometric mean; 0 without values.
func geomean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// withoutLargest returns the values without the n largest; none if there are no more
// than n.
func withoutLargest(values []float64, n int) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[:max(0, len(sorted)-n)]
}
