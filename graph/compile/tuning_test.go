package compile

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A timer is a machine on which the time of a candidate follows from its steps.
type timer struct {
	broken string // a task whose DAG has this stage cannot be set
	run    func() // called before each batch runs; may be nil
}

func (m *timer) Target() target.Target    { return target.Generic(32, 2) }
func (m *timer) Builder() machine.Builder { return m }
func (m *timer) Runner() machine.Runner   { return m }
func (m *timer) CannotTime() string       { return "" }
func (m *timer) Conditions() string       { return "" }

func (m *timer) SetTask(_ context.Context, d *compute.DAG, _ uint64, _ measure.Timing) error {
	if m.broken != "" && strings.Contains(d.Text(), m.broken) {
		return errors.New("no reference")
	}
	return nil
}

func (m *timer) Baseline(context.Context, measure.Input) (measure.Result, error) {
	panic("BUG: a model's tasks have no baseline")
}

func (m *timer) Export(context.Context, *tir.Func, machine.ExportOptions) (machine.Export, error) {
	panic("BUG: a model's tasks are not exported one by one")
}

func (m *timer) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return slices.Repeat([]measure.BuildResult{{Status: measure.OK}}, len(inputs)), nil
}

func (*timer) Modes() measure.Modes { return measure.Modes{} }

func (m *timer) Run(ctx context.Context, in []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	if m.run != nil {
		m.run()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	list := make([]measure.Result, len(in))
	for i, x := range in {
		h := fnv.New32a()
		io.WriteString(h, x.Workload+x.Steps)
		list[i] = measure.Result{Status: measure.OK, Costs: []float64{1e-6 * (100 + float64(h.Sum32()%1000))}}
	}
	return list, nil
}

// A trained scorer has an opinion, which means nothing.
type trained struct{ search.Random }

func (s trained) Traits() search.Traits { return search.Traits{} }

// products has three tasks that are searched, one of them twice as often as the others.
const products = `
	input x: float32[64, 64]
	const a: float32[64, 64]
	const b: float32[64, 96]
	const c: float32[96, 64]
	p = MatMul(x, a)
	q = Tanh(p)
	r = MatMul(q, a)
	s = Tanh(r)
	t = MatMul(s, b)
	u = MatMul(t, c)
	output u`

// tuneProducts compiles products as far as its schedules, on a timer.
func tuneProducts(ctx context.Context, db *database.Database, change func(s *scheduler)) ([]*Task, *Tuning, error) {
	m, err := New(ctx, graphtest.MustParse(products, 18), pass.Options{})
	if err != nil {
		return nil, nil, err
	}
	s := &scheduler{machine: &timer{}, scorer: search.Random{Seed: 5}, name: "random", seed: 7, db: db, tell: silent{},
		started: time.Now()}
	change(s)
	r, err := s.schedule(ctx, m.Tasks)
	return m.Tasks, r, err
}

func openTestDatabase(t *testing.T) *database.Database {
	t.Helper()
	db, err := database.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// logs prints what the logs of a database hold, in order.
func logs(t *testing.T, db *database.Database) string {
	t.Helper()
	var b strings.Builder
	paths, err := filepath.Glob(filepath.Join(db.Dir(), "log-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		list, warnings, err := dataset.ReadLog(path)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		fmt.Fprintln(&b, filepath.Base(path))
		for _, r := range list {
			fmt.Fprintln(&b, r.Trial, r.Costs, string(schedule.FormatSteps(r.Steps)))
		}
	}
	return b.String()
}

// TestTuneBudget: the trials count for the model, are done once, and are added to when more are wanted.
func TestTuneBudget(t *testing.T) {
	db := openTestDatabase(t)
	for i, c := range []struct{ trials, fresh int }{{48, 48}, {48, 0}, {60, 12}, {20, 0}} {
		tasks, r, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials = c.trials })
		if err != nil {
			t.Fatal(err)
		}
		want := Tuned
		if c.fresh == 0 {
			want = FromDatabase
		}
		searched, some := 0, false
		for _, k := range tasks {
			if k.searches() {
				searched++
				some = some || k.Source == want
				if k.Source != want && k.Source != FromDatabase {
					t.Errorf("run %d: task %s: %s", i, k.Name, k.Source)
				}
			}
		}
		why, fresh := 0, 0
		for _, k := range r.Tasks {
			fresh += k.New
			for _, n := range k.Why {
				why += n
			}
			if k.Trials == 0 || k.ToUS <= 0 || k.ToUS > k.FromUS {
				t.Errorf("run %d: %+v", i, k)
			}
		}
		if r.New != c.fresh || fresh != c.fresh || why != c.fresh || r.Trials != max(c.trials, r.Trials) ||
			searched != 3 || len(r.Tasks) != 3 || !some || r.Reason != "trials spent" {
			t.Errorf("run %d: %d tasks, %+v", i, searched, r)
		}
	}
}

// TestTuneSame: the same seed makes the same logs and schedules, whatever the number of workers, and if the work stops
// and goes on.
func TestTuneSame(t *testing.T) {
	want := ""
	for _, workers := range []int{1, 3} {
		for _, stopAfter := range []int{0, 3} {
			db := openTestDatabase(t)
			stop, batches := make(chan struct{}), 0
			tasks, _, err := tuneProducts(t.Context(), db, func(s *scheduler) {
				s.trials, s.workers, s.stop = 72, workers, stop
				s.machine = &timer{run: func() {
					if batches++; batches == stopAfter {
						close(stop)
					}
				}}
			})
			if stopAfter > 0 {
				if !errors.Is(err, ErrStopped) {
					t.Fatalf("it was not stopped: %v", err)
				}
				tasks, _, err = tuneProducts(t.Context(), db, func(s *scheduler) { s.trials, s.workers = 72, workers })
			}
			if err != nil {
				t.Fatal(err)
			}
			got := logs(t, db)
			for _, k := range tasks {
				got += fmt.Sprintln(k.Name, k.Steps)
			}
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d workers, stopped after %d batches: got\n%s\nwant\n%s", workers, stopAfter, got, want)
			}
		}
	}
}

