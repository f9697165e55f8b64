// Package search tunes a task: round after round it proposes candidates, has
// them built and run, and learns from the records. It knows scorers, builders
// and runners only as the interfaces that it declares.
//
// It must not print, write files, read the environment or a clock, or know how
// programs are compiled. What happens is told through the callbacks of Options;
// time comes from a clock that is passed in. The same seed gives the same
// candidates whatever the number of workers.
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Tuner searches for fast programs of a task.
type Tuner struct {
	Task    *Task
	Scorer  Scorer
	Builder Builder
	Runner  Runner
	Options Options
}

// An Outcome is what a search found.
type Outcome struct {
	Best   dataset.Record // the fastest correct candidate, of this run or a record taken over
	State  *schedule.State
	Found  bool // there is a Best
	Trials int  // measured in this run
	Rounds int
	Status map[measure.Status]int // how many trials of this run ended how
	Reason StopReason

	// Finalists are the best candidates, measured again in turns, fastest first;
	// none if the runner cannot. Tied counts those that are as fast as the first,
	// as far as the noise lets one see, itself included.
	Finalists []Finalist
	Tied      int
}

// Run searches until a budget is spent. Records of the same task measured before
// are not measured again; the best of them are parents of candidates, and the
// scorer learns from them all.
//
// The outcome holds what was found even if there is an error. The error is
// ErrNothingCorrect if all candidates failed; a runner may leave correct ones
// unmeasured, in which case there is no best and no error. It is the context's if it was cancelled: of the
// round under way only that is kept which has been timed, and finalists are not compared. It may be that of the
// builder, the runner, the scorer or OnRound, or say that the task has no candidates.
func (t *Tuner) Run(ctx context.Context, before []dataset.Record) (Outcome, error) {
	s, err := t.Start(ctx, before)
	if s == nil {
		return Outcome{}, err
	}
	for more := err == nil; more && err == nil; {
		more, err = s.Next(ctx)
	}
	return s.End(ctx, err)
}

// A Search is a search under way, to be taken round by round.
type Search struct{ run *run }

// Start begins a search as Run does. There is no Search if the task has no candidates; with
// any other error, End gives the outcome.
func (t *Tuner) Start(ctx context.Context, before []dataset.Record) (*Search, error) {
	r, err := t.start(ctx, before)
	if err != nil {
		return nil, err
	}
	if len(before) > 0 && !r.opt.Taught {
		if err := r.Scorer.Update(ctx, r.Task, instructive(before)); err != nil && ctx.Err() == nil {
			return &Search{r}, fmt.Errorf("search: scorer: %w", err)
		}
	}
	return &Search{r}, nil
}

// Next runs a round. It reports false when a budget is spent or no candidate is left.
func (s *Search) Next(ctx context.Context) (bool, error) {
	r := s.run
	reason, over := r.over()
	if over {
		r.out.Reason = reason
		return false, nil
	}
	found, err := r.round(ctx, r.size())
	if errors.Is(err, ErrTimeOver) {
		r.out.Reason = TimeSpent
		return false, nil
	}
	if err == nil && !found {
		r.phases.exhausted[r.phases.now] = true
	}
	return err == nil, err
}

// Round measures up to n candidates, whatever the budgets say. It reports false if none is left.
func (s *Search) Round(ctx context.Context, n int) (bool, error) { return s.run.round(ctx, n) }

// Try measures states as a round, whatever the scorer thinks of them.
func (s *Search) Try(ctx context.Context, states []*schedule.State) error {
	scores, err := s.run.score(ctx, states)
	if err != nil || len(states) == 0 {
		return err
	}
	return s.run.try(ctx, scored(states, scores))
}

// Defend makes finalists of the correct candidates with these steps, however slow they were: that may have been noise.
func (s *Search) Defend(steps ...string) { s.run.defended = append(s.run.defended, steps...) }

