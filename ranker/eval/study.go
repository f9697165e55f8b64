package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
	"unsafe"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Study judges scorers by what was measured before: each learns from some tasks and ranks the
// candidates of the others. Records of each kind of target are judged apart.
type Study struct {
	Paths    []string // of logs and of folders of datasets
	Rows     []Row
	Split    Split
	Seeds    []uint64
	MinTimed int    // scorers are not asked about tasks with fewer timed records
	Learn    int    // nor learn from tasks with fewer; at most MinTimed, which 0 stands for
	Workers  int    // trainings at a time; 0 means one per processor. No figure depends on it
	Library  string // path of libxgboost; "" means the installed one
	Memory   uint64 // limit of what the records take, in bytes; 0 means none

	// Optional says that rows which need libxgboost are left out where it is not installed;
	// otherwise that is an error.
	Optional bool

	Say      func(text string)                // if not nil, gets each message
	Progress func(part string, done, all int) // if not nil, is called by one goroutine at a time
}

// A Judged is the report of the tasks of one kind of target.
type Judged struct {
	Kind target.Kind `json:"target"`
	*Report
	Skipped        int     `json:"skipped_records"` // steps that do not apply
	FeatureSeconds float64 `json:"feature_seconds"`
}

// Run reads the records and judges the rows, for each kind of target in the order of the records.
func (s Study) Run(ctx context.Context) ([]Judged, error) {
	if err := s.checkLibrary(); err != nil {
		return nil, err
	}
	tasks, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.judgeAll(ctx, tasks)
}

// judgeAll judges the tasks of each kind of target that has some to ask about.
func (s *Study) judgeAll(ctx context.Context, tasks []*Case) ([]Judged, error) {
	var list []Judged
	for len(tasks) > 0 {
		kind := tasks[0].Target.Kind
		var of, rest []*Case
		for _, t := range tasks {
			if t.Target.Kind == kind {
				of = append(of, t)
			} else {
				rest = append(rest, t)
			}
		}
		tasks = rest
		if asked(of) == 0 {
			s.say("of the %d tasks of %s none has %d timed records: they are left out", len(of), kind, s.MinTimed)
			continue
		}
		rows := s.rowsOf(kind)
		if len(rows) == 0 {
			s.say("no scorer is left for the %d tasks of %s: they are left out", len(of), kind)
			continue
		}
		j, err := s.judge(ctx, kind, of, rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		list = append(list, j)
	}
	if len(list) == 0 {
		return nil, errors.New("no scorer is for a target of the records: give other scorers, or other records")
	}
	return list, nil
}

// rowsOf returns the rows of which there is a scorer for a kind of target.
func (s *Study) rowsOf(kind target.Kind) []Row {
	return slices.DeleteFunc(slices.Clone(s.Rows), func(r Row) bool {
		if r.Has == nil || r.Has(kind) {
			return false
		}
		s.say("the scorer %s has no model for target %s: it is left out there", r.Name, kind)
		return true
	})
}

// checkLibrary loads libxgboost, or leaves out the rows that need it.
func (s *Study) checkLibrary() error {
	_, err := xgboost.Load(s.Library)
	if err == nil || !slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Library }) {
		return nil
	}
	if !s.Optional || !errors.Is(err, xgboost.ErrMissing) {
		return err
	}
	s.say("warning: scorers of boosted trees are left out: %v", err)
	s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(r Row) bool { return r.Library })
	return nil
}

func (s *Study) judge(ctx context.Context, kind target.Kind, tasks []*Case, rows []Row) (Judged, error) {
	j := Judged{Kind: kind}
	start := time.Now()
	prepared := func(done, all int) { s.progress(string(kind)+": features", done, all) }
	dropped, why, err := Prepare(ctx, tasks, Needs(rows), s.Workers, prepared)
	if err != nil {
		return j, err
	}
	if dropped > 0 {
		s.say("warning: %d records are left out: their steps do not apply or have no features; the first: %v", dropped, why)
	}
	j.Skipped, j.FeatureSeconds = dropped, time.Since(start).Seconds()
	if tasks = s.enough(tasks); asked(tasks) == 0 {
		return j, s.tooFew()
	}
	j.Report, err = Evaluate(ctx, tasks, Options{
		Split: s.Split, Rows: rows, Seeds: s.Seeds, Workers: s.Workers, Library: s.Library,
		Progress: func(done, all int, _ string) { s.progress(string(kind)+": scorers", done, all) },
	})
	return j, err
}

func (s *Study) say(format string, args ...any) {
	if s.Say != nil {
		s.Say(fmt.Sprintf(format, args...))
	}
}

func (s *Study) progress(part string, done, all int) {
	if s.Progress != nil {
		s.Progress(part, done, all)
	}
}

