package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
)

// The plan of a final measurement: many short rounds, so that all candidates see
// the same phases of a noisy machine (10 rounds of 3 to 6 calls find the true
// minimum within 2 % in nine cases of ten; one go of 60 calls does in seven).
const (
	finalRounds  = 10
	finalCalls   = 6
	finalSpacing = 200 * time.Millisecond
)

// A Comparison is the outcome of measuring a few candidates in turns.
type Comparison struct {
	Results []measure.Result // with all samples, by index
	Winner  int              // index of the smallest cost; -1 if no candidate is correct
	Second  int              // the smallest but for the winner; -1 if there is none
	Ratios  []Ratio          // of each candidate to the winner; zero if it was not timed
	Tied    []int            // indices, in order, of those that are as fast as the winner, as far as the noise lets us see
}

// A Ratio says how a candidate's time relates to the winner's. Both are minima of a
// round, so that noise that lasts longer than a round falls out.
type Ratio struct {
	Median    float64
	Low, High float64 // 95 % confidence interval of the median
}

// Tie reports whether the winner is within the noise of the second.
func (c Comparison) Tie() bool { return slices.Contains(c.Tied, c.Second) }

// Compare checks candidates again and times them in turns, in a fresh worker:
// ten rounds of six samples each, slow ones included.
func (r *Runner) Compare(ctx context.Context, built ...measure.BuildResult) (Comparison, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return Comparison{}, errors.New("run: no task is set")
	}
	r.stop()
	r.anchor = nil // the comparison is with each other
	b := newBatch(r, built)
	p := plan{rounds: max(finalRounds, r.cfg.Rounds), calls: finalCalls, spacing: min(finalSpacing, r.cfg.Spacing), all: true}
	if err := b.run(ctx, p); err != nil {
		return Comparison{}, err
	}
	b.finish()
	return compareRounds(b.results, b.rounds), nil
}

// Remeasure is Compare for the tuner: it returns the results only.
func (r *Runner) Remeasure(ctx context.Context, inputs []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	c, err := r.Compare(ctx, built...)
	return c.Results, err
}

// compareRounds draws the conclusions from the best sample of each candidate in
// each round.
func compareRounds(results []measure.Result, rounds [][]float64) Comparison {
	c := Comparison{Results: results, Winner: -1, Second: -1, Ratios: make([]Ratio, len(results))}
	for i, res := range results {
		switch {
		case res.Status != measure.OK:
		case c.Winner < 0 || res.Cost() < results[c.Winner].Cost():
			c.Winner, c.Second = i, c.Winner
		case c.Second < 0 || res.Cost() < results[c.Second].Cost():
			c.Second = i
		}
	}
	for i, res := range results {
		if res.Status != measure.OK {
			continue
		}
		c.Ratios[i] = ratioOf(rounds[i], rounds[c.Winner])
		if i == c.Winner || c.Ratios[i].Low <= 1 {
			c.Tied = append(c.Tied, i)
		}
	}
	return c
}

// ratioOf compares two candidates round by round.
func ratioOf(times, winner []float64) Ratio {
	n := min(len(times), len(winner))
	if n == 0 {
		return Ratio{}
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = times[i] / winner[i]
	}
	slices.Sort(list)
	k := signRank(n)
	return Ratio{Median: (list[(n-1)/2] + list[n/2]) / 2, Low: list[k], High: list[n-1-k]}
}

// signRank returns the largest k for which the median of a distribution lies
// between the (k+1)th smallest and largest of n samples with probability 0.95 at
// least (the sign test: it assumes nothing of the distribution). It is 0 if there is
// none.
func signRank(n int) int {
	k, p, sum := 0, 1.0, 0.0
	for range n {
		p /= 2
	}
	for i := 0; i < n/2; i++ { // p is the probability of i heads in n throws
		sum += p
		if 2*sum > 0.05 {
			break
		}
		k = i
		p = p * float64(n-i) / float64(i+1)
	}
	return k
}
