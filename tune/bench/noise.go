package bench

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
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

// NoiseOptions say which choices are made again.
type NoiseOptions struct {
	Search
	Repeats int
	Done    func(n *Noise) // told of each workload that was measured now; nil: nobody listens
}

// Check reports what is wrong with the options.
func (o NoiseOptions) Check(known Scorers) error {
	if o.Repeats < 1 {
		return tune.Optionf("%d repeats: must be at least 1", o.Repeats)
	}
	if OnlyScorers(o.Scorer) {
		return tune.Optionf("scorer %s: only bench scorers knows that ending", o.Scorer)
	}
	return o.Search.check(known)
}

// Noise makes the final choice of a search of each workload again and again: the best
// candidates are checked and measured in turns, each time in a fresh process. Workloads of
// which the search found nothing are left out.
func (b *Bench) Noise(ctx context.Context, o NoiseOptions) ([]Noise, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, err
	}
	finalists := make([][]dataset.Record, len(b.list))
	for i, w := range b.list {
		_, past, err := b.tune(ctx, w, o.Search)
		if err != nil {
			return nil, err
		}
		finalists[i] = fastest(past, search.DefaultFinalists)
	}
	list := []Noise{}
	for i, w := range b.list {
		if len(finalists[i]) == 0 {
			continue
		}
		key := HashOf(w.Key, w.Text, finalists[i], o.Repeats)
		keyOf := func(n *Noise) *string { return &n.Key }
		n, fresh, err := Kept(b, filepath.Join("noise", w.Name+".json"), key, keyOf, func() (Noise, error) {
			return b.study(ctx, w, o, finalists[i])
		})
		if err != nil {
			return nil, err
		}
		if fresh && o.Done != nil {
			o.Done(&n)
		}
		list = append(list, n)
	}
	return list, b.Save("noise.json", list)
}

// fastest returns the n fastest records; the earlier of equal ones first.
func fastest(records []dataset.Record, n int) []dataset.Record {
	timed := slices.DeleteFunc(slices.Clone(records), func(r dataset.Record) bool { return !r.Timed() })
	slices.SortStableFunc(timed, func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) })
	return timed[:min(len(timed), n)]
}

// study repeats the final choice of one search.
func (b *Bench) study(
	ctx context.Context, w workload.Workload, o NoiseOptions, finalists []dataset.Record,
) (Noise, error) {
	n := Noise{Workload: w.Name, Finalists: len(finalists), Unix: time.Now().Unix(), Load: LoadAverage()}
	if err := b.prepare(ctx, w.DAG, w.Text, o.Seed); err != nil {
		return n, err
	}
	inputs := make([]measure.Input, len(finalists))
	for i, r := range finalists {
		var err error
		if inputs[i], err = b.input(searched(w, r.Workload != w.Text), r.Steps, r.Layout); err != nil {
			return n, err
		}
	}
	builds, err := b.machine.Builder().Build(ctx, inputs)
	if err != nil {
		return n, err
	}
	for i := range o.Repeats {
		b.Show(fmt.Sprintf("%s: choice %d of %d", w.Name, i+1, o.Repeats))
		results, err := b.machine.Remeasure(ctx, inputs, builds)
		if err != nil {
			return n, err
		}
		if err := n.add(results); err != nil {
			return n, fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	return n, nil
}

// add adds the outcome of one final measurement.
func (n *Noise) add(results []measure.Result) error {
	var best []float64
	c := Choice{}
	for i, r := range results {
		if r.Status != measure.OK {
			return fmt.Errorf("finalist %d: %s: %s", i, r.Status, r.Message)
		}
		best = append(best, r.Cost())
		if r.Cost() < best[c.Winner] {
			c.Winner = i
		}
	}
	for i, r := range results {
		if search.Tied(r.Costs, results[c.Winner].Costs) {
			c.Tied = append(c.Tied, i)
		}
	}
	n.Best, n.Choices = append(n.Best, best), append(n.Choices, c)
	return nil
}
