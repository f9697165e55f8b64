package costmodel

import (
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/gbt"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A GBT is AutoScheduler's cost model: boosted trees over 164 features. It is random
// until it has learned from enough records.
type GBT struct {
	search.Random
	model  *gbt.Model
	frozen bool
}

// OpenGBT opens a cost model that has learned nothing yet.
func OpenGBT(o Options) (*GBT, error) {
	m, err := gbt.New(o.XGBoost)
	if err != nil {
		return nil, err
	}
	return &GBT{Random: search.Random{Seed: o.Seed}, model: m}, nil
}

// Traits says whether the scorer has learned enough, and whether it still learns.
func (s *GBT) Traits() search.Traits {
	return search.Traits{Untrained: !s.model.Ready(), Frozen: s.frozen, Pretrain: s.Pretrain}
}

// Score returns a value per state.
func (s *GBT) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if !s.model.Ready() {
		return s.Random.Score(ctx, task, states)
	}
	return s.model.Score(ctx, task.Workload(), states)
}

// Update learns from records, unless the scorer is frozen.
func (s *GBT) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	if s.frozen {
		return nil
	}
	return s.model.Update(ctx, task.Workload(), records)
}

// Add keeps records to learn from at the next Train.
func (s *GBT) Add(ctx context.Context, task *search.Task, records []dataset.Record) error {
	return s.model.Add(ctx, task.Workload(), records)
}

// Train learns anew from all that was added.
func (s *GBT) Train() error { return s.model.Pretrain() }

// Freeze returns the scorer as it is now: it learns no more.
func (s *GBT) Freeze() *GBT {
	frozen := *s
	frozen.frozen = true
	return &frozen
}

// CopyFrom has the scorer know what another one knows now.
func (s *GBT) CopyFrom(other *GBT) { s.model = other.model.Clone() }

// Pretrain learns from tuning logs, of any workload and target, and tells what it did. It
// is an error if no record in them was timed.
func (s *GBT) Pretrain(ctx context.Context, logs []string, tell func(text string)) error {
	return pretrain(ctx, s.model, logs, tell)
}

// A learner is a model that learns from logs before a search.
type learner interface {
	Add(ctx context.Context, task workload.Task, records []dataset.Record) error
	Pretrain() error
	Ready() bool
}

func pretrain(ctx context.Context, model learner, logs []string, tell func(text string)) error {
	records, skipped := 0, 0
	for _, path := range logs {
		list, warnings, err := dataset.ReadLog(path)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			tell(fmt.Sprintf("warning: %s", w))
		}
		for _, task := range byWorkload(list) {
			w, err := workload.Find(task[0].Workload)
			if err != nil { // of another version of wmtune
				skipped += len(task)
				continue
			}
			if err := model.Add(ctx, workload.Task{DAG: w.DAG, Target: task[0].Target}, task); err != nil {
				return err
			}
			records += len(task)
		}
	}
	if skipped > 0 {
		tell(fmt.Sprintf("warning: pretraining: this version does not know the workloads of %d records", skipped))
	}
	if err := model.Pretrain(); err != nil {
		return err
	}
	if !model.Ready() {
		return fmt.Errorf("pretraining: no record in %s was timed: there is nothing to learn", strings.Join(logs, ", "))
	}
	tell(fmt.Sprintf("the scorer has learned from %d records", records))
	return nil
}

// byWorkload returns the records of each workload and target that say something of
// speed (dataset.Measured), in order.
func byWorkload(records []dataset.Record) [][]dataset.Record {
	var list [][]dataset.Record
	task := map[string]int{}
	for _, r := range dataset.Measured(records) {
		key := r.Workload + "\x00" + r.Target.String()
		k, ok := task[key]
		if !ok {
			k = len(list)
			task[key] = k
			list = append(list, nil)
		}
		list[k] = append(list[k], r)
	}
	return list
}