// End measures the finalists again and returns what was found; err is that of Next. It is
// Run's otherwise.
func (s *Search) End(ctx context.Context, err error) (Outcome, error) {
	r := s.run
	if ctx.Err() != nil {
		r.out.Reason = Cancelled
		return r.out, ctx.Err()
	}
	if err != nil {
		return r.out, err
	}
	if r.out.Found {
		if err = r.finals(ctx); err != nil && ctx.Err() != nil {
			r.out.Reason = Cancelled // the finalists are still to be compared
		}
		return r.out, err
	}
	none := r.known.trials() == 0
	switch {
	case r.known.unmeasured > 0, none && r.out.Reason == Stopped:
		return r.out, nil
	case none && r.out.Reason == TimeSpent:
		return r.out, errTimeOver
	}
	return r.out, ErrNothingCorrect
}

// A run is the state of one search.
type run struct {
	*Tuner
	opt      Options
	key      string // the workload key
	started  time.Time
	source   Source
	known    *known
	phases   *phases
	sinceTop int      // trials since the best was found, those taken over included
	defended []string // steps of candidates that are finalists
	out      Outcome
}

func (t *Tuner) start(ctx context.Context, before []dataset.Record) (*run, error) {
	opt, err := t.Options.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &run{Tuner: t, opt: opt, key: t.Task.Key, started: opt.Clock()}
	if r.key == "" {
		r.key = t.Task.DAG.WorkloadKey()
	}
	r.out.Status = map[measure.Status]int{}
	if t.Task.Space.Open == nil {
		return nil, fmt.Errorf("search: task %s has no space", t.Task.Name)
	}
	if r.source, err = t.Task.Space.Open(ctx, t.Task); err != nil {
		return nil, err
	}
	r.tell(Event{Kind: Sketched, Count: r.source.Structures()})
	if r.phases, err = newPhases(opt); err != nil {
		return nil, err
	}
	r.known = newKnown()
	taken := 0
	for _, rec := range before {
		r.phases.count(&rec)
		r.sinceTop++ // it was a trial, as those of this run
		if err := r.known.replay(t.Task, rec); err == nil {
			taken++
		}
		if top, ok := r.known.top(); ok && (!r.out.Found || top.record.Cost() < r.out.Best.Cost()) {
			r.out.Best, r.out.State, r.out.Found = top.record, top.state, true
			r.sinceTop = 0
		}
	}
	if len(before) > 0 {
		r.tell(Event{Kind: Resumed, Count: taken})
	}
	return r, nil
}

func (r *run) tell(e Event) {
	if r.opt.OnEvent != nil {
		e.Round = r.out.Rounds
		r.opt.OnEvent(e)
	}
}

// firstTimed is the most candidates in the first round under a time budget,
// when it is not known yet how long one takes.
const firstTimed = 16

// size returns the number of candidates of the next round: the usual one, less
// if the budgets do not have as much left.
func (r *run) size() int {
	n := min(r.opt.PerRound, r.phases.left(r.phases.now))
	if r.opt.Trials > 0 {
		n = min(n, r.opt.Trials-r.out.Trials)
	}
	switch {
	case r.opt.Time == 0:
		return n
	case r.out.Trials == 0:
		return min(n, firstTimed)
	}
	elapsed := r.opt.Clock().Sub(r.started)
	each := max(elapsed/time.Duration(r.out.Trials), 1)
	return max(1, min(n, int((r.opt.Time-elapsed)/each)))
}

// over reports whether a budget is spent, and which; if none is, the phase under way
// is that of the next round.
func (r *run) over() (StopReason, bool) {
	select {
	case <-r.opt.Stop:
		return Stopped, true
	default:
	}
	switch {
	case r.opt.Trials > 0 && r.out.Trials >= r.opt.Trials:
		return TrialsSpent, true
	case r.opt.Time > 0 && r.opt.Clock().Sub(r.started) >= r.opt.Time:
		return TimeSpent, true
	case r.opt.Patience > 0 && r.out.Found && r.sinceTop >= r.opt.Patience:
		return PatienceSpent, true
	case r.phases.next():
		return 0, false
	case len(r.phases.exhausted) > 0:
		return Exhausted, true
	}
	return TrialsSpent, true
}

