package bench

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// witnesses is the number of states of an initial population that are looked for in
// what a scorer is asked first.
const witnesses = 64

// A watchedScorer is a scorer of a benchmark: it counts what it is asked, rejects a
// population that is not the seed's, and learns only as long as that is of use.
type watchedScorer interface {
	search.Scorer
	expect(ctx context.Context, task *search.Task, seed uint64) error
	scored() int
	learnsWhile(func() bool)
}

// watch watches a scorer.
func watch(s search.Scorer) watchedScorer { return &watched{Scorer: s} }

type watched struct {
	search.Scorer
	expected map[[16]byte]bool // states that the first population must hold; nil once it was seen
	asked    int
	learns   func() bool // nil: always
}

// expect has the first population be the seed's, as that of a fresh search is.
func (w *watched) expect(ctx context.Context, task *search.Task, seed uint64) error {
	source, err := task.Space.Open(ctx, task)
	if err != nil {
		return err
	}
	states, err := annotate.Draw(ctx, witnesses, seed, 0, 0, source.Sample)
	if err != nil {
		return err
	}
	w.expected = map[[16]byte]bool{}
	for _, s := range states {
		w.expected[s.Signature()] = true
	}
	return nil
}

func (w *watched) scored() int               { return w.asked }
func (w *watched) learnsWhile(f func() bool) { w.learns = f }

// Traits are those of the scorer. What it promises is counted.
func (w *watched) Traits() search.Traits {
	t := w.Scorer.Traits()
	if promise := t.Promise; promise != nil {
		t.Promise = func(ctx context.Context, task *search.Task, partial []*schedule.State) ([]float64, error) {
			w.asked += len(partial)
			return promise(ctx, task, partial)
		}
	}
	return t
}

// Score implements search.Scorer.
func (w *watched) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if w.expected != nil {
		for _, s := range states {
			delete(w.expected, s.Signature())
		}
		if n := len(w.expected); n > 0 {
			return nil, fmt.Errorf("the initial population is not the seed's: %d of its first %d states are not in it; "+
				"scorers would not be compared on the same ground", n, witnesses)
		}
		w.expected = nil
	}
	w.asked += len(states)
	return w.Scorer.Score(ctx, task, states)
}

// Update implements search.Scorer.
func (w *watched) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	if w.learns != nil && !w.learns() {
		return nil
	}
	return w.Scorer.Update(ctx, task, records)
}

// A changed scorer has other traits.
type changed struct {
	search.Scorer
	change func(t *search.Traits)
}

// Traits are the scorer's own, changed.
func (c changed) Traits() search.Traits {
	t := c.Scorer.Traits()
	c.change(&t)
	return t
}
