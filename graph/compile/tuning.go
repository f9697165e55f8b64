package compile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/budget"
)

// ErrStopped is the error of a compilation that Options.Stop ended while it was tuning. The record database has what
// was measured.
var ErrStopped = errors.New("the compilation was stopped")

// A Tuning says what was measured of the tasks of a model. Times are in microseconds. Fields may be added, never
// renamed.
type Tuning struct {
	Trials  int          `json:"trials"`     // in the logs of all tasks
	New     int          `json:"new_trials"` // of them, those of this compilation
	Rounds  int          `json:"rounds"`
	Seconds float64      `json:"seconds"`
	Reason  string       `json:"reason"`  // why it ended: trials spent, time spent, space exhausted
	FromUS  float64      `json:"from_us"` // sum of weight and time of the tasks below, as far as they were timed
	ToUS    float64      `json:"to_us"`
	Tasks   []TaskTuning `json:"tasks"` // those that are searched
}

// A TaskTuning says what was measured of a task.
type TaskTuning struct {
	Name   string         `json:"name"`
	Weight int            `json:"weight"`
	Trials int            `json:"trials"` // in its log
	New    int            `json:"new_trials"`
	FromUS float64        `json:"from_us"`          // the best before this compilation, else the first; 0: none was timed
	ToUS   float64        `json:"to_us"`            // the best. If both were timed again in turns, these are from there
	Why    map[string]int `json:"why,omitempty"`    // new trials by what they were given for, as package budget calls it
	Policy string         `json:"policy,omitempty"` // that sought candidates; "" if none was asked for
}

// A TuneProgress says how far the tuning of a model is.
type TuneProgress struct {
	Task         string
	At, Of       int           // number of the task, from 1, and of tasks
	Trials, Goal int           // in the logs; Goal is 0 if only time bounds them
	Model        float64       // seconds: sum of weight and best time of the tasks; 0 until all were timed
	Left         time.Duration // until the budget is spent; 0 if that is not known
	Phase        string        // such as "measuring 16"
}

// A tuning divides the budget of a model among its tasks.
type tuning struct {
	*scheduler
	tasks  []*Task
	plan   *budget.Scheduler
	result Tuning
	began  time.Time

	session *tune.Session // of the task at; nil if none is open
	at      int
	own     search.Scorer // of the policy, nil before it is asked or if the policy has none
	before  []string      // the steps that each task would have without this tuning, if a record says so
}

// firstTrials is how many choices of the scorer are measured in the first round of a task, and largestRound how many
// candidates in any other at the most. More would divide an hour too coarsely among 30 tasks, fewer would leave half of
// it to seeking candidates.
const (
	firstTrials  = 4
	largestRound = 24
)

// busyWait is how long to wait if all tasks that are left are tuned by other programs.
const busyWait = 100 * time.Millisecond

// tune measures candidates of tasks until the budget is spent.
func (s *scheduler) tune(ctx context.Context, tasks []*Task) (*Tuning, error) {
	t := &tuning{scheduler: s, tasks: tasks, at: -1, began: time.Now()}
	opt := budget.Options{Seed: s.seed, First: firstTrials, Round: largestRound, PerSecond: s.trials == 0, Even: s.even}
	if s.trials > 0 {
		each := s.trials / max(len(tasks), 1)
		opt.Round = min(search.RoundSize(max(each, 1)), largestRound)
		opt.First = min(firstTrials, each/2)
	}
	t.plan = budget.New(budgetTasks(tasks), opt)
	s.tell.Tune(TuneProgress{Of: len(tasks), Goal: s.trials, Phase: "reading logs"})
	for i, k := range tasks {
		past := t.readable(k)
		t.result.Tasks = append(t.result.Tasks, TaskTuning{Name: k.Name, Weight: k.Weight})
		t.report(i, past)
		t.result.Tasks[i].FromUS = 1e6 * t.plan.Best(i)
		t.before = append(t.before, t.fastest(k, past))
	}
	reason, err := t.rounds(ctx)
	if err == nil {
		err = t.finals(ctx)
	}
	err = errors.Join(err, t.close())
	t.others()
	return t.finish(reason), err
}