// TestTuneCancelled: what was measured before the context ended is kept, and counts.
func TestTuneCancelled(t *testing.T) {
	db := openTestDatabase(t)
	ctx, cancel := context.WithCancel(t.Context())
	batches := 0
	_, r, err := tuneProducts(ctx, db, func(s *scheduler) {
		s.trials = 60
		s.machine = &timer{run: func() {
			if batches++; batches == 4 {
				cancel()
			}
		}}
	})
	if !errors.Is(err, context.Canceled) || r.New == 0 || r.New >= 60 {
		t.Fatalf("%v: %+v", err, r)
	}
	_, again, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials = 60 })
	if err != nil || again.New != 60-r.New || again.Trials != 60 {
		t.Errorf("%v: after %d trials %+v", err, r.New, again)
	}
}

// TestTuneTime: no round begins when the time is over; of trials and time that ends the tuning which is spent first.
func TestTuneTime(t *testing.T) {
	_, r, err := tuneProducts(t.Context(), openTestDatabase(t), func(s *scheduler) {
		s.time, s.started = time.Minute, time.Now().Add(-time.Hour)
	})
	if err != nil || r.New != 0 || r.Reason != "time spent" {
		t.Errorf("%v: %+v", err, r)
	}
	_, r, err = tuneProducts(t.Context(), openTestDatabase(t), func(s *scheduler) { s.time, s.trials = time.Hour, 20 })
	if err != nil || r.New != 20 || r.Reason != "trials spent" {
		t.Errorf("%v: %+v", err, r)
	}
}

// TestTuneNoDatabase: without a database, candidates are measured all the same, and nothing is left behind.
func TestTuneNoDatabase(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	tasks, r, err := tuneProducts(t.Context(), nil, func(s *scheduler) { s.trials = 24 })
	if err != nil || r.New != 24 {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, k := range tasks {
		if k.searches() && (k.Source != Tuned || k.Func == nil) {
			t.Errorf("task %s: %s", k.Name, k.Source)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// TestTuneBrokenTask: a task that cannot be measured does not keep others from it, and is not tuned.
func TestTuneBrokenTask(t *testing.T) {
	var said saying
	tasks, r, err := tuneProducts(t.Context(), openTestDatabase(t), func(s *scheduler) {
		s.trials, s.machine, s.tell = 24, &timer{broken: "[96, 64]"}, &said
	})
	text := strings.Join(said.lines, "\n")
	if err != nil || r.New != 24 || !strings.Contains(text, "is tuned no further: no reference") {
		t.Errorf("%v: %+v; said %q", err, r, said.lines)
	}
	for i, k := range r.Tasks {
		if (k.Trials == 0) != (i == 2) {
			t.Errorf("%+v", k)
		}
	}
	missing := missingRecords(tasks)
	if len(missing) != 1 || missing[0] != r.Tasks[2].Name {
		t.Errorf("no record: %v", missing)
	}
}

// TestTuneLocked: a task that another program is tuning is passed over, and is given rounds when its log is free.
func TestTuneLocked(t *testing.T) {
	db := openTestDatabase(t)
	tasks, _, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials = 1 })
	if err != nil {
		t.Fatal(err)
	}
	other, err := dataset.OpenWriter(db.Log(tasks[1].Text, (&timer{}).Target(), target.Rewrite),
		dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var said saying
	batches := 0
	_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) {
		s.trials, s.tell = 100, &said
		s.machine = &timer{run: func() {
			if batches++; batches == 4 {
				other.Close()
			}
		}}
	})
	if err != nil || r.Trials != 100 || r.Tasks[1].New == 0 || len(said.lines) > 0 {
		t.Errorf("%v: %+v; said %q", err, r, said.lines)
	}
}

// TestTuneDamaged: a log that cannot be read is set aside, which is said once; its task is tuned like one without
// records, and the next compilation uses the new log.
func TestTuneDamaged(t *testing.T) {
	db := openTestDatabase(t)
	tasks, _, err := tuneProducts(t.Context(), db, func(*scheduler) {})
	if err != nil {
		t.Fatal(err)
	}
	log := db.Log(tasks[1].Text, (&timer{}).Target(), target.Rewrite)
	if err := os.WriteFile(log, make([]byte, 4096), 0o666); err != nil {
		t.Fatal(err)
	}
	var said saying
	_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials, s.tell = 60, &said })
	if err != nil || r.Trials != 60 || r.Tasks[1].New == 0 {
		t.Errorf("%v: %+v", err, r)
	}
	if len(said.lines) != 1 || !strings.Contains(said.lines[0], "is not a tuning log") ||
		!strings.Contains(said.lines[0], "it is "+log+".damaged now") {
		t.Errorf("said %q", said.lines)
	}
	said.lines = nil
	_, r, err = tuneProducts(t.Context(), db, func(s *scheduler) { s.trials, s.tell = 60, &said })
	if err != nil || r.Trials != 60 || r.New != 0 || len(said.lines) > 0 {
		t.Errorf("again: %v: %+v, said %q", err, r, said.lines)
	}
}

