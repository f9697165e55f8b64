package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
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

// DefaultPlan is the plan of which docs/benchmarks.md speaks.
var DefaultPlan = Plan{
	Rounds: 10, Spacing: 500 * time.Millisecond,
	Sampling: Sampling{Samples: 5, MinSample: 10 * time.Millisecond, MaxTotal: time.Second},
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
