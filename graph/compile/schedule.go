package compile

import (
	"context"
	"errors"
	"fmt"

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
	db      *database.Database
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
	if s.remembered(t) {
		return nil
	}
	err := s.choose(ctx, t)
	if err == nil {
		s.db.Put("choice", s.key(t), []byte(t.Steps))
	}
	if err != nil && ctx.Err() == nil {
		if e := s.plain(t); e != nil {
			return errors.Join(err, e)
		}
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
	list, err := session.Candidates(ctx, choices)
	if f, ok := s.scorer.(interface{ Forget() }); ok {
		f.Forget() // of a task that is done
	}
	if err != nil {
		return err
	}
	err = errors.New("the search found no candidate")
	for _, c := range list {
		if err = s.lower(t, c.State); err == nil {
			t.Choice = "the choice of " + s.name
			return nil
		}
	}
	return err
}

// key is what a choice depends on.
func (s *scheduler) key(t *Task) string {
	return database.Key(t.Text, s.machine.Target().String(), s.name, fmt.Sprint(s.seed), tune.Version())
}

// remembered takes the choice that an earlier compilation made, if it still lowers.
func (s *scheduler) remembered(t *Task) bool {
	steps, err := schedule.ParseSteps(s.db.Get("choice", s.key(t)))
	if err != nil || len(steps) == 0 {
		return false
	}
	state, err := schedule.Replay(t.DAG, steps)
	if err != nil || s.lower(t, state) != nil {
		return false
	}
	t.Choice = "the choice of " + s.name
	return true
}
