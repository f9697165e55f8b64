package rivals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
)

// A Contender runs workloads and times itself.
type Contender interface {
	Name() string

	// Prepare makes it ready to run a workload, in wmtune's notation. What it
	// returns is its version.
	Prepare(ctx context.Context, spec string) (version string, err error)

	// Round takes a round of samples and returns seconds per call.
	Round(ctx context.Context, s Sampling) ([]float64, error)

	// Pause and Resume enclose the time in which others have their turn: a
	// library's idle threads keep spinning on the cores.
	Pause() error
	Resume() error
}

// A Sampling says how a round is timed. It is the same for all contenders, as
// a minimum depends on how many samples it is taken of.
type Sampling struct {
	Samples   int
	MinSample time.Duration // shorter calls are repeated within a sample, whose time is their mean
	MaxTotal  time.Duration // no further sample is begun after it
}

// A Plan says how contenders are timed.
type Plan struct {
	Rounds  int
	Spacing time.Duration // between the beginnings of rounds, at least
	Sampling
}

// TakeTurns times contenders on a workload: one of them runs at any time, and
// the first of a round is the last of the next. Times align with the contenders.
// What goes wrong with a contender is in its Times; the error is the context's.
func TakeTurns(ctx context.Context, list []Contender, spec string, p Plan, tell func(doing string)) ([]Times, error) {
	times := make([]Times, len(list))
	for i, c := range list {
		tell("preparing " + c.Name())
		times[i].Name = c.Name()
		err := turn(c, func() (err error) {
			times[i].Version, err = c.Prepare(ctx, spec)
			return err
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		times[i].fail(err)
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	var start time.Time
	for round := range p.Rounds {
		tell(fmt.Sprintf("round %d of %d", round+1, p.Rounds))
		if err := sleep(ctx, p.Spacing-time.Since(start)); err != nil {
			return nil, err
		}
		start = time.Now()
		for _, i := range order {
			if times[i].Error != "" {
				continue
			}
			err := turn(list[i], func() error {
				samples, err := list[i].Round(ctx, p.Sampling)
				times[i].Rounds = append(times[i].Rounds, samples)
				return err
			})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			times[i].fail(err)
		}
		slices.Reverse(order)
	}
	return times, nil
}

// turn lets one contender run. It is paused after a failure, too.
func turn(c Contender, do func() error) error {
	if err := c.Resume(); err != nil {
		return err
	}
	err := do()
	if e := c.Pause(); err == nil {
		err = e
	}
	return err
}

// sleep waits for d, or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Times are what a contender took for a workload.
type Times struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rounds  [][]float64 `json:"rounds,omitempty"` // seconds per call: the samples of each round
	Error   string      `json:"error,omitempty"`  // why there are no times
	Missing bool        `json:"missing,omitempty"`
}

// fail notes an error; what was timed before it does not count.
func (t *Times) fail(err error) {
	if err == nil {
		return
	}
	var missing *MissingError
	t.Error, t.Missing, t.Rounds = err.Error(), errors.As(err, &missing), nil
}

// OK reports whether the contender was timed.
func (t *Times) OK() bool { return t.Error == "" && len(t.Rounds) > 0 }

// Best returns the smallest sample in seconds; 0 without one.
func (t *Times) Best() float64 {
	if !t.OK() {
		return 0
	}
	return slices.Min(t.minima())
}

// Spread says how much longer than the best round the median one took: 0.1 is
// a tenth longer.
func (t *Times) Spread() float64 {
	if !t.OK() {
		return 0
	}
	return measure.Median(t.minima())/t.Best() - 1
}

// minima are the best samples of the rounds.
func (t *Times) minima() []float64 {
	var list []float64
	for _, r := range t.Rounds {
		list = append(list, slices.Min(r))
	}
	return list
}

// IntervalRounds is the fewest rounds of which a Ratio has a 95 % interval.
const IntervalRounds = 6

// A Ratio says how many times as long as we a peer takes: above 1, we are
// faster. Value is that of the best times. Low and High are the 95 % confidence
// interval of the median of the rounds' ratios: noise that lasts longer than a
// round falls out of it, so Value may lie outside. Of fewer than IntervalRounds,
// Low and High are the smallest and the largest ratio of a round: no interval of
// so few holds the median with that probability.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ratioOf compares two contenders that took turns.
func ratioOf(peer, ours *Times) Ratio {
	theirs, mine := peer.minima(), ours.minima()
	list := make([]float64, min(len(theirs), len(mine)))
	for i := range list {
		list[i] = theirs[i] / mine[i]
	}
	slices.Sort(list)
	k := signRank(len(list))
	return Ratio{peer.Best() / ours.Best(), list[k], list[len(list)-1-k]}
}

// signRank returns the largest k for which the median of a distribution lies
// between the (k+1)th smallest and largest of n samples with probability 0.95 at
// least (the sign test, which assumes nothing of the distribution); 0 if there is
// none, as of fewer than IntervalRounds samples.
func signRank(n int) int {
	k, p, sum := 0, 1.0, 0.0
	for range n {
		p /= 2
	}
	for i := range n / 2 { // p is the probability of i heads in n throws
		if sum += p; 2*sum > 0.05 {
			break
		}
		k = i
		p = p * float64(n-i) / float64(i+1)
	}
	return k
}