// TestTuneTogether: two compilations of a model share the record database; what both measure is kept and counts for
// both.
func TestTuneTogether(t *testing.T) {
	db := openTestDatabase(t)
	var results [2]*Tuning
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials, s.seed = 120, uint64(i) })
			if err != nil {
				t.Error(err)
			}
			results[i] = r
		})
	}
	group.Wait()
	_, after, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials = 120 })
	if err != nil || after.New != 0 {
		t.Errorf("after both: %v: %+v", err, after)
	}
	for i, r := range []*Tuning{results[0], results[1], after} {
		for _, k := range r.Tasks { // one that ends first may know nothing of a task whose log the other had
			if k.FromUS < k.ToUS || k.ToUS <= 0 && (k.Trials > 0 || i == 2) {
				t.Errorf("from %v us to %v: %+v", k.FromUS, k.ToUS, k)
			}
		}
	}
	kept := strings.Count(logs(t, db), "[[")
	if fresh := results[0].New + results[1].New; kept != fresh || fresh < 120 || fresh > 240 {
		t.Errorf("%d and %d trials, %d are kept", results[0].New, results[1].New, kept)
	}
}

// TestTuneByOthers: a tuning reports what another program measured of a task whose log it had all the time.
func TestTuneByOthers(t *testing.T) {
	elsewhere := openTestDatabase(t)
	tasks, _, err := tuneProducts(t.Context(), elsewhere, func(s *scheduler) { s.trials = 40 })
	if err != nil {
		t.Fatal(err)
	}
	records, err := elsewhere.Records(tasks[1].Text, (&timer{}).Target(), target.Rewrite)
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	db := openTestDatabase(t)
	other, err := dataset.OpenWriter(db.Log(tasks[1].Text, (&timer{}).Target(), target.Rewrite),
		dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	batches := 0
	_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) {
		s.trials = 30
		s.machine = &timer{run: func() {
			if batches++; batches == 1 {
				if err := other.Append(records); err != nil {
					t.Error(err)
				}
			}
		}}
	})
	if k := r.Tasks[1]; err != nil || r.New != 30 || k.New != 0 || k.Trials != len(records) || k.ToUS <= 0 {
		t.Errorf("%v, %d records: %+v", err, len(records), r)
	}
}

// TestTuneMeanwhile: what another program has measured since the logs were read counts for the budget.
func TestTuneMeanwhile(t *testing.T) {
	db := openTestDatabase(t)
	batches, others := 0, 0
	_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) {
		s.trials = 100
		s.machine = &timer{run: func() {
			if batches++; batches > 1 {
				return
			}
			_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.trials, s.seed = 40, 8 })
			if err != nil {
				t.Error(err)
			}
			others = r.New
		}}
	})
	kept := strings.Count(logs(t, db), "[[")
	if err != nil || others != 40 || r.New != 60 || r.Trials != 100 || kept != 100 {
		t.Errorf("%v: %d of the other's, %d are kept, %+v", err, others, kept, r)
	}
}

// A pupil counts what it learns from.
type pupil struct {
	search.Random
	records *int
}

