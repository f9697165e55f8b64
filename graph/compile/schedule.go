package compile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/balance"
	"github.com/wmtune/wmtune/tune/budget"
)

// choices is the number of candidates that a scorer ranks for a task; the first that lowers is taken.
const choices = 8

// balanced is the number of candidates whose programs are looked at for idle threads, where there are more threads than
// the scorer knows.
const balanced = 32

// untiled is the search space of tasks: what is to be convolved in tiles, the pass winograd has decided before.
const untiled = "untiled"

// tinyTask is the time in seconds of one call, by budget.Work.Guess, below which a task is not worth a search.
const tinyTask = 3e-6

// A scheduler finds the schedule of each task.
type scheduler struct {
	machine tune.Machine
	scorer  search.Scorer
	name    string // of the scorer
	policy  tune.Policy
	seed    uint64
	model   string // models.Fingerprint of the one in the program
	custom  bool   // the scorer is given by the caller; its choices are not stored in the database
	told    string // what the scorer said of the task
	db      *database.Database
	evicts  bool // the model's weights are more than the last-level cache holds
	workers int  // goroutines that make candidates; 0: one per core
	tell    Observer

	trials  int           // candidates that are measured of all tasks, in all
	time    time.Duration // after which no round begins, since started
	started time.Time
	stop    <-chan struct{}
	even    bool           // all tasks get as many trials, to compare with
	taught  map[*Task]bool // the scorer has learned from the records of these, and not forgotten it
	tuned   map[string]int // trials by the name of the task, of this compilation

	measured int // trials in the logs of all tasks

	layouts *layouts // of a model of several plans
}

// schedule sets the function of each task, and says what was measured of them; nil if nothing was to be measured.
func (s *scheduler) schedule(ctx context.Context, tasks []*Task) (*Tuning, error) {
	var result *Tuning
	s.taught, s.tuned = map[*Task]bool{}, map[string]int{}
	if s.trials > 0 || s.time > 0 {
		var searched []*Task
		for _, t := range tasks {
			if t.searches() {
				searched = append(searched, t)
			}
		}
		if s.db == nil || s.db.ReadOnly() != nil {
			db, remove, err := temporaryDatabase()
			if err != nil {
				return nil, err
			}
			defer remove()
			s.db = db
		}
		var err error
		if result, err = s.tune(ctx, searched); err != nil {
			return result, err
		}
		for _, t := range result.Tasks {
			s.tuned[t.Name] = t.New
		}
	}
	for i, t := range tasks {
		if err := ctx.Err(); err != nil {
			return result, err
		}
		s.tell.Phase("schedule "+t.Name, i, len(tasks))
		if err := s.task(ctx, t); err != nil {
			return result, err
		}
		t.Func = serialLoops(t.Func, s.machine.Target())
		s.layouts.decide(t)
	}
	return result, nil
}

// task sets the function of a task.
func (s *scheduler) task(ctx context.Context, t *Task) error {
	if t.DAG == nil {
		f, err := t.Func, error(nil)
		if t.forTarget != nil {
			f, err = t.forTarget(s.machine.Target())
		}
		if err == nil {
			f, err = lower.ForCPU(f, s.machine.Target())
		}
		if err != nil {
			return fmt.Errorf("task %s: %w", t.Name, err)
		}
		t.Func = f
		return nil
	}
	want, by := s.layouts.wanted(t)
	if !t.searches() && want == nil {
		return s.plain(t)
	}
	if s.recorded(t) {
		return nil
	}
	err := s.choose(ctx, t, want, by)
	if err != nil && ctx.Err() == nil {
		if e := s.plain(t); e != nil {
			return errors.Join(err, e)
		}
		s.tell.Say(fmt.Sprintf("task %s has an untuned schedule: %v", t.Name, err))
		t.Source, t.Choice = Untuned, "untuned: "+err.Error()
		return nil
	}
	return err
}

// searches reports whether a schedule of t is searched for: whether it computes enough.
func (t *Task) searches() bool {
	return t.DAG != nil && t.Class != op.Injective &&
		budget.Work{FLOPs: t.DAG.FLOPs(), Bytes: t.bytes()}.Guess() >= tinyTask
}

