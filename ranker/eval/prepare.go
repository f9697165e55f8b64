package eval

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Feature is a kind of features that scorers look at.
type Feature uint8

// The kinds of features.
const (
	Actions    Feature = iota // ranker.Actions
	Tiling                    // ranker.Tiling
	Statements                // feature.Rows
	All                       // ranker.Features
	Vectors                   // transition.Vectors
)

// Prepare computes features of all samples, by so many goroutines; 0 means one per
// processor. Progress, which may be nil, is called by one goroutine at a time.
// Samples whose steps do not apply or have no features are taken out of their
// tasks; it returns how many they are, and why the first of them is.
func Prepare(
	ctx context.Context, tasks []*Task, kinds []Feature, workers int, progress func(done, all int),
) (dropped int, why error, err error) {
	type place struct{ task, sample int }
	var list []place
	for i, t := range tasks {
		for k := range t.Samples {
			list = append(list, place{i, k})
		}
	}
	errs := make([]error, len(list))
	var mu sync.Mutex
	done := 0
	g := group(workers)
	for n, at := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			t := tasks[at.task]
			errs[n] = t.prepare(t.Samples[at.sample], kinds)
			mu.Lock()
			defer mu.Unlock()
			if done++; progress != nil && (done%256 == 0 || done == len(list)) {
				progress(done, len(list))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, nil, err
	}
	bad := map[*Sample]bool{}
	for n, err := range errs {
		if err != nil {
			t := tasks[list[n].task]
			bad[t.Samples[list[n].sample]] = true
			if why == nil {
				why = fmt.Errorf("%s, candidate %d: %w", t.Name, list[n].sample, err)
			}
		}
	}
	for _, t := range tasks {
		t.Samples = slices.DeleteFunc(t.Samples, func(s *Sample) bool { return bad[s] })
	}
	return len(bad), why, nil
}

func (t *Task) prepare(s *Sample, kinds []Feature) error {
	state, err := schedule.Replay(t.DAG, s.Steps)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		switch k {
		case Actions:
			s.Actions = ranker.Actions(t.DAG, s.Steps)
		case Tiling:
			if s.Tiling, err = ranker.Tiling(state, t.Target); err != nil {
				return err
			}
		case All:
			if s.All, err = ranker.Features(state, t.Target); err != nil {
				return err
			}
		case Vectors:
			if s.Path, err = t.path(s.Steps); err != nil {
				return err
			}
		case Statements:
			p, err := feature.Outline(state)
			if err != nil {
				return err
			}
			rows, err := feature.Rows(p, float64(t.Target.Hardware.CacheLineBytes))
			if err != nil {
				return err
			}
			s.Statements = make([]float32, len(rows))
			for i, v := range rows {
				s.Statements[i] = float32(v)
			}
		}
	}
	return nil
}

// group returns a group of so many goroutines; 0 means one per processor.
func group(workers int) *errgroup.Group {
	g := &errgroup.Group{}
	g.SetLimit(cmp.Or(workers, runtime.GOMAXPROCS(0)))
	return g
}
