package search

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Proposer seeks what is measured next. What was measured stands on the board: a proposer that keeps more begins anew
// from the board when a search is continued.
type Proposer interface {
	// Name stands in the records as their scorer, if no scorer guides the proposer; else it is "".
	Name() string

	// Propose returns up to n candidates that were not measured, none if it finds none. All that is random depends on
	// Board.Rand, so the candidates are the same whatever the number of goroutines.
	Propose(ctx context.Context, b *Board, n int) ([]evolve.Scored, error)
}

// A Board is what a proposer sees of a search.
type Board struct{ run *run }

// Task returns what is tuned.
func (b *Board) Task() *Task { return b.run.Task }

// Source returns the candidates of the task.
func (b *Board) Source() Source { return b.run.source }

// Traits returns those of the scorer.
func (b *Board) Traits() Traits { return b.run.Scorer.Traits() }

// Trials returns how many candidates were measured, those of earlier searches included.
func (b *Board) Trials() int { return b.run.known.trials() }

// Measured reports whether a program was measured.
func (b *Board) Measured(signature [16]byte) bool { return b.run.known.measured[signature] }

// Fastest returns up to n of the fastest candidates, the fastest first.
func (b *Board) Fastest(n int) []*schedule.State { return b.run.known.parents(n) }

// Speeds returns how fast those of Fastest are, as 1 over seconds.
func (b *Board) Speeds(n int) []float64 {
	var list []float64
	for _, t := range b.run.known.fastest[:min(n, len(b.run.known.fastest))] {
		list = append(list, 1/t.record.Cost())
	}
	return list
}

// Seed returns the seed of the search.
func (b *Board) Seed() uint64 { return b.run.opt.Seed }

// Stream tells the random numbers of an attempt to propose, 0 to Attempts-1, from all others: with the seed and the
// number of an item it is what annotate.Rand takes. It depends on the number of trials, so a search that is continued
// goes on as if it had not stopped.
func (b *Board) Stream(attempt int) uint32 { return b.run.stream(attempt) }

// Attempts is how often a proposer tries with other random numbers if it finds nothing new.
const Attempts = 3

// Workers returns the number of goroutines to use; 0 means one per processor.
func (b *Board) Workers() int { return b.run.opt.Workers }

// Score asks the scorer: one value per state, higher is faster, comparable within one call. A state that cannot be
// lowered has -Inf. NaN counts as that.
func (b *Board) Score(ctx context.Context, states []*schedule.State) ([]float64, error) {
	return b.run.score(ctx, states)
}

// Looks returns how many of the best states a proposer keeps to choose n candidates of: more than n if the scorer looks
// closer.
func (b *Board) Looks(ctx context.Context, n int) int { return b.run.looks(ctx, n) }

// Refine returns candidates in the order of the scorer's closer look, without those that it rules out; the list as it
// is if the scorer has none.
func (b *Board) Refine(ctx context.Context, list []evolve.Scored) ([]evolve.Scored, error) {
	return b.run.refine(ctx, list, len(list))
}

// Explore returns how many of the next n candidates are to be drawn at random, whatever the scorer says.
func (b *Board) Explore(n int) int { return b.run.places(max(b.run.opt.Explore, 0), n) }

// Pick chooses n candidates of shares, all judged in one call, so that the scores in the records of a round compare.
// States that cannot be lowered are left out.
func (b *Board) Pick(ctx context.Context, n int, shares ...evolve.Share) ([]evolve.Scored, error) {
	return b.run.pick(ctx, n, shares...)
}

// Unscored makes candidates of states.
func Unscored(states []*schedule.State) []evolve.Scored { return scored(states, nil) }

// propose returns up to n candidates that were not measured. It returns none if the proposer of the phase found nothing
// new.
func (r *run) propose(ctx context.Context, n int) ([]evolve.Scored, error) {
	return r.phases.proposer().Propose(ctx, &Board{r}, n)
}

// stream is Board.Stream.
func (r *run) stream(attempt int) uint32 { return uint32(r.known.trials()*Attempts + attempt) }

// pick chooses n candidates of shares, all judged in one call, so that the scores in the
// records of a round compare. States that cannot be lowered are left out.
func (r *run) pick(ctx context.Context, n int, shares ...evolve.Share) ([]evolve.Scored, error) {
	var states []*schedule.State
	for _, s := range shares {
		for _, c := range s.List[:min(len(s.List), 2*n)] {
			states = append(states, c.State)
		}
	}
	if len(states) == 0 {
		return nil, nil
	}
	scores, err := r.judge(ctx, states)
	if err != nil {
		return nil, err
	}
	all := scored(states, scores)
	for i := range shares {
		k := min(len(shares[i].List), 2*n)
		shares[i].List = slices.DeleteFunc(all[:k:k], func(s evolve.Scored) bool { return !evolve.Possible(s.Score) })
		all = all[k:]
	}
	return evolve.Pick(n, shares...), nil
}

// score asks the scorer, and checks that it kept its contract.
func (r *run) score(ctx context.Context, states []*schedule.State) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scores, err := r.Scorer.Score(ctx, r.Task, states)
	if err != nil {
		return nil, fmt.Errorf("search: scorer: %w", err)
	}
	if len(scores) != len(states) {
		return nil, fmt.Errorf("search: the scorer returned %d scores for %d states", len(scores), len(states))
	}
	if len(scores) > 0 && !slices.ContainsFunc(scores, func(s float64) bool { return !math.IsNaN(s) }) {
		return nil, fmt.Errorf("search: the scorer returned NaN for all of %d states", len(states))
	}
	return scores, nil
}

// scored joins states and their scores; nil: they have none yet.
func scored(states []*schedule.State, scores []float64) []evolve.Scored {
	list := make([]evolve.Scored, len(states))
	for i, s := range states {
		list[i] = evolve.Scored{State: s, Signature: s.Signature()}
		if scores != nil {
			list[i].Score = scores[i]
		}
	}
	return list
}
