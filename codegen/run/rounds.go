package run

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
)

// disturbed is how much longer than its best a candidate takes in a round that is
// not trusted.
const disturbed = 1.1

// wakeTime is how long the first candidate of a round is called before the round is timed. After a pause a processor is
// slower: of 24 copies of one kernel, timed in turns on a virtual machine, the first seemed 5 to 11 % slower than their
// mean by the fastest samples, and the first five 4 to 30 % by the middle ones (docs/results/timing-2026-11-29.md).
const wakeTime = 15 * time.Millisecond

// timeRounds times candidates in rounds, each of which goes through all of them; each time another one is the first,
// for what is left of a pause.
// Noise comes in phases of seconds to minutes, so rounds are spaced, and a
// round in which most candidates took much longer than in their best one is made
// up for by another.
func (b *batch) timeRounds(ctx context.Context, alive []int, p plan) error {
	if len(alive) == 0 {
		return nil
	}
	var start time.Time
	for round := 0; round < p.rounds+p.extra && b.quiet(alive) < p.rounds; round++ {
		pause := p.spacing - time.Since(start)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		if round == 0 || pause > 0 {
			if err := b.wake(ctx, alive[turn(round, 0, p.rounds, len(alive))]); err != nil {
				return err
			}
		}
		start = time.Now()
		for k := range alive {
			i := alive[turn(round, k, p.rounds, len(alive))]
			if !p.all && b.settled(i) {
				continue
			}
			if err := b.time(ctx, i, p.calls); err != nil {
				return err
			}
		}
	}
	return nil
}

// turn returns whose turn is the k-th of a round, of n candidates: rounds begin as far apart as they can.
func turn(round, k, rounds, n int) int { return (round*max(1, n/max(rounds, 1)) + k) % n }

// wake has a candidate called for wakeTime, if it takes less; what that took is forgotten.
func (b *batch) wake(ctx context.Context, i int) error {
	if b.results[i].Status != measure.NoStatus || b.fastest(i) > wakeTime.Seconds() {
		return nil
	}
	order := &timeOrder{ID: b.first + i, sampling: sampling{Calls: math.MaxInt32, Repeat: b.repeat[i],
		MinSample: b.r.cfg.MinSample.Seconds(), MaxTotal: wakeTime.Seconds()}}
	ans, err := b.attempt(ctx, i, func(p *workerProcess) (*answer, error) {
		return b.askLoaded(ctx, p, i, &request{Kind: "time", Time: order}, 1)
	})
	if ans != nil {
		b.repeat[i] = ans.Repeat
	}
	return err
}

