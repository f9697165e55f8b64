package ansor

import (
	"errors"
	"fmt"
	"sync"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Format is the format in the Source of records that come from AutoScheduler.
const Format = "autoscheduler"

// rewriteLayout is the layout option with which weights come already laid out as
// the program reads them (upstream: LayoutRewriteOption::RewriteForPreTransformed
// of include/tvm/auto_scheduler/compute_dag.h).
const rewriteLayout = 2

// An Importer makes records of lines. It builds each DAG once, and may be used
// by several goroutines.
type Importer struct {
	mu    sync.Mutex
	byKey map[string]known
}

// A known is the workload that a key stands for.
type known struct {
	dag  *compute.DAG
	key  string // as the DAG has it
	text string
	err  error
}

// NewImporter returns an Importer.
func NewImporter() *Importer { return &Importer{byKey: map[string]known{}} }

func (im *Importer) workload(key string) known {
	im.mu.Lock()
	defer im.mu.Unlock()
	w, ok := im.byKey[key]
	if !ok {
		if w.dag, w.err = buildKey(key); w.err == nil {
			w.key, w.text = w.dag.WorkloadKey(), w.dag.Text()
		}
		im.byKey[key] = w
	}
	return w
}

// Record returns the record of a line. Its number in the file becomes the trial.
// The workload is the DAG's own text, so that the record can be read where its
// hash is not known.
//
// The error is an *op.UnknownHashError if the DAG is not known. It is an error,
// too, if the steps cannot be applied to the DAG, unless this is what the line
// says itself. The elapsed time, which is that of building and running, becomes
// RunSeconds.
func (im *Importer) Record(l *Line, number int) (dataset.Record, error) {
	return recordOf(l, number, im.workload(l.Key))
}

func recordOf(l *Line, number int, w known) (dataset.Record, error) {
	if w.err != nil {
		return dataset.Record{}, w.err
	}
	t, err := targetOf(l.Target, l.Hardware)
	if err != nil {
		return dataset.Record{}, err
	}
	r := dataset.Record{
		WorkloadKey: w.key, Workload: w.text, Target: t, Steps: l.Steps,
		RunSeconds: l.AllCost, Unix: l.Unix, Trial: number,
		Source: dataset.Source{
			Format: Format, Version: l.Version, Target: l.Target, Host: l.Host, Hardware: l.Hardware,
			Layout: l.Layout, Inputs: l.Inputs, Fields: int64(l.Fields), ErrorNo: l.ErrorNo,
		},
	}
	if l.Key != w.key {
		r.Source.Key = l.Key
	}
	if l.Layout == rewriteLayout {
		r.Layout = target.Rewrite
	}
	if r.Status, r.Message = StatusOf("AutoScheduler", l.ErrorNo, l.Costs); r.Status == measure.OK {
		r.Costs = l.Costs
	} else {
		r.Source.Costs = l.Costs
	}
	if r.Status != measure.LowerError {
		s, err := schedule.Replay(w.dag, l.Steps)
		if err != nil {
			return dataset.Record{}, fmt.Errorf("its steps do not fit its workload: %w", err)
		}
		if !s.Concrete() {
			return dataset.Record{}, errors.New("a split of its steps has an open length (0), so that it is no program")
		}
	}
	r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
	return r, nil
}

// IsUnknown returns the hash if err says that a DAG is not known.
func IsUnknown(err error) (hash string, ok bool) {
	var unknown *op.UnknownHashError
	if errors.As(err, &unknown) {
		return unknown.Hash, true
	}
	return "", false
}

// LineOf returns the line of a record: the one that it was imported from, or, if
// wmtune measured it, the one that AutoScheduler would have written.
func LineOf(r *dataset.Record) *Line {
	s := &r.Source
	l := &Line{Key: r.WorkloadKey, Steps: r.Steps, Costs: r.Costs, AllCost: r.BuildSeconds + r.RunSeconds, Unix: r.Unix}
	if s.Format == Format {
		if s.Key != "" {
			l.Key = s.Key
		}
		if r.Status != measure.OK {
			l.Costs = s.Costs
		}
		l.Target, l.Hardware, l.Host, l.Layout, l.Inputs = s.Target, s.Hardware, s.Host, s.Layout, s.Inputs
		l.Fields, l.ErrorNo, l.Version = int(s.Fields), s.ErrorNo, s.Version
		return l
	}
	l.Target, l.Hardware = textOf(r.Target)
	l.Fields, l.Version = maxFields, versions[len(versions)-1]
	if r.Layout == target.Rewrite {
		l.Layout = rewriteLayout
	}
	if l.ErrorNo = errorOf(r.Status); l.ErrorNo != 0 {
		l.Costs = []float64{failedCost}
	}
	return l
}
