package bench

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/graph/rivals"
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
	Count    int        `json:"count,omitempty"` // how often the plan's model runs it
	Ratio    float64    `json:"ratio"`           // baseline's time / the side's, geometric mean over seeds; 0: none
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
	Model   float64 `json:"model,omitempty"` // of sums of times, each as often as the plan's model runs it; 0: no plan
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
	var base, ours float64 // of the plan's model
	for _, name := range Workloads(list) {
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
			b, o := c.times()
			base, ours = base+float64(c.Count)*b, ours+float64(c.Count)*o
		}
	}
	if len(ratios) == 0 {
		return v
	}
	low, high := bootstrap(logs)
	v.Geomean, v.Low, v.High = rivals.Geomean(ratios), math.Exp(low), math.Exp(high)
	v.Median, v.Trimmed = measure.Median(ratios), rivals.Geomean(withoutLargest(ratios, 2))
	v.IncreaseMedian, v.IncreaseMean = measure.Median(increases), mean(increases)
	if ours > 0 {
		v.Model = base / ours
	}
	return v
}

// times returns the times of both sides, geometric means over the seeds of which both have one.
func (c *Cell) times() (base, ours float64) {
	var bases, list []float64
	for _, p := range c.Seeds {
		if p.Ratio > 0 {
			bases, list = append(bases, p.Base), append(list, p.Ours)
		}
	}
	return rivals.Geomean(bases), rivals.Geomean(list)
}

// cell compares the searches of one workload, and returns the logarithms of the
// ratios of its pairs.
func (v *Versus) cell(list []Found, workload string) (Cell, []float64) {
	c := Cell{Workload: workload, Outcome: Tie}
	var logs []float64
	ours := v.Side.of(list, workload)
	failed, lacking := 0, 0
	for _, b := range v.Baseline.of(list, workload) {
		i := slices.IndexFunc(ours, func(f Found) bool { return f.Seed == b.Seed })
		if i < 0 {
			continue
		}
		o := ours[i]
		c.Count = o.Count
		p := SeedCell{Seed: b.Seed, Base: b.Seconds, Ours: o.Seconds}
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

// withoutLargest returns the values without the n largest; none if there are no more
// than n.
func withoutLargest(values []float64, n int) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[:max(0, len(sorted)-n)]
}

// A Found is what one search of one workload found.
type Found struct {
	Workload string    `json:"workload"`
	Scorer   string    `json:"scorer"`
	Seed     uint64    `json:"seed"`
	Budget   int       `json:"budget"`          // trials; 0: the scorer's first choice, measured once it was made
	Count    int       `json:"count,omitempty"` // how often the plan's model runs the workload
	Seconds  float64   `json:"seconds"`         // of its kernel, timed in turns with the others of its group; 0: none
	Best     float64   `json:"best_s"`          // of the fastest kernel of any search, in the same turns; 0: not known
	Curve    []float64 `json:"curve"`           // seconds: the best so far after each trial of the search; 0: none
	Wall     float64   `json:"wall_s"`          // of the whole search, without the reference
	Thinking float64   `json:"search_s"`
	Scored   int       `json:"scored"` // states that the scorer was asked for
	Failure  string    `json:"failure,omitempty"`
}

// A Side is one side of a comparison: a scorer with a budget.
type Side struct {
	Scorer string `json:"scorer"`
	Budget int    `json:"trials"`
}

// String names a side, such as "gbt after 16".
func (s Side) String() string {
	if s.Budget == 0 {
		return s.Scorer + "'s first choice"
	}
	return fmt.Sprintf("%s after %d", s.Scorer, s.Budget)
}

// of returns what a side found for a workload, one for each seed.
func (s Side) of(list []Found, workload string) []Found {
	var found []Found
	for _, f := range list {
		if f.Workload == workload && f.Scorer == s.Scorer && f.Budget == s.Budget {
			found = append(found, f)
		}
	}
	return found
}

// Median returns the median over seeds of the kernels that a side found for a workload,
// in seconds; 0 without any.
func (s Side) Median(list []Found, workload string) float64 {
	var times []float64
	for _, f := range s.of(list, workload) {
		if f.Seconds > 0 {
			times = append(times, f.Seconds)
		}
	}
	return measure.Median(times)
}

// Curve returns the best so far of a side after each trial, in seconds: the geometric mean
// over seeds; 0 where one of them has found none. A search that ended early, as nothing was
// left to try, stays as it is.
func (s Side) Curve(list []Found, workload string) []float64 {
	found := s.of(list, workload)
	var curve []float64
	for n, open := 0, true; open; n++ {
		open = false
		var times []float64
		for _, f := range found {
			open = open || n < len(f.Curve)
			if at := min(n, len(f.Curve)-1); at >= 0 && f.Curve[at] > 0 {
				times = append(times, f.Curve[at])
			}
		}
		switch {
		case open && len(times) == len(found):
			curve = append(curve, rivals.Geomean(times))
		case open:
			curve = append(curve, 0)
		}
	}
	return curve
}

// QualityAfter returns the best time that any search of a workload measured / the best so
// far of the side's after n trials, geometric mean over searches; NaN as long as one of
// them has found nothing.
func (s Side) QualityAfter(list []Found, n int) float64 {
	var ratios []float64
	for _, name := range Workloads(list) {
		best := math.Inf(1)
		for _, f := range list {
			if n := len(f.Curve); f.Workload == name && n > 0 && f.Curve[n-1] > 0 {
				best = min(best, f.Curve[n-1])
			}
		}
		for _, f := range s.of(list, name) {
			if len(f.Curve) == 0 {
				continue
			}
			t := f.Curve[min(n, len(f.Curve))-1]
			if t == 0 {
				return math.NaN()
			}
			ratios = append(ratios, best/t)
		}
	}
	if len(ratios) == 0 {
		return math.NaN()
	}
	return rivals.Geomean(ratios)
}

// Workloads returns the workloads of a list, in the order in which they come.
func Workloads(list []Found) []string {
	var names []string
	for _, f := range list {
		if !slices.Contains(names, f.Workload) {
			names = append(names, f.Workload)
		}
	}
	return names
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
	var ratios, wall, thinking, scored []float64
	for _, name := range Workloads(list) {
		for _, f := range s.of(list, name) {
			wall, thinking, scored = append(wall, f.Wall), append(thinking, f.Thinking), append(scored, float64(f.Scored))
			if f.Seconds == 0 {
				q.Failed++
				continue
			}
			q.Searches++
			if f.Best > 0 {
				ratios = append(ratios, f.Best/f.Seconds)
			}
		}
	}
	q.OfBest, q.Wall, q.Thinking, q.Scored = rivals.Geomean(ratios), mean(wall), mean(thinking), mean(scored)
	return q
}

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
// there: the median of 1 and 2 is 1.5. That of gonum/stat would be 1, as it has no
// interpolation of type 7 (Hyndman and Fan, Sample Quantiles in Statistical Packages).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(math.Floor(at))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// mean returns the mean of values; 0 without any.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stat.Mean(values, nil)
}

// BestSoFar returns the smallest cost of the first n records, for each n from 1 on;
// 0 as long as none was timed.
func BestSoFar(records []dataset.Record) []float64 {
	curve := make([]float64, len(records))
	best := 0.0
	for i := range records {
		if c := records[i].Cost(); records[i].Timed() && (best == 0 || c < best) {
			best = c
		}
		curve[i] = best
	}
	return curve
}
