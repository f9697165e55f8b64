package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Rounds time each candidate once, beside others than the best of another round, and the fastest of many such times is
// the luckiest. So the best few of a task are timed again in turns, as at the end of a search. The scorer's first
// choice and the best of before take part as well: on a noisy machine the luckiest of some hundred candidates may be
// slower. The record database has who took part and who won: later compilations need not repeat it, until a record is
// faster than all of them.

// finalTime is about how long the comparison of a task takes, and finalsShare the largest share of the time of tuning
// that is left to those of all tasks.
const (
	finalTime   = time.Second
	finalsShare = 0.15
)

// finalsTime is how much of some time is for finals.
func (t *tuning) finalsTime(of time.Duration) time.Duration {
	return min(time.Duration(finalsShare*float64(of)), time.Duration(len(t.tasks))*finalTime)
}

// finals measures the best candidates of tasks again: of the one which the model spends most time in, and of the next
// ones until the time is up. It stops between two tasks, and after the last, as rounds do.
func (t *tuning) finals(ctx context.Context) error {
	until := time.Now().Add(t.finalsTime(max(time.Since(t.began), t.time)))
	order := make([]int, len(t.tasks))
	for i := range order {
		order[i] = i
	}
	order = slices.DeleteFunc(order, func(i int) bool { return !t.uncompared(i) })
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(t.part(a), t.part(b)) })
	for n, i := range order {
		if t.stopped() {
			return ErrStopped
		}
		if n > 0 && time.Now().After(until) || ctx.Err() != nil {
			break
		}
		if err := t.final(ctx, i); err != nil && ctx.Err() == nil {
			t.tell.Say(fmt.Sprintf("the best of task %s were not compared: %v", t.tasks[i].Name, err))
		}
	}
	if t.stopped() && ctx.Err() == nil {
		return ErrStopped
	}
	return ctx.Err()
}

// uncompared reports whether a record of a task is faster than all that were measured in turns.
func (t *tuning) uncompared(task int) bool {
	k := t.tasks[task]
	past, err := t.past(k)
	best := fastest(past)
	return err == nil && best != nil && !slices.Contains(t.compared(k), string(schedule.FormatSteps(best.Steps)))
}

// part is how many seconds of a run are spent in a task.
func (t *tuning) part(task int) float64 { return float64(t.tasks[task].Weight) * t.plan.Best(task) }

// final measures the best candidates of a task again. That the task is tuned by another program is no error.
func (t *tuning) final(ctx context.Context, task int) error {
	k := t.tasks[task]
	past, err := t.past(k)
	if err != nil {
		return err
	}
	if err := t.open(ctx, task, false); errors.Is(err, dataset.ErrLocked) {
		return nil
	} else if err != nil {
		return err
	}
	first := string(schedule.FormatSteps(past[0].Steps))
	before := cmp.Or(t.before[task], first)
	list, err := t.session.Finals(ctx, first, before)
	if len(list) == 0 {
		return err
	}
	r := &t.result.Tasks[task]
	var lines []string
	for i, f := range list {
		lines = append(lines, string(schedule.FormatSteps(f.State.Steps)))
		if lines[i] == before {
			r.FromUS, r.ToUS = 1e6*f.Result.Cost(), 1e6*list[0].Result.Cost()
		}
	}
	t.db.Put("final", t.finalKey(k), []byte(strings.Join(lines, "\n")))
	return err
}

// compared returns the steps of candidates that were timed in turns, the fastest first; none if none were.
func (s *scheduler) compared(t *Task) []string {
	return strings.Split(string(s.db.Get("final", s.finalKey(t))), "\n")
}

func (s *scheduler) finalKey(t *Task) string {
	return database.Key(t.Text, database.Machine(t.Text, s.machine.Target()), s.timing(t).String())
}