// bytes is what one run of t moves at the least.
func (t *Task) bytes() float64 {
	bytes := int64(0)
	for _, b := range t.DAG.Tensors {
		bytes += b.Bytes()
	}
	return float64(bytes)
}

func (s *scheduler) plain(t *Task) error {
	state, err := plain(t.DAG)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	t.Source, t.Choice = Plain, "plain"
	return s.lower(t, state)
}

func (s *scheduler) lower(t *Task, state *schedule.State) error {
	f, err := lower.Lower(state, lower.Config{Target: s.machine.Target(), Layout: target.Rewrite})
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	t.Func, t.Steps = f, string(schedule.FormatSteps(state.Steps))
	return nil
}

// choose takes what the scorer thinks fastest: of the candidates that read operands as wanted, if another task has
// decided that.
func (s *scheduler) choose(ctx context.Context, t *Task, want map[int]string, by *Task) error {
	list, err := s.fitting(ctx, t, want, by)
	s.forget()
	if err != nil {
		return err
	}
	err = errors.New("the search found no candidate")
	for _, state := range list {
		if err = s.lower(t, state); err == nil {
			t.Source, t.Choice = Scored, "the choice of "+s.name
			if s.told != "" {
				t.Choice += ": " + s.told
			}
			return nil
		}
	}
	return err
}

// ranked returns what the scorer thinks fastest, best first: as an earlier compilation found it, or by a search.
func (s *scheduler) ranked(ctx context.Context, t *Task) ([]*schedule.State, error) {
	s.told = ""
	if list := s.remembered(t, s.key(t)); len(list) > 0 {
		return list, nil
	}
	session, err := tune.Open(ctx, s.machine, workload.New(t.Name, t.Text, t.DAG), tune.Options{
		Scorer: balance.Scorer(s.scorer, s.machine.Target().Hardware.Cores), ScorerName: s.name, Seed: s.seed,
		Layout: target.Rewrite, Workers: s.workers, Space: untiled, Evolution: search.Quick,
	})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	n, cores := choices, s.machine.Target().Hardware.Cores
	if cores > balance.Known {
		n = balanced
	}
	found, err := session.Candidates(ctx, n)
	if err != nil {
		return nil, err
	}
	if cores > balance.Known {
		found = s.evenly(found)[:min(len(found), choices)]
	}
	var list []*schedule.State
	for _, c := range found {
		list = append(list, c.State)
	}
	s.remember(s.key(t), list)
	return list, nil
}

// remember keeps what a compilation chose from, for later ones.
func (s *scheduler) remember(key string, list []*schedule.State) {
	if s.custom {
		return
	}
	var lines []string
	for _, state := range list {
		lines = append(lines, string(schedule.FormatSteps(state.Steps)))
	}
	s.db.Put("choice", key, []byte(strings.Join(lines, "\n")))
}

// evenly orders candidates by their scores again, in which the idle threads are now those of the lowered programs.
func (s *scheduler) evenly(found []evolve.Scored) []evolve.Scored {
	on := s.machine.Target()
	list := slices.Clone(found)
	for i, c := range list {
		f, err := lower.Lower(c.State, lower.Config{Target: on, Layout: target.Rewrite})
		if err != nil {
			list[i].Score = math.Inf(-1) // choose says why, if no other is left
			continue
		}
		idle, _ := balance.Idle(balance.Of(serialLoops(f, on), on), on.Hardware.Cores)
		list[i].Score += math.Log2(1-idle) - math.Log2(balance.Busy(c.State, on.Hardware.Cores))
	}
	slices.SortStableFunc(list, evolve.BestFirst)
	return list
}

// forget drops what the scorer remembers of a task that is done: it would fill the memory. A scorer that forgets has
// to be taught again what it had learned from records, of all tasks.
func (s *scheduler) forget() {
	if forget := s.scorer.Traits().Forget; forget != nil {
		forget(nil)
		clear(s.taught)
	}
}

