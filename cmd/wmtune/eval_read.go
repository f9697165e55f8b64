package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/wmtune/wmtune/dataset/workload"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/ranker/eval"
)

// read returns the tasks of the logs and datasets that have enough timed records.
func (e *evaluating) read(ctx context.Context) ([]*eval.Task, error) {
	r := &evalReader{programs: newPrograms(workload.Find), rules: split.V1(), say: e.progress.say}
	var records []dataset.Record
	for _, path := range e.paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.progress.showLine("reading " + path)
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
			e.progress.say("warning: %s", w)
		}
		records = append(records, list...)
	}
	r.records(records)
	if r.unknown > 0 {
		e.progress.say("warning: %d records are of workloads that this version does not know", r.unknown)
	}
	tasks := slices.DeleteFunc(r.tasks, func(t *eval.Task) bool { return t.Timed() < e.minTimed })
	if few := len(r.tasks) - len(tasks); few > 0 {
		e.progress.say("%d tasks have fewer than %d timed records and are left out (--min-timed)", few, e.minTimed)
	}
	if len(tasks) == 0 {
		return nil, e.tooFew()
	}
	return tasks, nil
}

// tooFew says that no task has enough records.
func (e *evaluating) tooFew() error {
	return fmt.Errorf("no task has %d timed records; give more logs or a smaller --min-timed", e.minTimed)
}

// An evalReader makes tasks of what is read.
type evalReader struct {
	programs *programs
	rules    *split.Rules
	say      func(format string, args ...any)
	tasks    []*eval.Task
	unknown  int // records
}

// task adds the task of a record, or says once why there is none.
func (r *evalReader) task(of *dataset.Record) *eval.Task {
	dag, err := r.programs.dag(of)
	if err != nil {
		if r.unknown == 0 {
			r.say("warning: %v", err)
		}
		return nil
	}
	place := r.rules.Place(dag, of.Target)
	t := &eval.Task{
		Key: of.Workload + "\x00" + of.Target.String(), Name: of.Title(), DAG: dag, Target: of.Target,
		Family: place.Family, Structure: place.DAG, Parts: place.Parts,
	}
	r.tasks = append(r.tasks, t)
	return t
}

// records adds records that say something of speed, and their tasks. Those of one program
// stay apart, as they were measured.
func (r *evalReader) records(list []dataset.Record) {
	list = dataset.Measured(list)
	known := map[string]*eval.Task{}
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
		s := &eval.Sample{Steps: rec.Steps}
		if rec.Timed() {
			s.Costs = rec.Costs
		}
		t.Samples = append(t.Samples, s)
	}
}

// set adds the tasks of a dataset, with the parts that it has put them into.
func (r *evalReader) set(dir string) error {
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
			t.Samples = append(t.Samples, &eval.Sample{Steps: steps, Costs: tr.Costs})
		}
	}
	return nil
}
