package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wmtune/wmtune/ranker/xgboost"
)

// Options say what to evaluate.
type Options struct {
	Split   Split
	Rows    []Row
	Seeds   []uint64
	Workers int    // goroutines; 0 means one per processor. No figure depends on it
	Library string // path of libxgboost; "" means the installed one
	// Progress, if not nil, is told what ended. It is called by one goroutine at a
	// time.
	Progress func(done, all int, what string)
}

// A job is a scorer on a fold of a seed.
type job struct {
	row, seed, fold int
	groups          []outcome // one per task of the fold's test
	train, score    time.Duration
	candidates      int
	err             error
}

// Evaluate trains and asks every scorer on every fold of every seed. The tasks'
// samples must have the features that the rows need.
func Evaluate(ctx context.Context, tasks []*Task, o Options) (*Report, error) {
	e := &env{}
	if slices.ContainsFunc(o.Rows, func(r Row) bool { return r.Library }) {
		var err error
		if e.library, err = xgboost.Load(o.Library); err != nil {
			return nil, err
		}
	}
	var jobs []*job
	folds := make([][]Fold, len(o.Seeds))
	for k, seed := range o.Seeds {
		var err error
		if folds[k], err = o.Split.Folds(tasks, seed); err != nil {
			return nil, fmt.Errorf("split %s: %w", o.Split.Name, err)
		}
	}
	for row := range o.Rows {
		for seed := range o.Seeds {
			for fold := range folds[seed] {
				jobs = append(jobs, &job{row: row, seed: seed, fold: fold})
			}
		}
	}
	var mu sync.Mutex
	done := 0
	g := group(o.Workers)
	for _, j := range jobs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			row, seed := o.Rows[j.row], o.Seeds[j.seed]
			what := fmt.Sprintf("%s, seed %d, fold %d", row.Name, seed, j.fold+1)
			if err := j.run(ctx, e, row, seed, folds[j.seed][j.fold]); err != nil {
				j.err = fmt.Errorf("scorer %s: %w", what, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(jobs), what)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		if j.err != nil { // the first in the order of jobs, not of time
			return nil, j.err
		}
	}
	return newReport(tasks, o, jobs), nil
}

// errNothing is the error of a fold that has nothing to learn from.
var errNothing = errors.New("no candidate of the training part was timed")

func (j *job) run(ctx context.Context, e *env, row Row, seed uint64, f Fold) error {
	s := row.new(e, seed)
	if !row.Cold {
		if !anyTimed(f.Train) {
			return errNothing
		}
		start := time.Now()
		if err := s.Train(f.Train); err != nil {
			return err
		}
		j.train = time.Since(start)
	}
	for i, g := range f.Test {
		if err := ctx.Err(); err != nil {
			return err
		}
		if row.Cold {
			s = row.new(e, seed<<16+uint64(i)) // not the same luck in every task
		}
		out, err := judge(s, g, row.Cold)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Task.Name, err)
		}
		j.score += out.spent
		j.candidates += len(g.Samples)
		j.groups = append(j.groups, out)
	}
	return nil
}

func anyTimed(groups []Group) bool {
	return slices.ContainsFunc(groups, func(g Group) bool {
		return slices.ContainsFunc(g.Quality, func(y float64) bool { return y > 0 })
	})
}
