package tune

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Begin times the untuned loop nest and prepares the first round. If the log holds all
// trials already, its best kernel is exported, and Step has nothing to do; if the session
// that made them ended before it compared the best ones, this is done first.
func (s *Session) Begin(ctx context.Context) error {
	if err := s.setBaseline(ctx); err != nil {
		return err
	}
	t := s.tuner()
	s.began = time.Now()
	if s.opt.Time > 0 {
		t.Options.Time = max(s.opt.Time-s.began.Sub(s.started), 1) // 0 would be no limit
	}
	spent := s.opt.Trials > 0 && len(s.past) >= s.opt.Trials
	if spent && !s.comparisonLacks() {
		return s.nothingLeft(ctx)
	}
	if s.opt.Trials > 0 {
		t.Options.Trials = max(s.opt.Trials-len(s.past), 1)
	}
	if spent {
		s.say("%s holds %d trials already; the best of them are compared", s.opt.Log, len(s.past))
	}
	s.mu.Lock()
	s.progress.Measuring = s.began
	s.mu.Unlock()
	var err error
	if s.search, err = t.Start(ctx, s.past); s.search != nil && (err != nil || spent) {
		err = s.End(ctx, err)
	}
	if spent && err == nil {
		s.result.Reason = search.TrialsSpent.String()
	}
	return err
}

// comparisonLacks reports whether the folder's kernel is that of a round, or the folder has none though the log holds
// timed candidates: the session before was to compare the best ones at its end, and did not come to that.
func (s *Session) comparisonLacks() bool {
	if s.folder == nil || s.opt.Finalists < 0 || s.machine.CannotTime() != "" {
		return false
	}
	r, err := s.folder.result()
	if errors.Is(err, fs.ErrNotExist) {
		return slices.ContainsFunc(s.past, func(r dataset.Record) bool { return r.Timed() })
	}
	return err == nil && s.isOf(&r) && r.Steps != "" && r.Tied == 0
}

// tuner returns the search of the session. Besides it, only package collect makes one: it
// times no baseline and writes many workloads to one log.
func (s *Session) tuner() *search.Tuner {
	propose, err := s.opt.proposer()
	if err != nil {
		panic("BUG: " + err.Error()) // Open has checked the options
	}
	return &search.Tuner{
		Task:    s.Task(),
		Scorer:  s.scorer,
		Builder: s.machine.Builder(), Runner: s.machine.Runner(),
		Options: search.Options{
			Trials: s.opt.Trials, Time: s.opt.Time, Patience: s.opt.Patience, PerRound: s.roundSize(),
			Seed: s.opt.Seed, ScorerName: s.opt.ScorerName, Taught: s.opt.Taught, Workers: s.opt.Workers,
			Propose: propose, Finalists: s.opt.Finalists,
			Clock: time.Now, Stop: s.opt.Stop, OnEvent: s.event,
			OnRound: func(r search.Round) error { return s.round(context.Background(), r) }, OnWithdrawn: s.withdraw,
		},
	}
}

// Candidates returns up to n candidates that the scorer thinks fastest, best first, with
// scores of one call. Nothing is built or measured. A scorer that has learned nothing is an
// error: search.ErrUntrained.
func (s *Session) Candidates(ctx context.Context, n int) ([]evolve.Scored, error) {
	return s.tuner().Choose(ctx, n)
}

// First measures the scorer's first choice as trial 0, and keeps its record in the log, which
// must be empty. It stands in the place of Begin, Step and End. A scorer that has learned nothing
// chooses at random.
func (s *Session) First(ctx context.Context) (dataset.Record, error) {
	if err := s.setBaseline(ctx); err != nil {
		return dataset.Record{}, err
	}
	r, err := s.tuner().First(ctx, choices)
	if err != nil {
		return r, err
	}
	return r, s.round(ctx, search.Round{Records: []dataset.Record{r}, Trials: 1})
}

// Step runs a round. It reports whether there may be another one.
func (s *Session) Step(ctx context.Context) (bool, error) {
	if s.search == nil {
		return false, nil
	}
	return s.search.Next(ctx)
}

// End measures the finalists again, and exports the best. The error is that of Step, err,
// search.ErrNothingCorrect, or the context's: the best is that of the rounds then.
func (s *Session) End(ctx context.Context, err error) error {
	if s.search == nil {
		return err
	}
	out, err := s.search.End(ctx, err)
	s.search = nil
	s.result.NewTrials = out.Trials
	s.result.Seconds = time.Since(s.started).Seconds()
	if spent := time.Since(s.began).Seconds(); spent > 0 {
		s.result.CandidatesPerSecond = float64(out.Trials) / spent
	}
	if err == nil || errors.Is(err, search.ErrNothingCorrect) || ctx.Err() != nil {
		s.result.Reason = out.Reason.String() // of a search that failed there is none
	}
	if s.result.Tied = out.Tied; out.Tied > 0 {
		s.result.TiedRate = search.TieRate
	}
	if e := s.keep(context.WithoutCancel(ctx), out); e != nil && (err == nil || errors.Is(err, search.ErrNothingCorrect)) {
		err = e
	}
	return err
}