func (p pupil) Update(_ context.Context, _ *search.Task, records []dataset.Record) error {
	*p.records += len(records)
	return nil
}

// TestTuneTaught: a scorer learns once from each record, however often tasks take turns.
func TestTuneTaught(t *testing.T) {
	db := openTestDatabase(t)
	for _, trials := range []int{120, 144} { // the second compilation begins with the records of the first
		learned, want := 0, 0
		_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) {
			s.trials, s.scorer = trials, pupil{search.Random{Seed: 5}, &learned}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Tasks {
			if k.New > 0 {
				want += k.Trials
			}
		}
		if learned != want {
			t.Errorf("it learned from %d records, not %d: %+v", learned, want, r)
		}
	}
}

// A forgetfulPupil forgets all when it is told to.
type forgetfulPupil struct {
	search.Random
	now, ever map[*compute.DAG]map[string]bool // steps that it knows, and that it has known
	lost      *int                             // times that it scored a task and knew less of it than it had
	forgot    *int
}

func (p forgetfulPupil) Score(ctx context.Context, t *search.Task, states []*schedule.State) ([]float64, error) {
	if len(p.now[t.DAG]) < len(p.ever[t.DAG]) {
		*p.lost++
	}
	return p.Random.Score(ctx, t, states)
}

func (p forgetfulPupil) Update(_ context.Context, t *search.Task, records []dataset.Record) error {
	for _, known := range []map[*compute.DAG]map[string]bool{p.now, p.ever} {
		if known[t.DAG] == nil {
			known[t.DAG] = map[string]bool{}
		}
		for _, r := range records {
			known[t.DAG][string(schedule.FormatSteps(r.Steps))] = true
		}
	}
	return nil
}

func (p forgetfulPupil) Traits() search.Traits {
	return search.Traits{Untrained: true, Forget: func(*search.Task) {
		*p.forgot++
		clear(p.now)
	}}
}

// TestTuneForgotten: a scorer that is told to forget between tasks learns the records of a task again before it scores
// more candidates of it.
func TestTuneForgotten(t *testing.T) {
	p := forgetfulPupil{search.Random{Seed: 5}, map[*compute.DAG]map[string]bool{}, map[*compute.DAG]map[string]bool{},
		new(int), new(int)}
	_, r, err := tuneProducts(t.Context(), openTestDatabase(t), func(s *scheduler) { s.trials, s.scorer = 120, p })
	if err != nil || *p.lost > 0 || *p.forgot <= len(r.Tasks) {
		t.Errorf("%v: %d batches were scored without what had been learned; told to forget %d times: %+v", err, *p.lost,
			*p.forgot, r)
	}
}

type saying struct {
	silent
	lines []string
}

func (s *saying) Say(text string) { s.lines = append(s.lines, text) }

// TestTuneChoices: the first candidates of a task are those that the scorer thinks fastest, and they are found once.
func TestTuneChoices(t *testing.T) {
	db := openTestDatabase(t)
	use := func(trials int) func(s *scheduler) {
		return func(s *scheduler) { s.scorer, s.name, s.trials = trained{search.Random{Seed: 9}}, "trained", trials }
	}
	chosen, _, err := tuneProducts(t.Context(), db, use(0))
	if err != nil {
		t.Fatal(err)
	}
	_, r, err := tuneProducts(t.Context(), db, use(6))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range chosen {
		if !k.searches() {
			continue
		}
		records, err := db.Records(k.Text, (&timer{}).Target(), target.Rewrite)
		if err != nil || len(records) == 0 || string(schedule.FormatSteps(records[0].Steps)) != k.Steps ||
			k.Source != Scored {
			t.Errorf("task %s: %s %s, %d records, %v", k.Name, k.Source, k.Steps, len(records), err)
		}
	}
	if r.Tasks[0].Why["first"] != 1 {
		t.Errorf("%+v", r.Tasks[0])
	}
}

// A counting scorer counts the batches that it is asked to score.
type counting struct {
	search.Random
	asked *int
}

func (c counting) Score(ctx context.Context, t *search.Task, s []*schedule.State) ([]float64, error) {
	*c.asked++
	return c.Random.Score(ctx, t, s)
}

func (counting) Traits() search.Traits { return search.Traits{} }

// TestChoiceOfModel: a choice is kept for the model that made it. One of another model is made anew.
func TestChoiceOfModel(t *testing.T) {
	db := openTestDatabase(t)
	asked := func(model string) (n int) {
		_, _, err := tuneProducts(t.Context(), db, func(s *scheduler) {
			s.scorer, s.model = counting{search.Random{Seed: 5}, &n}, model
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if first, again, other := asked("a"), asked("a"), asked("b"); first == 0 || again != 0 || other != first {
		t.Errorf("%d batches are scored at first, %d again, %d with another model", first, again, other)
	}
}
