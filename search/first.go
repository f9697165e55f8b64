package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search/evolve"
)

// ErrUntrained is the error of a choice by a scorer that has learned nothing.
var ErrUntrained = errors.New("search: the scorer has learned nothing yet")

// Quick is an evolution for choices that nobody measures. It scores a sixth of the states that AutoScheduler does and
// finds at least as high scores: with scorer world and two seeds, its first choices of 20 tasks of paper22 run
// between 0.75 and 1.15, in the geometric mean 1.005, times as fast as the default's.
var Quick = evolve.Options{Population: 512, Generations: 16, Children: 128, Parents: 64, Patience: 2}

// Choose returns up to n candidates that the scorer thinks fastest, best first, of one
// evolution, some of structures of their own among them; nothing is built or measured. The
// scores are of one call. The error is ErrUntrained if the scores mean nothing.
func (t *Tuner) Choose(ctx context.Context, n int) ([]evolve.Scored, error) {
	if t.Scorer.Traits().Untrained {
		return nil, ErrUntrained
	}
	_, chosen, err := t.choose(ctx, n)
	return chosen, err
}

// First measures what one would get from Choose: the first of its n candidates that can
// be built, and no other. The record is that of the last one if none can be. It is of trial 0:
// First knows no earlier records of the task. A scorer that knows nothing chooses at random.
func (t *Tuner) First(ctx context.Context, n int) (dataset.Record, error) {
	r, chosen, err := t.choose(ctx, n)
	if err != nil {
		return dataset.Record{}, err
	}
	var rec dataset.Record
	for _, c := range chosen {
		builds, results, err := r.measure(ctx, []measure.Input{measure.NewInput(c.State, t.Task.Target, t.Task.Layout)})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return dataset.Record{}, err
		}
		if rec = r.record(c.State, c.Score, builds[0], results[0]); builds[0].Status == measure.OK {
			break
		}
	}
	return rec, nil
}

// InTurns measures up to n of the candidates that Choose finds: a fourth of them are what the scorer thinks fastest,
// the others come from the rest at equal distances. The records are in the order of the scorer. Their times are
// measured in turns, so the order of the times can be trusted: a scorer can learn from them to tell its favourites
// apart. A candidate that cannot be built, or fails, is a record with its status. The error is ErrUntrained if the
// scores mean nothing.
func (t *Tuner) InTurns(ctx context.Context, n int) ([]dataset.Record, error) {
	if t.Runner.Modes().InTurns == nil {
		return nil, errors.New("search: this runner does not time in turns")
	}
	if t.Scorer.Traits().Untrained {
		return nil, ErrUntrained
	}
	r, chosen, err := t.choose(ctx, max(n, refined))
	if err != nil {
		return nil, err
	}
	chosen = thinned(chosen, n)
	inputs := make([]measure.Input, len(chosen))
	for i, c := range chosen {
		inputs[i] = measure.NewInput(c.State, t.Task.Target, t.Task.Layout)
	}
	r.tell(Event{Kind: Finals, Count: len(chosen)})
	builds, err := r.build(ctx, inputs)
	if err != nil {
		return nil, err
	}
	results, err := r.remeasure(ctx, inputs, builds)
	if err != nil {
		return nil, err
	}
	records := make([]dataset.Record, len(chosen))
	for i, c := range chosen {
		records[i] = r.record(c.State, c.Score, builds[i], results[i])
		records[i].Trial = i
	}
	return records, nil
}

// thinned returns n of a list, in its order: the first n/4, and others at equal distances from there to the last. A
// scorer that learns which of the best to choose must see worse ones, too.
func thinned(list []evolve.Scored, n int) []evolve.Scored {
	if len(list) <= n {
		return list
	}
	first := n / 4
	some, rest := slices.Clone(list[:first]), list[first:]
	for i := range n - first {
		some = append(some, rest[i*(len(rest)-1)/max(n-first-1, 1)])
	}
	return some
}

// choose proposes once, and returns the run that did.
func (t *Tuner) choose(ctx context.Context, n int) (*run, []evolve.Scored, error) {
	quiet := *t
	quiet.Options.Explore = -1
	r, err := quiet.start(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	r.tell(Event{Kind: Proposing, Count: n})
	if foremost := r.source.Traits().Foremost; foremost != nil {
		r.source = foremost
	}
	chosen, err := r.opt.Propose.Propose(ctx, &Board{r}, n)
	if err != nil {
		return nil, nil, err
	}
	if len(chosen) == 0 {
		return nil, nil, fmt.Errorf("search: no candidate of the task's %d structures could be completed and scored: "+
			"try another seed or search space", r.source.Structures())
	}
	slices.SortFunc(chosen, evolve.BestFirst)
	return r, chosen, nil
}
