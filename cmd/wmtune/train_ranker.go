package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
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
		Refit: true, Progress: t.tell,
	}
	o.Learning.Steps = t.steps(o.Learning.Steps)
	for i := range o.Trees {
		o.Trees[i].Trees = t.steps(o.Trees[i].Trees)
	}
	if t.variant == models.VariantRegression {
		o.Trees = []ranker.Boosting{regression(o.Trees)}
	}
	if t.variant == models.VariantTiling {
		train.each(models.OnlyTiling)
		validation.each(models.OnlyTiling)
	}
	roll, err := t.openTransition()
	if err != nil {
		return err
	}
	for _, r := range []*rankerTasks{train, validation} {
		if err := r.predict(ctx, t, roll, &o); err != nil {
			return err
		}
	}
	o.Fixed = fixedParts(t.variant)
	return t.rank(ctx, train.list, validation.list, o)
}

// fixedParts returns the weights that a variant has whatever validation says; nil if
// it says.
func fixedParts(variant string) *ranker.Parts {
	switch variant {
	case models.VariantNoFeatures:
		return &ranker.Parts{Value: 1}
	case models.VariantRegression, models.VariantTiling:
		return &ranker.Parts{Trees: 1}
	}
	return nil
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

// rank trains a ranker and writes its files.
func (t *training) rank(ctx context.Context, train, validation []ranker.Task, o ranker.Options) error {
	m, report, err := ranker.Train(ctx, train, validation, o)
	if err != nil {
		return err
	}
	files, err := m.Files()
	if err != nil {
		return err
	}
	t.progress.say("trees: %s; weights: trees %.1f, networks %.1f, value %.1f", report.Objective, report.Parts.Trees, report.Parts.Network, report.Parts.Value)
	for name, worth := range report.Scores {
		t.notes["validation "+name] = worth
	}
	t.notes["weight trees"] = report.Parts.Trees
	t.notes["weight networks"] = report.Parts.Network
	t.notes["weight value"] = report.Parts.Value
	if o.Latent > 0 {
		if err := t.rankSafely(ctx, train, validation, o); err != nil {
			return err
		}
	}
	return t.putFiles(files)
}

// rankSafely trains the trees that rank tasks unlike the training, where predicted
// states mean nothing, if those of the ranker see such states.
func (t *training) rankSafely(ctx context.Context, train, validation []ranker.Task, o ranker.Options) error {
	o.Latent, o.Fixed = 0, &ranker.Parts{Trees: 1}
	m, _, err := ranker.Train(ctx, withoutLatents(train), withoutLatents(validation), o)
	if err != nil {
		return fmt.Errorf("trees for tasks unlike the training: %w", err)
	}
	files, err := m.Files()
	if err != nil {
		return err
	}
	safe := map[string][]byte{}
	for _, name := range models.Safe.Files() {
		safe[name] = files[strings.TrimPrefix(name, models.SafePrefix)]
	}
	return t.putFiles(safe)
}

// withoutLatents returns tasks without what was predicted of their candidates.
func withoutLatents(list []ranker.Task) []ranker.Task {
	list = slices.Clone(list)
	for i := range list {
		list[i].Latents, list[i].Values = nil, nil
	}
	return list
}

// rankerTasks are the tasks of a part with the features of their candidates.
type rankerTasks struct {
	of     []*trainTask
	list   []ranker.Task
	states [][]*schedule.State // of the candidates
}

// each calls f with the features of each candidate.
func (r *rankerTasks) each(f func(features []float32)) {
	for _, t := range r.list {
		for _, row := range t.Features {
			f(row)
		}
	}
}

func (t *training) rankerTasks(ctx context.Context, part split.Part) (*rankerTasks, error) {
	of := t.set.of(part)
	r := &rankerTasks{of, make([]ranker.Task, len(of)), make([][]*schedule.State, len(of))}
	errs := make([]error, len(of))
	var mu sync.Mutex
	done := 0
	parallel(ctx, len(of), t.jobs, func(i int) {
		r.list[i], r.states[i], errs[i] = of[i].rankerTask()
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
	return r.usable(t.progress, part)
}

// usable returns the tasks with candidates to compare: records of other versions may not
// replay here, or have no features.
func (r *rankerTasks) usable(p *progress, part split.Part) (*rankerTasks, error) {
	kept := &rankerTasks{}
	for i, task := range r.list {
		if len(task.Quality) < 2 || slices.Max(task.Quality) == 0 {
			p.say("warning: %s: of its records fewer than two can be learned from; it is left out", r.of[i].Title())
			continue
		}
		kept.of, kept.list, kept.states = append(kept.of, r.of[i]), append(kept.list, task), append(kept.states, r.states[i])
	}
	if len(kept.of) == 0 {
		return nil, fmt.Errorf("no %s task has two records that can be learned from: add logs of more workloads to the dataset ('wmtune dataset info' says which part has which)", part)
	}
	return kept, nil
}

// rankerTask computes the features of a task's candidates.
func (t *trainTask) rankerTask() (ranker.Task, []*schedule.State, error) {
	r := ranker.Task{Name: t.Title(), Family: t.Family}
	states, quality, err := t.candidates()
	if err != nil {
		return r, nil, err
	}
	var kept []*schedule.State
	for i, s := range states {
		row, err := ranker.Features(s, t.Target)
		if err != nil {
			continue // the search scores it -Inf
		}
		kept, r.Features, r.Quality = append(kept, s), append(r.Features, row), append(r.Quality, quality[i])
	}
	return r, kept, nil
}

// predict rolls the candidates out, if there is a transition: their values are what
// it says of tasks that it has not learned from, which validation tasks are. A ranker
// is not trained on them but weighs them, so those of training tasks are left out.
func (r *rankerTasks) predict(ctx context.Context, t *training, m *rolling, o *ranker.Options) error {
	if m == nil {
		return nil
	}
	for i, task := range r.of {
		if err := ctx.Err(); err != nil {
			return err
		}
		z0, err := m.embed(task)
		if err != nil {
			return err
		}
		switch {
		case t.variant == models.VariantInitial:
			o.Latent = len(z0)
			r.list[i].Latents = slices.Repeat([][]float32{z0}, len(r.states[i]))
		case t.variant != models.VariantNoState && task.part == split.Validation:
			if r.list[i].Values, err = m.values(task, z0, r.states[i]); err != nil {
				return err
			}
		}
		t.tell(fmt.Sprintf("rolling out %s tasks", task.part), i+1, len(r.of), 0)
	}
	return nil
}
