package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A space is the set of candidates of a task.
type space struct {
	sketches []*schedule.State
	sampler  *annotate.Sampler
	mutators []evolve.Mutator
}

func newSpace(ctx context.Context, task *Task) (*space, error) {
	if len(task.Space.Sketch.Rules) == 0 || len(task.Space.Mutators) == 0 {
		return nil, fmt.Errorf("search: task %s has no space: no sketch rules or no mutators", task.Name)
	}
	sketches, err := sketch.Generate(ctx, task.Space.Sketch, task.DAG, task.Target)
	if err != nil {
		return nil, err
	}
	if len(sketches) == 0 {
		return nil, errors.New("search: the task has no sketch")
	}
	return &space{sketches: sketches, sampler: annotate.New(task.Space.Annotate, task.Target),
		mutators: task.Space.Mutators}, nil
}

const (
	// measuredShare is the share of a population that may be measured states.
	measuredShare = 0.2

	// attempts is how many populations are tried when no state of one is new.
	attempts = 3

	// untrainedPopulation is the number of states per candidate in a population for
	// a scorer that has learned nothing.
	untrainedPopulation = 16
	// untrainedGenerations is their number of generations, as in AutoScheduler.
	untrainedGenerations = 2
)

// brisk is the evolution of a round under a scorer whose scores of a state never change, on a processor. It scores a
// fifth of the states that AutoScheduler's does, and a round is not mostly seeking candidates. What 64 trials of 11
// tasks of paper22 find on an AVX2 processor is as fast within the noise: 0.990 times in the median, 1.017 in the
// geometric mean. It was not measured on GPUs.
var brisk = evolve.Options{Population: 512, Generations: 6, Children: 256, Parents: 128}

// propose returns up to n candidates that were not measured. It returns none if
// several attempts found nothing new.
//
// All that is random depends on the seed and the number of trials before, so
// that a search that is continued goes on as if it had not stopped.
func (r *run) propose(ctx context.Context, n int) ([]evolve.Scored, error) {
	switch r.phases.strategy() {
	case Sampled:
		return r.sample(ctx, n)
	case Neighbour:
		return r.neighbours(ctx, n)
	}
	return r.evolve(ctx, n)
}

// stream tells the random numbers of an attempt to propose from all others.
func (r *run) stream(attempt int) uint32 { return uint32(r.known.trials()*attempts + attempt) }

// evolve proposes what evolution under the scorer finds.
func (r *run) evolve(ctx context.Context, n int) ([]evolve.Scored, error) {
	o := r.evolution(n)
	for attempt := range attempts {
		o.Stream = r.stream(attempt)
		picked, err := r.proposeFrom(ctx, o, n)
		if err != nil || len(picked) > 0 {
			return picked, err
		}
	}
	return nil, nil
}

// evolution returns the options of the evolution that proposes n candidates.
func (r *run) evolution(n int) evolve.Options {
	o := r.opt.Evolution
	traits := r.Scorer.Traits()
	switch {
	case traits.Untrained:
		o.Population = cmp.Or(o.Population, max(64, untrainedPopulation*n))
		o.Generations = cmp.Or(o.Generations, untrainedGenerations)
	case traits.Frozen && o.Population == 0 && o.Generations == 0 && r.Task.Target.Kind == target.LLVM:
		o.Population, o.Generations = brisk.Population, brisk.Generations
		o.Children, o.Parents = cmp.Or(o.Children, brisk.Children), cmp.Or(o.Parents, brisk.Parents)
	}
	o.Population = cmp.Or(o.Population, 2048)
	return o
}

func (r *run) proposeFrom(ctx context.Context, o evolve.Options, n int) ([]evolve.Scored, error) {
	population, err := r.population(ctx, o)
	if err != nil {
		return nil, err
	}
	population = append(population, r.known.parents(int(measuredShare*float64(o.Population)))...)
	e := evolve.Evolution{
		Options: o, Sampler: r.space.sampler, Mutators: r.space.mutators,
		Exclude: func(sig [16]byte) bool { return r.known.measured[sig] },
		Score:   func(states []*schedule.State) ([]float64, error) { return r.score(ctx, states) },
	}
	best, err := e.Run(ctx, population, r.looks(ctx, 2*n))
	if err != nil {
		return nil, err
	}
	if best, err = r.refine(ctx, best, len(best)); err != nil {
		return nil, err
	}
	novel, kin, err := r.explored(ctx, &e, population, n)
	if err != nil {
		return nil, err
	}
	rng := annotate.Rand(^o.Seed, o.Stream, annotate.Subset)
	random := evolve.Share{List: scored(r.randomSubset(population, n, rng), nil),
		Places: r.places(max(r.opt.Explore, 0), n)}
	greedy := evolve.Share{List: best, Places: n - novel.Places - kin.Places - random.Places}
	return r.pick(ctx, n, greedy, novel, kin, random)
}

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

// randomSubset returns up to n states of a population in random order, none
// measured.
func (r *run) randomSubset(population []*schedule.State, n int, rng *rand.Rand) []*schedule.State {
	var list []*schedule.State
	for _, i := range rng.Perm(len(population)) {
		if len(list) == n {
			break
		}
		if s := population[i]; !r.known.measured[s.Signature()] {
			list = append(list, s)
		}
	}
	return list
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

// sample proposes sketches completed at random: those of a population as they come.
// Their scores are those of Random.
func (r *run) sample(ctx context.Context, n int) ([]evolve.Scored, error) {
	var states []*schedule.State
	seen := map[[16]byte]bool{}
	for attempt := 0; attempt < attempts && len(states) < n; attempt++ {
		// As many again, for some are known already.
		population, err := r.space.sampler.Population(ctx, r.space.sketches, 2*n, r.opt.Seed, r.stream(attempt),
			r.opt.Workers)
		if err != nil {
			return nil, err
		}
		for _, s := range population {
			if sig := s.Signature(); len(states) < n && !seen[sig] && !r.known.measured[sig] {
				seen[sig] = true
				states = append(states, s)
			}
		}
	}
	scores, err := Random{Seed: r.opt.Seed}.Score(ctx, r.Task, states)
	if err != nil {
		return nil, err
	}
	return scored(states, scores), ctx.Err()
}

// goodParents is how many of the fastest candidates have neighbours measured. If there is none that is new and
// can be lowered, four times as many have, and then as many again by four.
const goodParents = 8

// neighbours proposes states that are one mutation away from one of the fastest, in
// turns, whatever the scorer thinks of them: what a single number changes is seen
// in pairs.
func (r *run) neighbours(ctx context.Context, n int) ([]evolve.Scored, error) {
	for attempt := range attempts {
		o := r.opt.Evolution
		o.Stream = r.stream(attempt)
		e := evolve.Evolution{
			Options: o, Sampler: r.space.sampler, Mutators: r.space.mutators,
			Exclude: func(sig [16]byte) bool { return r.known.measured[sig] },
		}
		states, err := e.Neighbours(ctx, r.known.parents(goodParents<<(2*attempt)), n)
		if err != nil {
			return nil, err
		}
		if len(states) == 0 {
			continue
		}
		scores, err := r.score(ctx, states)
		if err != nil {
			return nil, err
		}
		list := slices.DeleteFunc(scored(states, scores), func(s evolve.Scored) bool { return !evolve.Possible(s.Score) })
		if len(list) > 0 {
			return list, nil
		}
	}
	return nil, nil
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
