package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

// benchLayout is that of constant operands in searches, a search's default.
const benchLayout = target.Rewrite

// A keptSearch is what is kept of a search, beside its log.
type keptSearch struct {
	Done     bool    `json:"done"`
	Reason   string  `json:"reason"` // why it ended
	Wall     float64 `json:"wall_s"` // without the reference and the opening of the scorer
	Thinking float64 `json:"search_s"`
	Scored   int     `json:"scored"`
	Failure  string  `json:"failure,omitempty"`
	Version  string  `json:"version"`
	Unix     int64   `json:"unix"`
	Load     float64 `json:"load"` // of the machine before: processes that wanted to run

	past []dataset.Record
}

// curve is the best so far after each trial.
func (s *keptSearch) curve() []float64 { return bench.BestSoFar(s.past) }

// fastest returns the n fastest records; the earlier of equal ones first.
func (s *keptSearch) fastest(n int) []dataset.Record {
	timed := slices.DeleteFunc(slices.Clone(s.past), func(r dataset.Record) bool { return !r.Timed() })
	slices.SortStableFunc(timed, func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) })
	return timed[:min(len(timed), n)]
}

// place is the folder of a search, in the machine's. What the scorer knows beforehand
// is part of its name.
func (b *scorersBench) place(w workload.Workload, s bench.Side, seed uint64) string {
	name := s.Scorer
	if id := b.identities[s.Scorer]; id != "" {
		name += "-" + id
	}
	name += fmt.Sprintf("-seed%d-%d", seed, s.Budget)
	if b.limit > 0 {
		name += "-" + b.limit.String()
	}
	return filepath.Join(b.folder(w), name)
}

// kept reads what is kept of a search. It reports whether there is anything.
func (b *scorersBench) kept(w workload.Workload, s bench.Side, seed uint64) (keptSearch, bool) {
	var kept keptSearch
	ok := b.load(filepath.Join(b.place(w, s, seed), "search.json"), &kept)
	return kept, ok
}

// searched does a search, unless it is done, and reads its log.
func (b *scorersBench) searched(ctx context.Context, w workload.Workload, s bench.Side, seed uint64) (keptSearch, error) {
	dir := filepath.Join(b.dir, b.place(w, s, seed))
	kept, ok := b.kept(w, s, seed)
	if !ok && !b.report {
		kept = keptSearch{Unix: time.Now().Unix(), Load: loadAverage()}
	}
	if !kept.Done && !b.report {
		err := b.search(ctx, w, s, seed, dir, &kept)
		if err != nil {
			return kept, fmt.Errorf("%s: %w", s, err)
		}
		b.left.end(s)
	}
	if !kept.Done {
		return kept, nil
	}
	records, _, err := dataset.ReadLog(filepath.Join(dir, "tuning.arrow"))
	if err != nil {
		return kept, err
	}
	kept.past = records
	return kept, nil
}

