// Package collect measures candidates of many workloads into one tuning log, from which
// scorers and models are trained.
//
// It must not know how a collection is shown, nor read flags.
package collect

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// Options are the options of Run.
type Options struct {
	Name      string // of the suite or the plan, for the result
	Workloads []workload.Workload
	PerTask   int    // candidates that the log holds of each workload in the end
	Shares    [3]int // percentages of candidates: random, evolved under the scorer, neighbours of the fastest
	Choices   bool   // in place of shares: PerTask of the scorer's best candidates, timed in turns
	Scorer    string // of the evolved ones: gbt, which learns within a task, or world, which also seeks its doubts
	Seed      uint64
	Target    string        // what to measure on, a text that machine.Open takes; "" means this machine's processor
	Layout    target.Layout // weight layout, one of the target's
	Log       string        // a file; continued if it exists
	Machine   machine.Options
	XGBoost   string          // path of libxgboost; "" means where systems have it
	Writing   sync.Locker     // held while a round is written, so that a program can end hard in between; may be nil
	Time      time.Duration   // after which the round under way is the last; 0: no limit
	Stop      <-chan struct{} // when it is closed, the round under way is the last; nil: never
	Observer  Observer
}

// An Observer is told how a collection goes on, by one goroutine at a time. Functions
// that are nil are not called.
type Observer struct {
	Opened func(r Result, records int, warnings []dataset.Warning) // the log, which holds so many records
	Begin  func(number int, w workload.Workload, past []dataset.Record)
	Event  func(search.Event)
	Round  func([]dataset.Record) // they are in the log
	End    func(remark string)    // of a workload
}

// proposers propose candidates in this order: the scorer learns from the random ones, and then both find those that are
// worth having neighbours.
var proposers = [3]search.Proposer{search.Sample{}, search.Evolve{Evolution: evolution}, search.Neighbours{}}

// phases divides the candidates of a task by the shares; there are none of choices. What rounding leaves goes to
// the first strategy that has a share.
func (o *Options) phases() []search.Phase {
	if o.Choices {
		return nil
	}
	list := make([]search.Phase, len(proposers))
	left := o.PerTask
	for i, proposer := range proposers {
		list[i] = search.Phase{Proposer: proposer, Trials: o.PerTask * o.Shares[i] / 100}
		left -= list[i].Trials
	}
	first := slices.IndexFunc(o.Shares[:], func(share int) bool { return share > 0 })
	list[first].Trials += left
	return list
}

// Suite returns the workloads of a suite, or those that only names. They
// are mixed, so that a collection that ends early has some of all operators.
func Suite(name, only string) ([]workload.Workload, error) {
	list, err := workload.Suite(name, strings.FieldsFunc(only, func(r rune) bool { return r == ',' }))
	if err != nil {
		return nil, err
	}
	mix(list)
	return list, nil
}

// Plan returns the workloads of a plan, mixed like those of a suite.
func Plan(path string) ([]workload.Workload, error) {
	list, err := workload.ReadPlan(path)
	if err != nil {
		return nil, err
	}
	mix(list)
	return list, nil
}

// mix sorts workloads by a hash.
func mix(list []workload.Workload) {
	hash := func(w workload.Workload) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s\n", len(w.Text), w.Text))
		return string(sum[:])
	}
	slices.SortFunc(list, func(a, b workload.Workload) int { return strings.Compare(hash(a), hash(b)) })
}

// A session is a collection under way.
type session struct {
	Options
	kind    target.Kind
	machine machine.Machine
	world   *costmodel.World // nil: the scorer is another
	log     *dataset.Writer
	past    map[string][]dataset.Record // of tasks that are not complete, by workload
	result  *Result
}

// Run collects. The result is nil if no log was opened; with an error, it says what was
// collected until then.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	started := time.Now()
	if o.Time > 0 {
		var cancel func()
		o.Stop, cancel = stopAfter(o.Stop, o.Time)
		defer cancel()
	}
	o.Machine.Timing = timing
	o.Target = cmp.Or(o.Target, string(target.LLVM))
	s := &session{Options: o}
	if s.kind, err = machine.Valid(o.Target); err != nil {
		return nil, err
	}
	if err := s.openScorer(); err != nil {
		return nil, err
	}
	if s.machine, err = machine.Open(ctx, o.Target, o.Machine); err != nil {
		return nil, err
	}
	defer s.machine.Close()
	if why := s.machine.CannotTime(); why != "" {
		return nil, fmt.Errorf("a collection needs times, but %s; without --target it measures this machine's "+
			"processor", why)
	}
	if err := s.openLog(); err != nil {
		return nil, err
	}
	err = s.run(ctx)
	if e := s.log.Close(); err == nil {
		err = e
	}
	s.result.end(started)
	return s.result, err
}