// readable returns the records of a task. A log that cannot be read holds none; it is set aside so that the task can be
// tuned.
func (t *tuning) readable(k *Task) []dataset.Record {
	past, err := t.past(k)
	if err == nil {
		return past
	}
	aside, e := t.db.Timed(t.timing(k)).SetAside(k.Text, t.machine.Target(), target.Rewrite)
	err = errors.Join(err, e)
	if aside != "" {
		err = fmt.Errorf("%w; it is %s now, and the task begins without records", err, aside)
	}
	t.tell.Say(fmt.Sprintf("records of task %s: %v", k.Name, err))
	return nil
}

// others counts what other programs have measured of the tasks of which this one knows nothing.
func (t *tuning) others() {
	for i, k := range t.tasks {
		if t.plan.Trials(i) == 0 {
			past, _ := t.past(k) // readable has said what the error is
			t.report(i, past)
		}
	}
}

// rounds measures rounds, and says why there is no further one.
func (t *tuning) rounds(ctx context.Context) (reason string, err error) {
	for {
		if t.stopped() {
			return "stopped", ErrStopped
		}
		left := math.MaxInt
		if t.trials > 0 {
			left = t.trials - t.plan.Total()
		}
		if left <= 0 {
			return "trials spent", nil
		}
		if t.time > 0 {
			if left = min(left, t.affordable()); left <= 0 {
				return "time spent", nil
			}
		}
		c, ok := t.plan.Next(left)
		switch {
		case !ok && t.plan.Again():
			time.Sleep(busyWait)
			continue
		case !ok:
			return "space exhausted", nil
		}
		if err := t.round(ctx, c); err != nil {
			return "cancelled", err
		}
	}
}

// stopped reports whether the caller wants no more.
func (t *tuning) stopped() bool {
	select {
	case <-t.stop:
		return true
	default:
		return false
	}
}

// affordable returns how many trials the time that is left is expected to do for.
func (t *tuning) affordable() int {
	left := t.time - t.finalsTime(t.time) - time.Since(t.started)
	if left <= 0 || t.result.New == 0 {
		return int(max(left, 0)) // nanoseconds: any number
	}
	each := time.Since(t.began) / time.Duration(t.result.New)
	return int(math.Ceil(float64(left) / float64(max(each, 1))))
}

// round measures a round. An error of the task takes it out; other errors end the tuning.
func (t *tuning) round(ctx context.Context, c budget.Choice) error {
	started := time.Now()
	records, err := t.measure(ctx, c)
	r := &t.result.Tasks[c.Task]
	t.report(c.Task, records)
	if n := len(records); n > 0 {
		t.plan.Took(c.Task, n, time.Since(started).Seconds())
		if r.Why == nil {
			r.Why = map[string]int{}
		}
		r.Why[c.Why.String()] += n
		r.New += n
		t.result.New += n
		t.result.Rounds++
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, dataset.ErrLocked):
		t.plan.Pass(c.Task)
		return nil
	case err != nil:
		t.plan.Exhausted(c.Task)
		t.tell.Say(fmt.Sprintf("task %s is tuned no further: %v", t.tasks[c.Task].Name, err))
		return t.close()
	case len(records) == 0:
		t.plan.Exhausted(c.Task)
	}
	t.plan.Again()
	return nil
}

// measure measures the candidates of a round: at first the scorer's choices.
func (t *tuning) measure(ctx context.Context, c budget.Choice) ([]dataset.Record, error) {
	if err := t.open(ctx, c.Task, true); err != nil {
		return nil, err
	}
	if t.plan.Trials(c.Task) == 0 {
		t.session.Phase("seeking candidates")
		states, err := t.ranked(ctx, t.tasks[c.Task])
		if err == nil && len(states) > 0 {
			return t.session.Try(ctx, states[:min(len(states), c.Trials)])
		}
		if err != nil && !errors.Is(err, search.ErrUntrained) {
			return nil, err
		}
	}
	return t.session.Round(ctx, c.Trials)
}