// roundSize returns the number of candidates in a round; 0 leaves it to the tuner.
// Nothing is learned from candidates that are not timed: they come in large rounds,
// since each round seeks its own.
func (s *Session) roundSize() int {
	switch {
	case s.opt.PerRound > 0 || s.opt.Trials == 0:
		return s.opt.PerRound
	case s.machine.CannotTime() != "":
		return min(s.opt.Trials, search.RoundSize(0))
	}
	// Of the trials in all, not of those that a continued log lacks: a search that was
	// interrupted goes on as it would have.
	return search.RoundSize(s.opt.Trials)
}

// nothingLeft exports the best of a log that holds all trials already.
func (s *Session) nothingLeft(ctx context.Context) error {
	s.say("%s holds %d trials already; ask for more with --trials", s.opt.Log, len(s.past))
	s.result.Reason = search.TrialsSpent.String()
	var before Result // what the finalists' last comparison chose
	if s.folder != nil {
		before, _ = s.folder.result()
	}
	best := -1
	for i, r := range s.past {
		if !r.Timed() {
			continue
		}
		if s.isOf(&before) && before.Steps == string(schedule.FormatSteps(r.Steps)) {
			best, s.result.Tied, s.result.TiedRate = i, before.Tied, before.TiedRate
			break
		}
		if best < 0 || r.Cost() < s.past[best].Cost() {
			best = i
		}
	}
	if best < 0 {
		return s.keepChecked(ctx)
	}
	return s.exportRecord(ctx, s.past[best])
}

// event tells the observer what the tuner does.
func (s *Session) event(e search.Event) {
	if s.opt.OnEvent != nil {
		s.opt.OnEvent(e)
	}
	text := ""
	switch e.Kind {
	case search.Sketched:
		s.say("%d sketches", e.Count)
		return
	case search.Resumed:
		return
	case search.Proposing:
		text = "seeking candidates"
		s.mu.Lock()
		s.progress.Round = e.Round + 1
		s.mu.Unlock()
	case search.Building:
		text = fmt.Sprintf("building %d", e.Count)
	case search.Running:
		text = fmt.Sprintf("measuring %d", e.Count)
	case search.Learning:
		text = "learning"
	case search.Finals:
		text = fmt.Sprintf("measuring the %d best again, in turns", e.Count)
	}
	s.Phase(text)
}

// round keeps a round: first in the log, then the best kernel so far.
func (s *Session) round(ctx context.Context, r search.Round) error {
	if err := s.append(r.Records); err != nil {
		return err
	}
	s.last = r.Records
	s.mu.Lock()
	for _, rec := range r.Records {
		s.result.Status[rec.Status.String()]++
		s.progress.add(&rec)
		s.noteChecked(rec)
		s.noteWrong(rec)
	}
	s.result.Trials += len(r.Records)
	s.progress.Round, s.progress.Trials, s.progress.New = r.Number+1, s.result.Trials, r.Trials
	p := s.progress
	s.mu.Unlock()
	s.opt.Observer.Round(p)
	if s.folder == nil {
		return nil // the best is exported at the end
	}
	if !r.Found && len(s.checked) > 0 {
		if err := s.keepChecked(ctx); !machine.IsRejected(err) {
			return err
		}
		return nil // later rounds may have some that are not
	}
	if !r.Found {
		return nil
	}
	return s.exportRecord(ctx, r.Best)
}

// withdraw keeps that a candidate that was ok failed as a finalist.
func (s *Session) withdraw(r dataset.Record) error {
	s.result.Status[measure.OK.String()]--
	s.result.Status[r.Status.String()]++
	s.noteWrong(r)
	s.say("warning: candidate %d was ok and failed when it was measured again: %s", r.Trial, r.Outcome())
	return s.append([]dataset.Record{r})
}

// append adds records to the log, if there is one.
func (s *Session) append(records []dataset.Record) error {
	if s.log == nil {
		return nil
	}
	return s.writing(func() error { return s.log.Append(records) })
}

// writing writes results.
func (s *Session) writing(write func() error) error {
	if s.opt.Writing != nil {
		s.opt.Writing.Lock()
		defer s.opt.Writing.Unlock()
	}
	return write()
}