// stopAfter returns a channel that is closed when stop is, or after a time.
func stopAfter(stop <-chan struct{}, d time.Duration) (<-chan struct{}, func()) {
	both, quit := make(chan struct{}), make(chan struct{})
	go func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-stop:
			close(both)
		case <-t.C:
			close(both)
		case <-quit:
		}
	}()
	return both, func() { close(quit) }
}

func (s *session) run(ctx context.Context) error {
	for i, w := range s.Workloads {
		select {
		case <-s.Stop:
			s.result.Reason = search.Stopped.String()
			return nil
		default:
		}
		if err := s.task(ctx, i, w); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	s.result.Reason = "complete"
	if s.result.Complete+s.result.Exhausted < len(s.Workloads) {
		s.result.Reason = search.Stopped.String() // in the last workload
	}
	return nil
}

// openLog opens the log to continue it, and takes over what it holds of the tasks.
func (s *session) openLog() error {
	if err := os.MkdirAll(filepath.Dir(s.Options.Log), 0o777); err != nil {
		return fmt.Errorf("folder for the log: %w; choose another with --log", err)
	}
	s.past = map[string][]dataset.Record{}
	wanted := map[string]string{} // keys by workload
	for _, w := range s.Workloads {
		wanted[w.Text] = w.Key
	}
	host := s.machine.Target().String()
	var foreign error
	log, err := dataset.OpenWriter(s.Options.Log, dataset.WriterOptions{Past: func(r dataset.Record) {
		switch {
		case r.Target.String() != host:
			foreign = fmt.Errorf("it was measured on %q, and this machine is %q; their times do not compare", &r.Target, host)
		case r.Layout != s.Layout:
			foreign = fmt.Errorf("it was collected with --layout %s, not %s", r.Layout, s.Layout)
		case r.Timing != measure.Repeated:
			foreign = fmt.Errorf("its times are %s ones, which do not compare with repeated ones", r.Timing)
		case wanted[r.Workload] == r.WorkloadKey:
			s.past[r.Workload] = append(s.past[r.Workload], r)
		}
	}})
	if err != nil {
		return err
	}
	if foreign != nil {
		log.Close()
		return fmt.Errorf("log %s: %w: choose another log file with --log", s.Options.Log, foreign)
	}
	s.log = log
	s.result = s.newResult()
	if s.Observer.Opened != nil {
		s.Observer.Opened(*s.result, log.Records(), log.Warnings())
	}
	return nil
}

// task collects candidates of one workload.
func (s *session) task(ctx context.Context, number int, w workload.Workload) error {
	past := s.past[w.Text]
	delete(s.past, w.Text)
	if len(past) >= s.PerTask || s.Choices && len(past) > 0 { // times of two turns do not compare
		s.result.Complete++
		return nil
	}
	if s.Observer.Begin != nil {
		s.Observer.Begin(number, w, past)
	}
	scorer, err := s.scorer()
	if err != nil {
		return err
	}
	runner, wait := s.prepare(ctx, w)
	defer wait()
	t := &search.Tuner{
		Task: &search.Task{
			Name: w.Text, Key: w.Key, DAG: w.DAG, Target: s.machine.Target(),
			Space:  space.Default(s.kind, space.Config{Layout: s.Layout}),
			Layout: s.Layout,
		},
		Scorer: scorer, Builder: s.machine.Builder(), Runner: runner,
		Options: search.Options{
			Trials: s.PerTask - len(past), Phases: s.phases(), PerRound: PerRound, Pieces: pieces,
			Explore: -1, Finalists: -1,
			Seed: s.Seed, ScorerName: cmp.Or(s.Scorer, learnerName), Workers: s.Machine.Workers,
			Clock: time.Now, Stop: s.Stop, OnEvent: s.Observer.Event, OnRound: s.round,
		},
	}
	if s.Choices {
		return s.choose(ctx, t)
	}
	out, err := t.Run(ctx, past)
	if err != nil && !errors.Is(err, search.ErrNothingCorrect) {
		return err
	}
	switch out.Reason {
	case search.Stopped:
	case search.Exhausted:
		s.result.Exhausted++
		s.end(fmt.Sprintf("search space exhausted after %d candidates", len(past)+out.Trials))
	default:
		s.result.Complete++
		s.end("")
	}
	return nil
}

// openScorer opens what all tasks need of the scorer, and sees whether it can be opened.
func (s *session) openScorer() (err error) {
	switch {
	case s.Shares[1] == 0 && !s.Choices:
	case s.Scorer == "world":
		s.world, err = costmodel.OpenWorld(costmodel.Options{Seed: s.Seed, Kind: s.kind})
	default:
		_, err = s.newLearner()
	}
	if err != nil {
		return fmt.Errorf("%w; or collect without a scorer: --shares 60/0/40", err)
	}
	return nil
}

// scorer returns the scorer of one task.
func (s *session) scorer() (search.Scorer, error) {
	switch {
	case s.Choices:
		s.world.Forget(nil)
		return s.world, nil
	case s.Shares[1] == 0:
		return search.Random{Seed: s.Seed}, nil
	case s.world != nil:
		s.world.Forget(nil)
		return &costmodel.Curious{World: s.world}, nil
	}
	return s.newLearner()
}

func (s *session) end(remark string) {
	if s.Observer.End != nil {
		s.Observer.End(remark)
	}
}

// round keeps a round.
func (s *session) round(r search.Round) error {
	if err := s.append(r.Records); err != nil {
		return err
	}
	for i := range r.Records {
		s.result.add(&r.Records[i])
	}
	if s.Observer.Round != nil {
		s.Observer.Round(r.Records)
	}
	return nil
}

func (s *session) append(records []dataset.Record) error {
	if s.Writing != nil {
		s.Writing.Lock()
		defer s.Writing.Unlock()
	}
	return s.log.Append(records)
}

// A Result is what a collection found. Names in JSON may be added, never changed.
type Result struct {
	Suite            string         `json:"suite"`
	Target           string         `json:"target"`
	Seed             uint64         `json:"seed"`
	Layout           string         `json:"layout"`
	PerTask          int            `json:"per_task"`
	Shares           string         `json:"shares"`
	Tasks            int            `json:"tasks"`
	Complete         int            `json:"tasks_complete"`
	Exhausted        int            `json:"tasks_exhausted"` // whose search space has fewer candidates than wanted
	Structures       int            `json:"dag_structures"`  // of the tasks, shapes aside
	Records          int            `json:"records"`         // in the log, of these tasks
	NewRecords       int            `json:"new_records"`
	Status           map[string]int `json:"status"` // of Records
	Chosen           map[string]int `json:"chosen"` // Records by what chose them
	Noise            *Noise         `json:"noise,omitempty"`
	Reason           string         `json:"reason"` // for the end
	Seconds          float64        `json:"seconds"`
	RecordsPerSecond float64        `json:"records_per_second"`
	Log              string         `json:"log"`
	Version          string         `json:"version"`

	Surplus int       `json:"-"` // records beyond PerTask that the log held of a task
	spreads []float64 // of the records that have several samples
}

// A Noise says how far the samples of one record are apart: how much longer
// the middle one is than the shortest, over all records with three samples or more.
type Noise struct {
	Median  float64 `json:"median"`
	P95     float64 `json:"p95"`
	Records int     `json:"records"`
}

// newResult takes over what the log holds already.
func (s *session) newResult() *Result {
	r := &Result{
		Suite: s.Name, Target: s.machine.Target().String(), Seed: s.Seed, Layout: s.Layout.String(),
		PerTask: s.PerTask, Shares: s.sharesText(), Tasks: len(s.Workloads),
		Status: map[string]int{}, Chosen: map[string]int{}, Reason: "not ended", Log: s.Options.Log, Version: tune.Version(),
	}
	for _, list := range s.past {
		r.Surplus += max(0, len(list)-s.PerTask)
		for i := range list {
			r.add(&list[i])
		}
	}
	r.NewRecords = 0
	structures := map[string]bool{}
	for _, w := range s.Workloads {
		structures[w.DAG.Hash()] = true
	}
	r.Structures = len(structures)
	return r
}

func (r *Result) add(rec *dataset.Record) {
	r.Records++
	r.NewRecords++
	r.Status[rec.Status.String()]++
	r.Chosen[rec.Scorer]++
	if len(rec.Costs) >= 3 {
		p := dataset.Program{Costs: rec.Costs}
		r.spreads = append(r.spreads, p.Median()/p.Cost()-1)
	}
}

func (r *Result) end(started time.Time) {
	r.Seconds = time.Since(started).Seconds()
	r.RecordsPerSecond = float64(r.NewRecords) / r.Seconds
	if n := len(r.spreads); n > 0 {
		slices.Sort(r.spreads)
		r.Noise = &Noise{Median: measure.Median(r.spreads), P95: r.spreads[n*95/100], Records: n}
	}
}
