package search

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Finalist is one of the best candidates, measured again beside the others.
type Finalist struct {
	State  *schedule.State
	Record dataset.Record // of the search
	Build  measure.BuildResult
	Result measure.Result // of the second measurement
}

// finals measures the best candidates again in turns, if the runner can, and makes the fastest of
// them the best; a single one, too, which may have been checked in part only. One that fails this
// time is dropped for good: a kernel that is wrong now and then is wrong. If all fail, the next
// best are tried. A cancelled context leaves the outcome as the rounds found it; the error is the context's.
func (r *run) finals(ctx context.Context) error {
	for r.Runner.Modes().InTurns != nil && len(r.out.Finalists) == 0 {
		top := r.finalists()
		if len(top) == 0 {
			return nil
		}
		failed, err := r.compare(ctx, top)
		if failed == 0 || len(r.out.Finalists) > 0 {
			return err // the finalists that are left are ranked
		}
		best, found := r.known.top()
		r.out.Best, r.out.State, r.out.Found = best.record, best.state, found
		switch {
		case err != nil:
			return err
		case !found:
			return ErrNothingCorrect
		}
	}
	return nil
}

// finalists returns the best candidates, and of the others those that are defended.
func (r *run) finalists() []timed {
	n := min(max(r.opt.Finalists, 0), len(r.known.fastest))
	list := slices.Clone(r.known.fastest[:n])
	for _, t := range r.known.fastest[n:] {
		if slices.Contains(r.defended, string(schedule.FormatSteps(t.state.Steps))) {
			list = append(list, t)
		}
	}
	return list
}

// compare measures candidates in turns and ranks them. It returns how many
// failed, which are no longer known as fast.
func (r *run) compare(ctx context.Context, top []timed) (failed int, err error) {
	r.tell(Event{Kind: Finals, Count: len(top)})
	inputs := make([]measure.Input, len(top))
	for i, t := range top {
		inputs[i] = measure.NewInput(t.state, r.Task.Target, r.Task.Layout)
	}
	builds, err := r.build(ctx, inputs)
	if err != nil {
		return 0, err
	}
	for _, b := range builds {
		if b.Status != measure.OK { // it did build before: the machine is in trouble, and the search is over
			return 0, nil
		}
	}
	results, err := r.remeasure(ctx, inputs, builds)
	if err != nil {
		return 0, err
	}
	return r.rank(top, builds, results)
}

// remeasure times in turns what was built.
func (r *run) remeasure(
	ctx context.Context, inputs []measure.Input, builds []measure.BuildResult,
) ([]measure.Result, error) {
	results, err := r.runBuilt(ctx, inputs, builds, r.Runner.Modes().InTurns)
	if err == nil {
		err = ctx.Err()
	}
	return results, err
}

// rank orders the finalists by their second measurement and takes the first as
// the best. Those that failed this time are forgotten and withdrawn; it returns
// their number, and the errors of OnWithdrawn, which change nothing of that.
func (r *run) rank(top []timed, builds []measure.BuildResult, results []measure.Result) (failed int, err error) {
	for i, t := range top {
		switch {
		case results[i].Status == measure.OK && len(results[i].Costs) > 0:
			r.out.Finalists = append(r.out.Finalists, Finalist{t.state, t.record, builds[i], results[i]})
		case results[i].Status != measure.Unmeasured:
			failed++
			r.known.forget(t.state)
			if t.number > r.known.trials()-r.out.Trials { // a trial of this run
				r.out.Status[measure.OK]--
				r.out.Status[results[i].Status]++
			}
			if r.opt.OnWithdrawn == nil {
				continue
			}
			rec, res := t.record, results[i]
			rec.Status, rec.Message, rec.Costs, rec.RunSeconds, rec.Unix = res.Status, res.Message, nil, res.Seconds, res.Unix
			err = errors.Join(err, r.opt.OnWithdrawn(rec))
		}
	}
	if len(r.out.Finalists) == 0 {
		return failed, err
	}
	slices.SortStableFunc(r.out.Finalists,
		func(a, b Finalist) int { return cmp.Compare(a.Result.Cost(), b.Result.Cost()) })
	first := r.out.Finalists[0]
	r.out.Best, r.out.State = first.Record, first.State
	for _, f := range r.out.Finalists {
		if Tied(f.Result.Costs, first.Result.Costs) {
			r.out.Tied++
		}
	}
	return failed, err
}

// tieBlocks is the number of parts that the samples of a finalist are cut into.
const tieBlocks = 10

// TieRate is the rate at which the ties of a search hold the fastest of its
// finalists, to be claimed beside them: 'wmtune bench noise' checks it.
const TieRate = 0.9

// DefaultFinalists is the number of candidates that are measured again.
const DefaultFinalists = 3

// Tied reports whether a finalist is as fast as the first, as far as the noise
// lets one see. The samples of both, in the order they were taken in, are cut
// into ten parts; the finalist is slower if its fastest sample is in nine of
// them or more (a sign test: 11 of 1,024 ways, 1.1 % by chance). Short lists are tied.
func Tied(times, first []float64) bool {
	n := min(len(times), len(first)) / tieBlocks
	if n == 0 {
		return true
	}
	slower := 0
	for b := range tieBlocks {
		if slices.Min(times[b*n:(b+1)*n]) > slices.Min(first[b*n:(b+1)*n]) {
			slower++
		}
	}
	return slower < tieBlocks-1
}
