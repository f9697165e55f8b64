package train

import (
	"context"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/schedule"
)

// trainRefiner trains the ranker that also sees lowered programs.
func trainRefiner(ctx context.Context, t *training) error {
	library, err := xgboost.Load(t.Library)
	if err != nil {
		return err
	}
	roll, err := t.openTransition()
	if err != nil {
		return err
	}
	o := ranker.Options{
		Library: library, Seed: t.Seed, Table: ranker.Lowered, Trees: ranker.DefaultTrees(ranker.Lowered)[:1],
		Learning: t.learning(), Networks: ranker.DefaultNetworks, Refit: true, Progress: t.tell,
	}
	o.Trees[0].Trees = t.steps(o.Trees[0].Trees)
	var lists [2][]ranker.Candidates
	for i, part := range []split.Part{split.Train, split.Validation} {
		tasks, err := t.rankerTasks(ctx, part, func(task *task, list *ranker.Candidates, states []*schedule.State) error {
			if err := roll.predict(task, list, states); err != nil {
				return err
			}
			task.lower(list, states)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		lists[i] = tasks.list
	}
	m, report, err := ranker.Train(ctx, lists[0], lists[1], o)
	if err != nil {
		return err
	}
	files, err := m.Files()
	if err != nil {
		return err
	}
	for name, worth := range report.Scores {
		t.notes["validation refiner "+name] = worth
	}
	named := map[string][]byte{}
	for name, data := range files {
		named[models.RefinerPrefix+name] = data
	}
	return t.write(named)
}

// lower puts what lowering shows of candidates behind their features. What cannot be lowered is left out.
func (t *task) lower(list *ranker.Candidates, states []*schedule.State) {
	kept := ranker.Candidates{Name: list.Name, Family: list.Family}
	for k, s := range states {
		row, err := ranker.Closer(list.Features[k], s, t.Target, t.Layout)
		if err != nil {
			continue // the search scores it -Inf
		}
		kept.Features, kept.Quality = append(kept.Features, row), append(kept.Quality, list.Quality[k])
		if list.Values != nil {
			kept.Values = append(kept.Values, list.Values[k])
		}
	}
	*list = kept
}
