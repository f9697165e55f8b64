package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/schedule"
)

// rankerNetworks is how many networks a ranker has.
const rankerNetworks = 3

// trainRanker trains the ranker, and, if it uses predicted states, the safe one.
func trainRanker(ctx context.Context, t *training) error {
	library, err := xgboost.Load(os.Getenv("WMTUNE_XGBOOST"))
	if err != nil {
		return err
	}
	train, err := t.rankerTasks(ctx, split.Train)
	if err != nil {
		return err
	}
	validation, err := t.rankerTasks(ctx, split.Validation)
	if err != nil {
		return err
	}
	o := ranker.Options{
		Library: library, Seed: t.seed, Trees: ranker.DefaultTrees(), Learning: ranker.DefaultLearning(), Networks: rankerNetworks,
		Progress: t.tell,
	}
	o.Learning.Steps = t.steps(o.Learning.Steps)
	for i := range o.Trees {
		o.Trees[i].Trees = t.steps(o.Trees[i].Trees)
	}
	if t.variant == models.VariantRegression {
		o.Trees = []ranker.Boosting{regression(o.Trees)}
	}
	return t.rank(ctx, train, validation, o, func(files map[string][]byte) map[string][]byte { return files }, "")
}

// regression returns the least squares among ways to grow trees.
func regression(list []ranker.Boosting) ranker.Boosting {
	for _, b := range list {
		if b.Objective == ranker.Regression {
			return b
		}
	}
	panic("BUG: no way to grow trees for least squares")
}

// rank trains a ranker and writes its files under names.
func (t *training) rank(
	ctx context.Context, train, validation []ranker.Task, o ranker.Options, names func(map[string][]byte) map[string][]byte, note string,
) error {
	m, report, err := ranker.Train(ctx, train, validation, o)
	if err != nil {
		return err
	}
	files, err := m.Files()
	if err != nil {
		return err
	}
	t.progress.say("%strees: %s; weights: trees %.1f, networks %.1f, value %.1f", note, report.Objective, report.Parts.Trees, report.Parts.Network, report.Parts.Value)
	for name, worth := range report.Scores {
		t.notes["validation "+note+name] = worth
	}
	t.notes["weight "+note+"trees"] = report.Parts.Trees
	t.notes["weight "+note+"networks"] = report.Parts.Network
	t.notes["weight "+note+"value"] = report.Parts.Value
	return t.putFiles(names(files))
}

// rankerTasks returns the tasks of a part with the features of their candidates.
func (t *training) rankerTasks(ctx context.Context, part split.Part) ([]ranker.Task, error) {
	of := t.set.of(part)
	list := make([]ranker.Task, len(of))
	errs := make([]error, len(of))
	var mu sync.Mutex
	done := 0
	parallel(ctx, len(of), t.jobs, func(i int) {
		list[i], errs[i] = of[i].rankerTask()
		mu.Lock()
		defer mu.Unlock()
		done++
		t.tell(fmt.Sprintf("features of %s tasks", part), done, len(of), 0)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of[i].Title(), err)
		}
	}
	return list, nil
}

// rankerTask computes the features of a task's candidates.
func (t *trainTask) rankerTask() (ranker.Task, error) {
	r := ranker.Task{Name: t.Title(), Family: t.Family}
	states, quality, err := t.candidates()
	if err != nil {
		return r, err
	}
	var kept []*schedule.State
	for i, s := range states {
		row, err := ranker.Features(s, t.Target)
		if err != nil {
			continue // the search scores it -Inf
		}
		kept, r.Features, r.Quality = append(kept, s), append(r.Features, row), append(r.Quality, quality[i])
	}
	return r, nil
}
