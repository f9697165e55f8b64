package bench

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// An Advantage compares a scorer with a baseline: the baseline's time over the scorer's, of
// searches of one workload from one seed, so above 1 the scorer is better.
type Advantage struct {
	Scorer   string `json:"scorer"`
	Baseline string `json:"baseline"`
	At       string `json:"at"` // "final", of kernels timed in turns, or a number of trials, as the searches measured it

	Mean      float64 `json:"mean"` // geometric, over workloads and seeds
	Low       float64 `json:"low"`  // of the interval of Confidence
	High      float64 `json:"high"`
	Median    float64 `json:"median"`              // of the workloads, each the geometric mean of its seeds
	Trimmed   float64 `json:"without_two_largest"` // the geometric mean without the two workloads of the largest ratios
	Wins      int     `json:"wins"`                // workloads
	Ties      int     `json:"ties"`
	Losses    int     `json:"losses"`
	Missing   int     `json:"missing"` // pairs in which one of the searches found nothing; they are in no mean
	Workloads []Cell  `json:"workloads"`
}

// A Cell is the ratio for one workload.
type Cell struct {
	Workload string    `json:"workload"`
	Mean     float64   `json:"mean"`  // geometric; 0 if no pair is whole
	Seeds    []float64 `json:"seeds"` // in the order of seeds
}

const (
	// TieBand is how far from 1 a ratio may be and count as a tie.
	TieBand = 0.02
	// Confidence is the share of resamples within the interval of a ratio.
	Confidence = 0.95
	// resamples is how many of them there are.
	resamples = 4000
	// resampleSeed draws them, the same for all tables.
	resampleSeed = 43
)

// Advantages compares scorers with a baseline: their final kernels, then the best so far at
// a few numbers of trials.
func Advantages(list []Contest, scorers []string, baseline string) []Advantage {
	var out []Advantage
	var points []int
	if len(list) > 0 {
		points = Milestones(list[0].Trials)
	}
	for _, s := range scorers {
		if s == baseline {
			continue
		}
		out = append(out, advantageOf(list, s, baseline, "final", func(e *Entry) float64 { return e.Seconds }))
		for _, n := range points {
			out = append(out, advantageOf(list, s, baseline, fmt.Sprint(n), func(e *Entry) float64 { return e.at(n) }))
		}
	}
	return out
}

// advantageOf compares one scorer by one time of its searches.
func advantageOf(list []Contest, scorer, baseline, at string, time func(*Entry) float64) Advantage {
	r := Advantage{Scorer: scorer, Baseline: baseline, At: at}
	var logs [][]float64 // by workload and seed
	for i := range list {
		c := Cell{Workload: list[i].Workload}
		var pairs []float64
		for _, mine := range list[i].of(scorer) {
			for _, theirs := range list[i].of(baseline) {
				if mine.Seed != theirs.Seed {
					continue
				}
				if a, b := time(&mine), time(&theirs); a > 0 && b > 0 {
					c.Seeds, pairs = append(c.Seeds, b/a), append(pairs, math.Log(b/a))
				} else {
					r.Missing++
				}
			}
		}
		if len(pairs) > 0 {
			logs = append(logs, pairs)
			c.Mean = math.Exp(average(pairs))
		}
		r.Workloads = append(r.Workloads, c)
	}
	r.summarise(logs)
	return r
}

// summarise fills in what the ratios of workloads and seeds, as logarithms, come to.
func (r *Advantage) summarise(logs [][]float64) {
	if len(logs) == 0 {
		return
	}
	var means []float64
	for _, pairs := range logs {
		m := average(pairs)
		means = append(means, m)
		switch {
		case math.Exp(m) > 1+TieBand:
			r.Wins++
		case math.Exp(m) < 1-TieBand:
			r.Losses++
		default:
			r.Ties++
		}
	}
	r.Mean = math.Exp(average(means))
	slices.Sort(means)
	r.Median = math.Exp((means[(len(means)-1)/2] + means[len(means)/2]) / 2)
	r.Trimmed = math.Exp(average(means[:max(1, len(means)-2)]))
	r.Low, r.High = interval(logs)
}

// interval returns the percentile bootstrap interval of the geometric mean: workloads
// are drawn with replacement, and of each its seeds.
func interval(logs [][]float64) (low, high float64) {
	rng := rand.New(rand.NewPCG(resampleSeed, 0))
	means := make([]float64, resamples)
	for k := range means {
		sum := 0.0
		for range logs {
			pairs := logs[rng.IntN(len(logs))]
			for range pairs {
				sum += pairs[rng.IntN(len(pairs))] / float64(len(pairs))
			}
		}
		means[k] = sum / float64(len(logs))
	}
	slices.SortFunc(means, cmp.Compare)
	out := int((1 - Confidence) / 2 * resamples)
	return math.Exp(means[out]), math.Exp(means[resamples-1-out])
}

func average(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// AdvantageTables show what ratios come to, then the final ratio of each workload.
func AdvantageTables(ratios []Advantage, baseline string) []Table {
	if len(ratios) == 0 {
		return nil
	}
	sums := Table{
		Head: []string{"against " + baseline, "at", "geomean", fmt.Sprintf("%.0f%% interval", 100*Confidence), "median", "without two largest", "wins/ties/losses"},
		Notes: []string{
			fmt.Sprintf("time of %s / time of the scorer, from the same seeds: above 1 the scorer is better; interval by bootstrap over workloads and seeds;", baseline),
			fmt.Sprintf("ties are workloads within %.0f%%; final by kernels timed in turns, at N trials by what the searches measured", 100*TieBand),
		},
	}
	cells := Table{Head: []string{baseline + " / scorer"}, Notes: []string{"final kernels: geometric mean of the seeds (smallest to largest)"}}
	missing := 0
	for _, r := range ratios {
		sums.Rows = append(sums.Rows, []string{
			r.Scorer, r.At, fmt.Sprintf("%.3f", r.Mean), fmt.Sprintf("%.3f to %.3f", r.Low, r.High), fmt.Sprintf("%.3f", r.Median),
			fmt.Sprintf("%.3f", r.Trimmed), fmt.Sprintf("%d/%d/%d", r.Wins, r.Ties, r.Losses),
		})
		missing += r.Missing
		if r.At != "final" {
			continue
		}
		cells.Head = append(cells.Head, r.Scorer)
		for i, c := range r.Workloads {
			if len(cells.Rows) <= i {
				cells.Rows = append(cells.Rows, []string{c.Workload})
			}
			cells.Rows[i] = append(cells.Rows[i], cellText(c))
		}
	}
	if missing > 0 {
		sums.Notes = append(sums.Notes, fmt.Sprintf("%d pairs are in no mean, as one of their searches found nothing", missing))
	}
	return []Table{sums, cells}
}

func cellText(c Cell) string {
	switch len(c.Seeds) {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf("%.2f", c.Mean)
	}
	return strings.Join([]string{fmt.Sprintf("%.2f", c.Mean), fmt.Sprintf("(%.2f to %.2f)", slices.Min(c.Seeds), slices.Max(c.Seeds))}, " ")
}
