package train

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/target"
)

// trainRefiner trains the ranker that also sees lowered programs. Models for GPUs have none.
func trainRefiner(ctx context.Context, t *training) error {
	if t.Kind != target.LLVM {
		t.say("refiner: models for target %s have none", t.Kind)
		return nil
	}
	library, err := xgboost.Load(t.Library)
	if err != nil {
		return err
	}
	roll, err := t.openTransition()
	if err != nil {
		return err
	}
	o := ranker.Options{
		Library: library, Seed: t.Seed, Table: ranker.Lowered, Trees: ranker.DefaultTrees()[:1],
		Learning: ranker.DefaultLearning(), Networks: rankerNetworks, Refit: true, Progress: t.tell,
	}
	o.Trees[0].Trees = t.steps(o.Trees[0].Trees)
	var lists [2][]ranker.Task
	for i, part := range []split.Part{split.Train, split.Validation} {
		tasks, err := t.rankerTasks(ctx, part)
		if err != nil {
			return err
		}
		if err := tasks.predict(ctx, t, roll, &o); err != nil {
			return err
		}
		if err := tasks.lower(ctx, t, part); err != nil {
			return err
		}
		lists[i] = tasks.list
	}
	o.Learning.Steps = t.batches(o.Learning.Steps, networkDraws, len(lists[0]), o.Learning.Tasks)
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
func (r *rankerTasks) lower(ctx context.Context, t *training, part split.Part) error {
	var g errgroup.Group
	g.SetLimit(t.Workers)
	var mu sync.Mutex
	done := 0
	for i, of := range r.of {
		g.Go(func() error {
			list := &r.list[i]
			kept := ranker.Task{Name: list.Name, Family: list.Family}
			for k, s := range r.states[i] {
				if err := ctx.Err(); err != nil {
					return err
				}
				row, err := ranker.Closer(list.Features[k], s, of.Target, of.Layout)
				if err != nil {
					continue // the search scores it -Inf
				}
				kept.Features, kept.Quality = append(kept.Features, row), append(kept.Quality, list.Quality[k])
				if list.Values != nil {
					kept.Values = append(kept.Values, list.Values[k])
				}
			}
			*list, r.states[i] = kept, nil
			mu.Lock()
			defer mu.Unlock()
			done++
			t.tell(fmt.Sprintf("lowered programs of %s tasks", part), done, len(r.of), 0)
			return nil
		})
	}
	return g.Wait()
}