// open opens the session of a task, unless it is open. The one of another task is closed: a session keeps what it
// measured in memory, and has the log locked. A scorer that is to be asked is taught what the log holds.
func (t *tuning) open(ctx context.Context, task int, teach bool) error {
	if t.session != nil && t.at == task {
		return nil
	}
	if err := t.close(); err != nil {
		return err
	}
	k := t.tasks[task]
	policy := t.policyOf(k)
	if t.policy.Name != "" {
		t.result.Tasks[task].Policy = policy.Name
	}
	scorer, name, err := t.scorerOf(ctx, policy)
	if err != nil {
		return err
	}
	session, err := tune.Open(ctx, t.machine, workload.New(k.Name, k.Text, k.DAG), tune.Options{
		Scorer: scorer, ScorerName: name, Seed: t.seed, Layout: target.Rewrite, Workers: t.workers,
		Space: policy.Space, Propose: policy.Propose, Taught: t.taught[k] || !teach, Timing: t.timing(k),
		Log:      t.db.Timed(t.timing(k)).Begin(k.Text, t.machine.Target(), target.Rewrite),
		Observer: tuneObserver{t, task},
	})
	if err != nil {
		return err
	}
	t.session, t.at, t.taught[k] = session, task, t.taught[k] || teach
	past := session.Records()
	t.report(task, past[min(t.plan.Trials(task), len(past)):]) // another program measured them meanwhile
	return session.Resume(ctx)
}

// report counts records of a task.
func (t *tuning) report(task int, records []dataset.Record) {
	r := &t.result.Tasks[task]
	for _, rec := range records {
		t.plan.Report(task, costOf(rec))
		if r.FromUS == 0 {
			r.FromUS = 1e6 * costOf(rec)
		}
	}
}

// close closes the session that is open, and drops what the scorer remembers of its task: it would fill the memory.
func (t *tuning) close() error {
	if t.session == nil {
		return nil
	}
	err := t.session.Close()
	t.session = nil
	t.forget()
	return err
}

// finish sums up what was measured.
func (t *tuning) finish(reason string) *Tuning {
	r := &t.result
	r.Reason, r.Trials, r.Seconds = reason, t.plan.Total(), time.Since(t.began).Seconds()
	for i := range r.Tasks {
		k := &r.Tasks[i]
		if k.Trials = t.plan.Trials(i); k.ToUS == 0 {
			k.ToUS = 1e6 * t.plan.Best(i)
		}
		r.FromUS += float64(k.Weight) * k.FromUS
		r.ToUS += float64(k.Weight) * k.ToUS
	}
	return r
}

// budgetTasks describes tasks for package budget.
func budgetTasks(tasks []*Task) []budget.Work {
	list := make([]budget.Work, len(tasks))
	for i, k := range tasks {
		list[i] = budget.Work{Weight: float64(k.Weight), FLOPs: max(k.DAG.FLOPs(), 0), Bytes: k.bytes(), Like: k.DAG.Hash()}
	}
	return list
}

// costOf returns the seconds of a record, 0 if it has no time.
func costOf(r dataset.Record) float64 {
	if !r.Timed() {
		return 0
	}
	return r.Cost()
}

// temporaryDatabase makes a database for one compilation.
func temporaryDatabase() (db *database.Database, remove func(), err error) {
	dir, err := os.MkdirTemp("", "wmtune.database.*")
	if err != nil {
		return nil, nil, fmt.Errorf("folder for tuning logs: %w; choose one with --database", err)
	}
	remove = func() { os.RemoveAll(dir) }
	if db, err = database.Open(dir); err != nil {
		remove()
	}
	return db, remove, err
}

// A tuneObserver passes on how the search of a task goes on.
type tuneObserver struct {
	t    *tuning
	task int
}

// Say passes on warnings only: what a search says of each task would bury them.
func (o tuneObserver) Say(text string) {
	if strings.HasPrefix(text, "warning") {
		o.t.tell.Say(o.t.tasks[o.task].Name + ": " + text)
	}
}

func (o tuneObserver) Round(tune.Progress) {}

func (o tuneObserver) Phase(text string, _ tune.Progress) {
	t := o.t
	p := TuneProgress{Task: t.tasks[o.task].Name, At: o.task + 1, Of: len(t.tasks), Trials: t.plan.Total(), Goal: t.trials,
		Phase: text}
	known := true
	for i := range t.tasks {
		known = known && t.plan.Best(i) > 0
	}
	if known {
		p.Model = t.plan.Model()
	}
	if n := t.result.New; n > 0 && t.trials > 0 {
		p.Left = time.Since(t.began) / time.Duration(n) * time.Duration(t.trials-p.Trials)
	}
	if t.time > 0 {
		if left := max(t.time-time.Since(t.started), 0); p.Left == 0 || left < p.Left {
			p.Left = left
		}
	}
	t.tell.Tune(p)
}
