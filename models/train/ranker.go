package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// rankerNetworks is how many networks a ranker has.
const rankerNetworks = 3

// trainRanker trains the ranker, and, if it uses predicted states, the safe one.
func trainRanker(ctx context.Context, t *training) error {
	library, err := xgboost.Load(t.Library)
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
		Library: library, Seed: t.Seed, Trees: ranker.DefaultTrees(), Learning: ranker.DefaultLearning(),
		Networks: rankerNetworks, Refit: true, Progress: t.tell,
	}
	o.Learning.Steps = t.steps(o.Learning.Steps)
	for i := range o.Trees {
		o.Trees[i].Trees = t.steps(o.Trees[i].Trees)
	}
	if t.Variant == models.VariantRegression {
		o.Trees = []ranker.Boosting{regression(o.Trees)}
	}
	if t.Variant == models.VariantTiling {
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
	o.Fixed = fixedParts(t.Variant)
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
	t.say("trees: %s; weights: trees %.1f, networks %.1f, value %.1f",
		report.Objective, report.Parts.Trees, report.Parts.Network, report.Parts.Value)
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
	return t.write(files)
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
	return t.write(safe)
}

// withoutLatents returns tasks without what was predicted of their candidates.
func withoutLatents(list []ranker.Task) []ranker.Task {
	list = slices.Clone(list)
	for i := range list {
		list[i].Latents, list[i].Values = nil, nil
	}
	return list
}