// read returns the tasks of the study's logs and datasets that have enough timed records.
func (s *Study) read(ctx context.Context) ([]*Case, error) {
	r := &reader{rules: split.V3(), say: s.say, budget: dataset.Budget{Limit: s.Memory}}
	var records []dataset.Record
	for i, path := range s.Paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.progress("reading", i, len(s.Paths))
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if err := r.set(path); err != nil {
				return nil, err
			}
			continue
		}
		list, warnings, err := r.budget.ReadLog(path)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			s.say("warning: %s", w)
		}
		records = append(records, list...)
	}
	r.records(records)
	if r.unknown > 0 {
		s.say("warning: %d records are of workloads that this version does not know", r.unknown)
	}
	tasks := s.enough(r.tasks)
	if few := len(r.tasks) - len(tasks); few > 0 {
		s.say("%d tasks have fewer than %d timed records and are left out", few, s.least())
	}
	if few := len(tasks) - asked(tasks); few > 0 {
		s.say("%d tasks have fewer than %d timed records and are only learned from", few, s.MinTimed)
	}
	if asked(tasks) == 0 {
		return nil, s.tooFew()
	}
	return tasks, nil
}

// least is how many timed records a task must have.
func (s *Study) least() int { return cmp.Or(s.Learn, s.MinTimed) }

// enough returns the tasks that have enough timed records, and marks those that are only learned from.
func (s *Study) enough(tasks []*Case) []*Case {
	for _, t := range tasks {
		t.LearnOnly = t.Timed() < s.MinTimed
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t *Case) bool { return t.Timed() < s.least() })
}

// asked returns how many tasks scorers are asked about.
func asked(tasks []*Case) int {
	n := 0
	for _, t := range tasks {
		if !t.LearnOnly {
			n++
		}
	}
	return n
}

func (s *Study) tooFew() error {
	return fmt.Errorf("no task has %d timed records; give more logs, or a smaller number with --min-timed", s.MinTimed)
}

// A reader makes tasks of what is read.
type reader struct {
	rules   *split.Rules
	say     func(format string, args ...any)
	tasks   []*Case
	unknown int // records
	budget  dataset.Budget
}

// task adds the task of a record. If there is none it returns nil, and says why the first time.
func (r *reader) task(of *dataset.Record) *Case {
	w, err := workload.Find(of.Workload)
	if err == nil && w.Key != of.WorkloadKey {
		err = fmt.Errorf("it has the key %s in this wmtune, and had %s when it was measured; use the wmtune that wrote the "+
			"log", w.Key, of.WorkloadKey)
	}
	if err != nil {
		if r.unknown == 0 {
			r.say("warning: workload %q is not known: %v", of.Title(), err)
		}
		return nil
	}
	place, task := r.rules.Place(w.DAG, of.Target), of.Task()
	t := &Case{
		Key: task.ID(), Name: of.Title(), DAG: w.DAG, Target: of.Target,
		Family: place.Family, Structure: place.DAG, Parts: place.Parts,
	}
	r.tasks = append(r.tasks, t)
	return t
}

// records adds records that say something of speed, and their tasks. Those of one program
// stay apart, as they were measured.
func (r *reader) records(list []dataset.Record) {
	list = dataset.Measured(list)
	known := map[string]*Case{}
	for i := range list {
		rec := &list[i]
		task := rec.Task()
		t, ok := known[task.ID()]
		if !ok {
			t = r.task(rec)
			known[task.ID()] = t
		}
		if t == nil {
			r.unknown++
			continue
		}
		s := &Sample{Steps: rec.Steps}
		if rec.Timed() {
			s.Costs = rec.Costs
		}
		t.Samples = append(t.Samples, s)
	}
}

// set adds the tasks of a dataset, with the parts that it has put them into.
func (r *reader) set(dir string) error {
	set, err := trajectory.Open(dir)
	if err != nil {
		return err
	}
	defer set.Close()
	name, done, all := "dataset "+dir, 0, set.Meta().Trajectories
	for _, of := range set.Tasks() {
		t := r.task(&dataset.Record{WorkloadKey: of.WorkloadKey, Workload: of.Workload, Target: of.Target,
			Layout: of.Layout, Timing: of.Timing})
		if t == nil {
			r.unknown += of.Records
			continue
		}
		t.Parts = of.Split
		for tr, err := range set.Trajectories(of.Number) {
			if err != nil {
				return err
			}
			done++
			if tr.Status == measure.Unmeasured {
				continue
			}
			steps, err := tr.Steps()
			if err != nil {
				return fmt.Errorf("dataset %s: task %d, log %.8s, record %d: %w", dir, of.Number, tr.Log, tr.Record, err)
			}
			t.Samples = append(t.Samples, &Sample{Steps: steps, Costs: tr.Costs})
			bytes := int(unsafe.Sizeof(Sample{})) + 8*len(tr.Costs)
			for _, s := range steps {
				bytes += schedule.StepBytes(s)
			}
			if err := r.budget.Hold(name, int64(bytes), int64(done), int64(all)); err != nil {
				return err
			}
		}
	}
	return nil
}