// key is what a choice depends on.
func (s *scheduler) key(t *Task) string {
	on, scorer := s.machine.Target(), s.name
	if on.Hardware.Cores > balance.Known {
		scorer += ", balanced"
	}
	return database.Key(t.Text, database.Machine(t.Text, on), scorer, fmt.Sprint(s.seed), tune.Version(), s.model)
}

// remembered returns what an earlier compilation chose from: those that still apply.
func (s *scheduler) remembered(t *Task, key string) []*schedule.State {
	if s.custom {
		return nil
	}
	var list []*schedule.State
	for _, line := range strings.Split(string(s.db.Get("choice", key)), "\n") {
		if state, err := replay(t, line); err == nil && line != "" {
			list = append(list, state)
		}
	}
	return list
}

// replay returns the state of some steps, in AutoScheduler's form.
func replay(t *Task, steps string) (*schedule.State, error) {
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		return nil, err
	}
	state, err := schedule.Replay(t.DAG, list)
	if err != nil {
		return nil, err
	}
	return state.InferBound()
}

// past returns the records of t in the record database.
func (s *scheduler) past(t *Task) ([]dataset.Record, error) {
	list, err := s.db.Timed(s.timing(t)).Records(t.Text, s.machine.Target(), target.Rewrite)
	return tune.Past(list), err
}

// timing says what the caches hold when candidates of t are timed: in a model whose weights are more than the
// last-level cache holds, a kernel reads them from memory.
func (s *scheduler) timing(t *Task) measure.Timing {
	if s.evicts && t.DAG != nil && len(t.DAG.Constants()) > 0 {
		return measure.Deployed
	}
	return measure.Repeated
}

// fastest returns the record with the lowest cost; nil if none was timed.
func fastest(records []dataset.Record) *dataset.Record {
	var best *dataset.Record
	for i := range records {
		if r := &records[i]; r.Timed() && (best == nil || r.Cost() < best.Cost()) {
			best = r
		}
	}
	return best
}

// fastest returns the steps of the record with the lowest cost, or of the candidate that was faster in turns; "" if
// none was timed.
func (s *scheduler) fastest(t *Task, records []dataset.Record) string {
	best := fastest(records)
	if best == nil {
		return ""
	}
	steps := string(schedule.FormatSteps(best.Steps))
	if list := s.compared(t); slices.Contains(list, steps) {
		return list[0]
	}
	return steps
}

// recorded takes the fastest record of t in the record database, if it still lowers.
func (s *scheduler) recorded(t *Task) bool {
	want, _ := s.layouts.wanted(t)
	past, err := s.past(t)
	if err != nil {
		s.tell.Say(fmt.Sprintf("records of task %s: %v", t.Name, err))
	}
	s.measured += len(past)
	past = s.readAs(t, past, want)
	steps := s.fastest(t, past)
	if steps == "" && s.timing(t) != measure.Repeated { // a choice by times of another kind is better than none
		past, _ = s.db.Records(t.Text, s.machine.Target(), target.Rewrite)
		past = s.readAs(t, tune.Past(past), want)
		steps = s.fastest(t, slices.DeleteFunc(past, inTiles))
	}
	if steps == "" {
		return false
	}
	state, err := replay(t, steps)
	if err != nil || s.lower(t, state) != nil {
		return false
	}
	t.Source = FromDatabase
	if s.tuned[t.Name] > 0 {
		t.Source = Tuned
	}
	t.Choice = fmt.Sprintf("the fastest of %d measured candidates", len(past))
	return true
}

// inTiles reports whether a record's weights are transformed: up to four times as many as those of the convolution. If
// they were in a cache, its time says nothing of that.
func inTiles(r dataset.Record) bool {
	return slices.ContainsFunc(r.Steps, func(s schedule.Step) bool {
		_, ok := s.(schedule.Winograd)
		return ok
	})
}

// missingRecords returns the names of those tasks that are searched and have no measured candidate.
func missingRecords(tasks []*Task) []string {
	var list []string
	for _, t := range tasks {
		if t.Source == Scored || t.Source == Untuned {
			list = append(list, t.Name)
		}
	}
	return list
}
