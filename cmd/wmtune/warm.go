package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset/workload"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker/gbt"
)

// A logList is the value of a flag that may be given several times.
type logList []string

func (l *logList) String() string { return strings.Join(*l, " ") }

// Set adds a log.
func (l *logList) Set(path string) error {
	*l = append(*l, path)
	return nil
}

// warmUp trains the scorer of a search on the logs of --warm.
func (s *searching) warmUp(ctx context.Context, g *gbtScorer) error {
	return learnFrom(ctx, g, s.warm, s.progress)
}

// learnFrom trains a scorer on tuning logs, of any workload and target.
func learnFrom(ctx context.Context, g *gbtScorer, logs logList, p *progress) error {
	records, skipped := 0, 0
	for _, path := range logs {
		list, warnings, err := dataset.ReadLog(path)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			p.say("warning: %s", w)
		}
		for _, task := range byWorkload(list) {
			w, err := workload.Find(task[0].Workload)
			if err != nil { // of another version of wmtune
				skipped += len(task)
				continue
			}
			if err := g.model.Add(ctx, gbt.Task{DAG: w.DAG, Target: task[0].Target}, task); err != nil {
				return err
			}
			records += len(task)
		}
	}
	if skipped > 0 {
		p.say("warning: --warm: %d records are of workloads that this version does not know", skipped)
	}
	if err := g.model.Pretrain(); err != nil {
		return err
	}
	if g.Untrained() {
		return fmt.Errorf("--warm: no record in %s was timed: there is nothing to learn", strings.Join(logs, ", "))
	}
	p.say("the scorer has learned from %d records", records)
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
