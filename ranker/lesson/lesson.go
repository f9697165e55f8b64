// Package lesson keeps what a cost model learns from: features of programs, how long these took, and inside which task
// times compare. AutoTVM's models have it in common, trees and network alike. The package must not know what features
// are, nor how a model learns.
package lesson

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A List is what there is to learn from, an entry for each program.
type List[F any] struct {
	Programs []F
	Costs    []float64 // seconds; 0 of what failed
	Tasks    []string  // inside which times compare
}

// Add adds a program.
func (l *List[F]) Add(program F, cost float64, task string) {
	l.Programs, l.Costs, l.Tasks = append(l.Programs, program), append(l.Costs, cost), append(l.Tasks, task)
}

// A Book has two lists, and the features of the programs that were asked for. Features may be asked for by several
// goroutines at a time.
type Book[F any] struct {
	Local, Before List[F] // of the tasks that are tuned; of others before

	of   func(s *schedule.State) (F, bool)
	mu   sync.Mutex
	kept map[key]entry[F]
}

type key struct {
	dag       *compute.DAG
	signature [16]byte
}

type entry[F any] struct {
	features F
	ok       bool
}

// Most bounds the programs whose features are kept.
const Most = 20000

// New returns a book of features that a function makes. It returns false if a program has none.
func New[F any](of func(s *schedule.State) (F, bool)) *Book[F] {
	return &Book[F]{of: of, kept: map[key]entry[F]{}}
}

// Features returns those of a state, and false if it has none.
func (b *Book[F]) Features(d *compute.DAG, s *schedule.State) (F, bool) {
	k := key{d, s.Signature()}
	b.mu.Lock()
	e, ok := b.kept[k]
	b.mu.Unlock()
	if ok {
		return e.features, e.ok
	}
	e.features, e.ok = b.of(s)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.kept) >= Most {
		clear(b.kept)
	}
	b.kept[k] = e
	return e.features, e.ok
}

// Record adds measured records of a task to a list, failures included. Those without features are left out.
func (b *Book[F]) Record(to *List[F], task workload.Task, records []dataset.Record) {
	for i := range records {
		r := &records[i]
		s, err := schedule.ReplayBound(task.DAG, r.Steps)
		if err != nil {
			continue
		}
		if f, ok := b.Features(task.DAG, s); ok {
			to.Add(f, r.Cost(), r.WorkloadKey+"\x00"+r.Target.String()+"\x00"+r.Layout.String()+"\x00"+r.Timing.String())
		}
	}
}

// Score returns one value per state, in order: -Inf for one without features. So many goroutines work, one per
// processor for 0; the scores do not depend on it.
func (b *Book[F]) Score(ctx context.Context, workers int, task workload.Task, states []*schedule.State,
	score func(f F) float64) ([]float64, error) {
	scores := make([]float64, len(states))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(workers, runtime.GOMAXPROCS(0)))
	const few = 16
	for from := 0; from < len(states); from += few {
		g.Go(func() error {
			for i := from; i < min(from+few, len(states)) && ctx.Err() == nil; i++ {
				scores[i] = math.Inf(-1)
				if f, ok := b.Features(task.DAG, states[i]); ok {
					scores[i] = score(f)
				}
			}
			return ctx.Err()
		})
	}
	return scores, g.Wait()
}

// Weight returns what a model that learned before counts after so many programs: it halves with each so many, and is 0
// below 0.05 (eq. 4 of "Learning to Optimize Tensor Programs", Chen et al., 2018).
func Weight(programs, half int) float64 {
	if w := math.Exp2(-float64(programs) / float64(half)); w >= 0.05 {
		return w
	}
	return 0
}
