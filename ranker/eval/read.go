package eval

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/dataset/workload"
)

// read returns the tasks of the study's logs and datasets that have enough timed records.
func (s *Study) read(ctx context.Context) ([]*Task, error) {
	r := &reader{rules: split.V1(), say: s.say}
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
		list, warnings, err := dataset.ReadLog(path)
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
		s.say("%d tasks have fewer than %d timed records and are left out", few, s.MinTimed)
	}
	if len(tasks) == 0 {
		return nil, s.tooFew()
	}
	return tasks, nil
}

// enough returns the tasks that have enough timed records.
func (s *Study) enough(tasks []*Task) []*Task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *Task) bool { return t.Timed() < s.MinTimed })
}

func (s *Study) tooFew() error {
	return fmt.Errorf("no task has %d timed records; give more logs or a smaller minimum", s.MinTimed)
}

// A reader makes tasks of what is read.
type reader struct {
	rules   *split.Rules
	say     func(format string, args ...any)
	tasks   []*Task
	unknown int // records
}

// task adds the task of a record. If there is none it returns nil, and says why the first time.
func (r *reader) task(of *dataset.Record) *Task {
	w, err := workload.Find(of.Workload)
	if err == nil && w.Key != of.WorkloadKey {
		err = fmt.Errorf("it has the key %s in this wmtune, and had %s when it was measured; use the wmtune that wrote the log", w.Key, of.WorkloadKey)
	}
	if err != nil {
		if r.unknown == 0 {
			r.say("warning: workload %q is not known: %v", of.Title(), err)
		}
		return nil
	}
	place := r.rules.Place(w.DAG, of.Target)
	t := &Task{
		Key: of.Workload + "\x00" + of.Target.String(), Name: of.Title(), DAG: w.DAG, Target: of.Target,
		Family: place.Family, Structure: place.DAG, Parts: place.Parts,
	}
	r.tasks = append(r.tasks, t)
	return t
}

// records adds records that say something of speed, and their tasks. Those of one program
// stay apart, as they were measured.
func (r *reader) records(list []dataset.Record) {
	list = dataset.Measured(list)
	known := map[string]*Task{}
	for i := range list {
		rec := &list[i]
		key := rec.Workload + "\x00" + rec.Target.String()
		t, ok := known[key]
		if !ok {
			t = r.task(rec)
			known[key] = t
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
	for _, of := range set.Tasks() {
		t := r.task(&dataset.Record{WorkloadKey: of.WorkloadKey, Workload: of.Workload, Target: of.Target})
		if t == nil {
			r.unknown += of.Records
			continue
		}
		t.Parts = of.Split
		for tr, err := range set.Trajectories(of.Number) {
			if err != nil {
				return err
			}
			if tr.Status == measure.Unmeasured {
				continue
			}
			steps, err := tr.Steps()
			if err != nil {
				return fmt.Errorf("dataset %s: task %d, log %.8s, record %d: %w", dir, of.Number, tr.Log, tr.Record, err)
			}
			t.Samples = append(t.Samples, &Sample{Steps: steps, Costs: tr.Costs})
		}
	}
	return nil
}
