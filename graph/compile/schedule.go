package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

// choices is the number of candidates that a scorer ranks for a task; the first that lowers is taken.
const choices = 8

// tinyTask is the time in seconds of one call, by the estimate of seconds, below which a task is not worth a search.
const tinyTask = 3e-6

// A scheduler finds the schedule of each task.
type scheduler struct {
	machine tune.Machine
	scorer  search.Scorer
	name    string // of the scorer
	seed    uint64
	own     bool   // the scorer is the caller's, or of a model of the caller's: choices are not kept for others
	told    string // what the scorer said of the task
	db      *database.Database
	trials  int // candidates that are measured of each task that is searched, in all
	tell    Observer
	at, of  int // place of the task among all

	measured int // trials in the logs of all tasks
}

// schedule sets the function of a task.
func (s *scheduler) schedule(ctx context.Context, t *Task) error {
	if t.DAG == nil {
		f, err := lower.ForCPU(t.Func, s.machine.Target())
		if err != nil {
			return fmt.Errorf("task %s: %w", t.Name, err)
		}
		t.Func = f
		return nil
	}
	if !s.searches(t) {
		return s.plain(t)
	}
	if s.trials > 0 {
		if err := s.tune(ctx, t); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			s.tell.Say(fmt.Sprintf("task %s was not tuned: %v", t.Name, err))
		}
	}
	if t.Func != nil || s.recorded(t) || s.remembered(t) {
		return nil
	}
	err := s.choose(ctx, t)
	switch {
	case err == nil && !s.own:
		s.db.Put("choice", s.key(t), []byte(t.Steps))
	case err != nil && ctx.Err() == nil:
		if e := s.plain(t); e != nil {
			return errors.Join(err, e)
		}
		s.tell.Say(fmt.Sprintf("task %s has an untuned schedule: %v", t.Name, err))
		t.Choice = "untuned: " + err.Error()
		return nil
	}
	return err
}

// searches reports whether a schedule of t is searched for: whether it computes enough.
func (s *scheduler) searches(t *Task) bool {
	if t.Class == op.Injective {
		return false
	}
	bytes := int64(0)
	for _, b := range t.DAG.Tensors {
		bytes += b.Bytes()
	}
	return seconds(t.DAG.FLOPs(), float64(bytes)) >= tinyTask
}

func (s *scheduler) plain(t *Task) error {
	state, err := plain(t.DAG)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	t.Choice = "plain"
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

// choose takes what the scorer thinks fastest.
func (s *scheduler) choose(ctx context.Context, t *Task) error {
	w := workload.New(t.Name, t.Text, t.DAG)
	session, err := tune.Open(ctx, s.machine, w, tune.Options{
		Scorer: s.scorer, ScorerName: s.name, Seed: s.seed, Layout: target.Rewrite,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	s.told = ""
	list, err := session.Candidates(ctx, choices)
	s.forget()
	if err != nil {
		return err
	}
	err = errors.New("the search found no candidate")
	for _, c := range list {
		if err = s.lower(t, c.State); err == nil {
			t.Choice = "the choice of " + s.name
			if s.told != "" {
				t.Choice += ": " + s.told
			}
			return nil
		}
	}
	return err
}

// forget drops what the scorer remembers of a task that is done: it would fill the memory.
func (s *scheduler) forget() {
	if f, ok := s.scorer.(interface{ Forget() }); ok {
		f.Forget()
	}
}

// key is what a choice depends on.
func (s *scheduler) key(t *Task) string {
	return database.Key(t.Text, s.machine.Target().String(), s.name, fmt.Sprint(s.seed), tune.Version())
}

// remembered takes the choice that an earlier compilation made, if it still lowers.
func (s *scheduler) remembered(t *Task) bool {
	steps := s.db.Get("choice", s.key(t))
	return !s.own && len(steps) > 0 && s.take(t, string(steps), "the choice of "+s.name) == nil
}

// tune measures candidates of t until its log holds enough. The log is the record database's; without one, the fastest
// candidate becomes the task's function at once.
func (s *scheduler) tune(ctx context.Context, t *Task) error {
	w := workload.New(t.Name, t.Text, t.DAG)
	r, err := tune.Run(ctx, s.machine, w, tune.Options{
		Trials: s.trials, Scorer: s.scorer, ScorerName: s.name, Seed: s.seed, Layout: target.Rewrite,
		Log: s.db.Log(t.Text, s.machine.Target(), target.Rewrite), Observer: taskObserver{s, t.Name},
	})
	s.forget()
	if r != nil {
		s.measured += r.Trials
	}
	if err != nil || r.BestUS == nil || s.db != nil {
		return err
	}
	return s.take(t, r.Steps, fmt.Sprintf("the fastest of %d candidates", r.Trials))
}

// recorded takes the fastest record of t in the record database, if it still lowers.
func (s *scheduler) recorded(t *Task) bool {
	best, ok, err := s.db.Best(t.Text, s.machine.Target(), target.Rewrite)
	if err != nil {
		s.tell.Say(fmt.Sprintf("records of task %s: %v", t.Name, err))
	}
	if !ok || err != nil {
		return false
	}
	return s.take(t, string(schedule.FormatSteps(best.Steps)), "the fastest record") == nil
}

// take gives t the schedule of some steps.
func (s *scheduler) take(t *Task, steps, how string) error {
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		return err
	}
	state, err := schedule.Replay(t.DAG, list)
	if err == nil {
		err = s.lower(t, state)
	}
	if err == nil {
		t.Choice = how
	}
	return err
}

// A taskObserver passes on how the search of a task goes on.
type taskObserver struct {
	s    *scheduler
	task string
}

// Say passes on warnings only: what a search says of each task would bury them.
func (o taskObserver) Say(text string) {
	if strings.HasPrefix(text, "warning") {
		o.s.tell.Say(o.task + ": " + text)
	}
}

func (o taskObserver) Phase(text string, p tune.Progress) {
	o.s.tell.Phase(fmt.Sprintf("tune %s, %d of %d trials: %s", o.task, p.Trials, p.Goal, text), o.s.at, o.s.of)
}

func (o taskObserver) Round(p tune.Progress) { o.Phase(fmt.Sprintf("round %d", p.Round), p) }