// settled reports whether a candidate was timed well enough for its rank: more
// rounds would not change it. What is far from the best needs one round only;
// what is near needs two whose best samples differ little beside its distance
// from the best; what may be the best needs them all.
func (b *batch) settled(i int) bool {
	list := b.rounds[i]
	if len(list) == 0 || b.isAnchor(i) {
		return false
	}
	distance := b.fastest(i)/b.best() - 1
	switch {
	case slices.Min(list) < worthSettling:
		return false
	case distance > farFromBest:
		return true
	case distance < nearBest || len(list) < 2:
		return false
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[1]/sorted[0]-1 < distance/2
}

// best returns the time of the fastest candidate of the task so far, in seconds.
func (b *batch) best() float64 {
	best := b.r.best
	for _, list := range b.rounds {
		if len(list) > 0 {
			best = min(best, slices.Min(list))
		}
	}
	return best
}

// fastest returns the fastest call of candidate i so far, in seconds, +Inf if there is none. That of its check counts:
// noise slows both that and a sample taken long after it less often than two samples in a row.
func (b *batch) fastest(i int) float64 {
	fastest := math.Inf(1)
	for _, t := range slices.Concat(b.checks[i], b.rounds[i]) {
		fastest = min(fastest, t)
	}
	return fastest
}

// longestDisturbance is how long, in seconds, other processes and machines delay a call.
// docs/results/timing-2026-11-29.md has the figures that it was chosen by.
const longestDisturbance = 30e-3

// mayBeDisturbed reports whether candidate i may be as fast as the best, and all its calls have been delayed.
func (b *batch) mayBeDisturbed(i int) bool { return b.fastest(i)-b.best() < longestDisturbance }

// enough returns the time, in seconds, of a first sample of a round of candidate i above which it gets no further one;
// 0: all that are planned. Its check must have said so, too.
func (b *batch) enough(i int) float64 {
	limit := b.best() * (1 + oneSample)
	if b.all || len(b.checks[i]) == 0 || b.fastest(i) <= limit || b.isAnchor(i) {
		return 0
	}
	return limit
}

// isAnchor reports whether candidate i of the batch is the anchor.
func (b *batch) isAnchor(i int) bool { return i == len(b.built)-1 && b.r.anchor != nil }

// Distances from the best, as shares of its time. With these a search of 64 candidates takes 52 to 64 % of the samples'
// time that 1, 0.1 and no oneSample take. In six recorded searches, by which they were chosen, both find the candidate
// that all samples say is the fastest.
const (
	farFromBest = 0.5
	nearBest    = 0.1
	oneSample   = 0.3
)

// worthSettling is the time, in seconds, of a call below which further rounds cost
// next to nothing.
const worthSettling = 200e-6

// quiet returns the number of rounds so far that were not disturbed.
func (b *batch) quiet(alive []int) int {
	rounds := 0
	for _, i := range alive {
		rounds = max(rounds, len(b.rounds[i]))
	}
	n := 0
	for round := range rounds {
		var ratios []float64
		for _, i := range alive {
			if list := b.rounds[i]; len(list) == rounds { // it has not failed
				ratios = append(ratios, list[round]/slices.Min(list))
			}
		}
		slices.Sort(ratios)
		if len(ratios) == 0 || ratios[(len(ratios)-1)/2] <= disturbed && b.anchorRatio(round) <= disturbed {
			n++
		}
	}
	return n
}

// anchorRatio relates what the anchor took in a round to its best of all batches.
func (b *batch) anchorRatio(round int) float64 {
	if b.r.anchor == nil {
		return 1
	}
	list := b.rounds[len(b.rounds)-1]
	if round >= len(list) {
		return 1
	}
	return list[round] / min(b.r.anchorBest, slices.Min(list))
}

// keepAnchor makes the fastest candidate of the batch the anchor, if it is faster
// than the one there is.
func (r *Runner) keepAnchor(b *batch) {
	for i, res := range b.results {
		if res.Status == measure.OK && len(b.rounds[i]) > 0 && (r.anchor == nil || res.Cost() < r.anchorBest) {
			r.anchor, r.anchorBest = &b.built[i], res.Cost()
		}
	}
}

// time takes one round of samples of candidate i.
func (b *batch) time(ctx context.Context, i, calls int) error {
	if b.results[i].Status != measure.NoStatus {
		return nil
	}
	ans, err := b.attempt(ctx, i, func(p *workerProcess) (*answer, error) {
		return b.askLoaded(ctx, p, i, &request{Kind: "time", Time: b.order(i, calls)}, calls)
	})
	if err != nil || ans == nil {
		return err
	}
	b.repeat[i] = ans.Repeat
	b.r.clocks.note(ans.Clock)
	b.results[i].Costs = append(b.results[i].Costs, ans.Samples...)
	b.rounds[i] = append(b.rounds[i], slices.Min(ans.Samples))
	return nil
}

// verify has the results of candidate i compared once more, after it was timed. In
// a worker that replaces the one where this failed, it is timed again first.
func (b *batch) verify(ctx context.Context, i int) error {
	if b.results[i].Status != measure.NoStatus {
		return nil
	}
	_, err := b.attempt(ctx, i, func(p *workerProcess) (*answer, error) {
		if !p.loaded[b.first+i] {
			order := b.order(i, b.r.cfg.Calls)
			order.Repeat = 0
			if ans, err := b.askLoaded(ctx, p, i, &request{Kind: "time", Time: order}, order.Calls); err != nil ||
				ans.Error != "" || ans.Status != measure.OK {
				return ans, err
			}
		}
		return b.askLoaded(ctx, p, i, &request{Kind: "verify", Load: &loadOrder{ID: b.first + i, TF32: b.built[i].TF32,
			Growth: b.built[i].Growth}}, 1)
	})
	return err
}

// atLeast is how many samples a round takes of a candidate, however long they are.
const atLeast = 3

// order says how candidate i is timed.
func (b *batch) order(i, calls int) *timeOrder {
	order := &timeOrder{ID: b.first + i}
	order.Calls, order.Repeat = calls, b.repeat[i]
	order.AtLeast, order.Enough = atLeast, b.enough(i)
	order.MinSample, order.MaxTotal = b.r.cfg.MinSample.Seconds(), b.r.cfg.RoundTime.Seconds()
	return order
}

// askLoaded makes a request that is about a loaded candidate; it is loaded first
// if the worker does not have it.
func (b *batch) askLoaded(ctx context.Context, p *workerProcess, i int, req *request, calls int) (*answer, error) {
	if !p.loaded[b.first+i] {
		if ans, err := b.load(ctx, p, i, trusted); err != nil || ans.Error != "" || ans.Status != measure.OK {
			return ans, err
		}
	}
	return p.ask(ctx, req, b.limits(calls+8))
}

// sleep waits for d, or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
