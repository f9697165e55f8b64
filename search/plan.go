package search

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

const (
	// DefaultPlanned is the share of an initial population that is planned.
	DefaultPlanned = 0.5
	// planWidth is how many partial states are looked at for each that is completed.
	planWidth = 4
	// planQuota is the share of the planned states that is divided equally among the
	// sketches, whatever the promises: they compare badly between sketches.
	planQuota = 0.25
)

// population returns the states that evolution begins with: sketches completed at
// random, and, if the scorer plans ahead, a share of them chosen among many partial
// ones by what they promise. An evaluator cannot find what is never proposed; this
// looks at planWidth times as many tile sizes, for the cost of scoring prefixes.
func (r *evolution) population(ctx context.Context, o evolve.Options) ([]*schedule.State, error) {
	promising, planning := r.Scorer.Traits().Promise, r.source.Traits()
	planned := int(cmp.Or(r.Planned, DefaultPlanned) * float64(o.Population))
	if promising == nil || planning.Partial == nil || planned <= 0 {
		return annotate.Draw(ctx, o.Population, o.Seed, o.Stream, o.Workers, r.source.Sample)
	}
	partial, err := r.partials(ctx, o, planWidth*planned)
	if err != nil {
		return nil, err
	}
	states := make([]*schedule.State, len(partial))
	for i, p := range partial {
		states[i] = p.state
	}
	promise, err := promising(ctx, r.Task, states)
	if err != nil {
		return nil, fmt.Errorf("search: scorer: %w", err)
	}
	if len(promise) != len(states) {
		return nil, fmt.Errorf("search: the scorer returned %d promises for %d states", len(promise), len(states))
	}
	chosen := choosePartials(partial, promise, planned, r.source.Structures())
	complete := make([]*schedule.State, len(chosen))
	err = annotate.Each(ctx, len(chosen), o.Workers, func(i int) {
		if s, err := planning.Complete(chosen[i].state, chosen[i].rng); err == nil {
			complete[i] = s
		}
	})
	if err != nil {
		return nil, err
	}
	complete = slices.DeleteFunc(complete, func(s *schedule.State) bool { return s == nil })
	// What the scorer could not choose, of a task that it knows nothing of all, is drawn.
	rest, err := annotate.Draw(ctx, o.Population-len(complete), o.Seed, o.Stream, o.Workers, r.source.Sample)
	if err != nil {
		return nil, err
	}
	return append(complete, rest...), nil
}

// A partialState is a partial state, the sketch that it is of, and the random numbers
// that its remaining decisions are taken with.
type partialState struct {
	state  *schedule.State
	sketch int // its structure
	rng    *rand.Rand
}

// partials returns up to n distinct partial states. The generator of a slot follows
// from the seed, the stream and the slot.
func (r *evolution) partials(ctx context.Context, o evolve.Options, n int) ([]partialState, error) {
	partial := r.source.Traits().Partial
	slots := make([]partialState, n)
	signatures := make([][16]byte, n)
	err := annotate.Each(ctx, n, o.Workers, func(i int) {
		rng := annotate.Rand(^o.Seed, o.Stream, annotate.Partials+i)
		if s, k, err := partial(rng); err == nil {
			slots[i], signatures[i] = partialState{s, k, rng}, s.Signature()
		}
	})
	seen := map[[16]byte]bool{}
	var list []partialState
	for i, p := range slots {
		if p.state != nil && !seen[signatures[i]] {
			seen[signatures[i]] = true
			list = append(list, p)
		}
	}
	return list, err
}

// choosePartials returns n of the states: of each sketch its share of the quota, then
// those that promise most. Of equal promises the earlier one is chosen.
func choosePartials(list []partialState, promise []float64, n, sketches int) []partialState {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(promise[b], promise[a]) })
	order = slices.DeleteFunc(order, func(i int) bool { return !evolve.Possible(promise[i]) })
	quota := int(planQuota*float64(n)) / max(sketches, 1)
	taken, of := make([]bool, len(list)), make([]int, sketches)
	var chosen []partialState
	take := func(may func(sketch int) bool) {
		for _, i := range order {
			if k := list[i].sketch; len(chosen) < n && !taken[i] && may(k) {
				taken[i] = true
				of[k]++
				chosen = append(chosen, list[i])
			}
		}
	}
	take(func(k int) bool { return of[k] < quota })
	take(func(int) bool { return true })
	return chosen
}
