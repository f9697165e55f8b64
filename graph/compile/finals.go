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
	"github.com/wmtune/wmtune/tune/budget"
)

// Rounds time each candidate once, beside others than the best of another round, and the fastest of many such times is
// the luckiest. So the best few of a task are timed again in turns, as at the end of a search. The record database has
// who took part and who won: later compilations need not repeat it, until a record is faster than all of them.

// finalsShare is the share of the time of tuning that is left to finals.
const finalsShare = 0.05

// finals measures the best candidates of tasks again: of the one which the model spends most time in, and of the next
// ones until the time is up. It stops between two tasks, and after the last, as rounds do.
func (t *tuning) finals(ctx context.Context) error {
	until := time.Now().Add(time.Duration(finalsShare * float64(time.Since(t.began))))
	order := make([]int, len(t.tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(t.part(a), t.part(b)) })
	order = slices.DeleteFunc(order, func(i int) bool { return t.result.Tasks[i].New == 0 })
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

// part is how many seconds of a run are spent in a task.
func (t *tuning) part(task int) float64 { return float64(t.tasks[task].Weight) * t.plan.Best(task) }

// final measures the best candidates of a task again. That the task is tuned by another program is no error.
func (t *tuning) final(ctx context.Context, task int) error {
	if err := t.open(ctx, budget.Choice{Task: task}); errors.Is(err, dataset.ErrLocked) {
		return nil
	} else if err != nil {
		return err
	}
	list, err := t.session.Finals(ctx)
	if len(list) > 0 {
		var lines []string
		for _, f := range list {
			lines = append(lines, string(schedule.FormatSteps(f.State.Steps)))
		}
		t.db.Put("final", t.finalKey(t.tasks[task]), []byte(strings.Join(lines, "\n")))
	}
	return err
}

// compared returns the steps of candidates that were timed in turns, the fastest first; none if none were.
func (s *scheduler) compared(t *Task) []string {
	return strings.Split(string(s.db.Get("final", s.finalKey(t))), "\n")
}

func (s *scheduler) finalKey(t *Task) string {
	return database.Key(t.Text, s.machine.Target().String(), s.timing(t).String())
}