// search searches, and goes on with what the folder holds. What is known of it is
// kept after each round.
func (b *scorersBench) search(ctx context.Context, w workload.Workload, s bench.Side, seed uint64, dir string, kept *keptSearch) (err error) {
	if err := b.prepare(ctx, w); err != nil {
		return err
	}
	scorer, err := b.openScorer(ctx, s.Scorer, seed)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := b.keep(w, s, seed, kept); err != nil {
		return err
	}
	_, spaceName := withoutSpace(s.Scorer)
	candidates, err := space.Find(target.LLVM, spaceName)
	if err != nil {
		return err
	}
	task := &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: b.machine.Target(), Space: candidates, Layout: benchLayout}
	logTask := dataset.Task{WorkloadKey: w.Key, Workload: w.Text, Target: b.machine.Target(), Layout: benchLayout}
	var past []dataset.Record
	log, err := dataset.OpenWriter(filepath.Join(dir, "tuning.arrow"), dataset.WriterOptions{
		Task: &logTask, Past: func(r dataset.Record) { past = append(past, r) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	watched, err := watch(scorer, task, seed, len(past) == 0)
	if err != nil {
		return err
	}
	r := &benchSearch{
		bench: b, title: fmt.Sprintf("%s, seed %d, %s", w.Name, seed, s),
		kept: kept, before: *kept, began: time.Now(), scorer: watched, budget: s.Budget, measured: len(past),
	}
	t := &search.Tuner{Task: task, Scorer: watched, Builder: b.machine.Builder(), Runner: b.machine.Runner(), Options: r.options(seed, s.Scorer)}
	t.Options.OnRound = func(round search.Round) error {
		if err := log.Append(round.Records); err != nil {
			return err
		}
		r.measured += len(round.Records)
		r.note()
		return b.keep(w, s, seed, kept)
	}
	reason, err := r.run(ctx, t, past)
	if err != nil {
		return err
	}
	r.meter.phase(nil)
	r.note()
	kept.Done, kept.Reason = true, reason.String()
	return b.keep(w, s, seed, kept)
}

// keep writes what is known of a search.
func (b *scorersBench) keep(w workload.Workload, s bench.Side, seed uint64, kept *keptSearch) error {
	kept.Version = tune.Version()
	return b.save(filepath.Join(b.place(w, s, seed), "search.json"), kept)
}

// prepare computes the reference of a workload, once, and has the candidates of other
// searches forgotten.
func (b *scorersBench) prepare(ctx context.Context, w workload.Workload) error {
	if b.ready == w.Key {
		b.machine.Restart()
		return nil
	}
	b.ready = ""
	b.progress.showLine(fmt.Sprintf("%s: computing the reference; %s", w.Name, b.left))
	if err := b.machine.SetTask(ctx, w.DAG, 0); err != nil {
		return err
	}
	b.ready = w.Key
	return nil
}

// A benchSearch is one search under way.
type benchSearch struct {
	bench    *scorersBench
	title    string
	kept     *keptSearch
	before   keptSearch // when it was begun or continued
	began    time.Time
	meter    meter
	scorer   watchedScorer
	budget   int // trials in all
	measured int
}

// options are those of a search, some of whose trials may be done.
func (r *benchSearch) options(seed uint64, scorer string) search.Options {
	o := search.Options{
		Trials: r.budget - r.measured, PerRound: search.RoundSize(r.budget), Finalists: -1,
		Seed: seed, ScorerName: scorer, Clock: time.Now, OnEvent: r.event,
	}
	if limit := r.bench.limit; limit > 0 {
		o.Time = max(limit-time.Duration(r.before.Wall*float64(time.Second)), time.Millisecond)
	}
	return o
}

func (r *benchSearch) event(e search.Event) {
	r.meter.event(e)
	r.bench.progress.showLine(fmt.Sprintf("%s: round %d, %s; %s", r.title, e.Round+1, e.Kind, r.bench.left))
}

// note brings the seconds up to date.
func (r *benchSearch) note() {
	r.kept.Wall = r.before.Wall + time.Since(r.began).Seconds()
	r.kept.Thinking = r.before.Thinking + r.meter.parts.Propose + r.meter.parts.Learn
	r.kept.Scored = r.before.Scored + r.scorer.scored()
}

// run runs a search to its end, and says why it ended. The scorer does not learn from
// the last round, of which nothing would come.
func (r *benchSearch) run(ctx context.Context, t *search.Tuner, past []dataset.Record) (search.StopReason, error) {
	r.scorer.learnsWhile(func() bool { return r.measured < r.budget })
	switch {
	case r.budget == 0 && len(past) > 0, r.budget > 0 && t.Options.Trials <= 0:
		return search.TrialsSpent, nil // it was interrupted behind its last round
	case r.budget == 0:
		return search.TrialsSpent, r.first(ctx, t)
	}
	out, err := t.Run(ctx, past)
	if errors.Is(err, search.ErrNothingCorrect) {
		r.kept.Failure = err.Error()
		return out.Reason, nil
	}
	return out.Reason, err
}

// first measures the scorer's first choice, only to know its time.
func (r *benchSearch) first(ctx context.Context, t *search.Tuner) error {
	t.Options.Trials = 1
	rec, err := t.First(ctx, 8)
	if err != nil {
		return err
	}
	if !rec.Timed() {
		r.kept.Failure = fmt.Sprintf("the first choice: %s: %s", rec.Status, rec.Message)
	}
	return t.Options.OnRound(search.Round{Records: []dataset.Record{rec}})
}