// round measures up to n candidates. It reports whether there were any. If the
// context is cancelled, what was measured until then is kept.
func (r *run) round(ctx context.Context, n int) (bool, error) {
	r.tell(Event{Kind: Proposing, Count: n})
	picked, err := r.propose(ctx, n)
	if err != nil || len(picked) == 0 {
		return false, err
	}
	err = r.try(ctx, picked)
	return err == nil, err
}

// try measures candidates, keeps their records and has the scorer learn from them.
func (r *run) try(ctx context.Context, picked []evolve.Scored) error {
	inputs := make([]measure.Input, len(picked))
	for i, p := range picked {
		inputs[i] = measure.NewInput(p.State, r.Task.Target, r.Task.Layout)
	}
	builds, results, broken := r.measure(ctx, inputs)
	round := Round{Number: r.out.Rounds}
	for i, p := range picked[:len(results)] {
		if s := results[i].Status; ctx.Err() != nil && (s == measure.NoStatus || s == measure.Unmeasured) {
			continue
		}
		rec := r.record(p.State, p.Score, builds[i], results[i])
		round.Records = append(round.Records, rec)
		r.keep(p, rec)
	}
	if err := r.endRound(round); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	lesson := instructive(round.Records)
	r.tell(Event{Kind: Learning, Count: len(lesson)})
	if err := r.Scorer.Update(ctx, r.Task, lesson); err != nil {
		return fmt.Errorf("search: scorer: %w", err)
	}
	return nil
}

// instructive returns the records that a scorer may learn from: those of candidates that
// were timed, or that failed. What is correct and was not timed says nothing.
func instructive(records []dataset.Record) []dataset.Record {
	return slices.DeleteFunc(slices.Clone(records), func(r dataset.Record) bool { return r.Status == measure.Unmeasured })
}

// keep takes the record of a trial into account.
func (r *run) keep(p evolve.Scored, rec dataset.Record) {
	r.known.add(p.Signature, p.State, rec)
	r.phases.count(&rec)
	r.out.Trials++
	r.out.Status[rec.Status]++
	r.sinceTop++
	if rec.Timed() && (!r.out.Found || rec.Cost() < r.out.Best.Cost()) {
		r.out.Best, r.out.State, r.out.Found = rec, p.State, true
		r.sinceTop = 0
	}
}

func (r *run) endRound(round Round) error {
	if len(round.Records) == 0 {
		return nil
	}
	r.out.Rounds++
	round.Trials, round.Best, round.Found = r.out.Trials, r.out.Best, r.out.Found
	round.Elapsed = r.opt.Clock().Sub(r.started)
	if r.opt.OnRound == nil {
		return nil
	}
	return r.opt.OnRound(round)
}

// unix returns the time for records, 0 without a clock.
func (r *run) unix() int64 {
	if r.Options.Clock == nil {
		return 0
	}
	return r.opt.Clock().Unix()
}

// A Task is what is tuned: one compute DAG on one target. It stands apart from workload.Task because it
// says how candidates are made, and what their records say.
type Task struct {
	Name   string // the workload as canonical text, such as "matmul:m=64,n=64,k=64"
	Key    string // the workload key in the records; "" means DAG.WorkloadKey()
	DAG    *compute.DAG
	Target target.Target
	Layout target.Layout  // of constant operands; part of what is measured, not of the states
	Timing measure.Timing // of what is measured
	Space  Space
}

// Workload returns what a cost model asks of the task.
func (t *Task) Workload() workload.Task { return workload.Task{DAG: t.DAG, Target: t.Target} }
