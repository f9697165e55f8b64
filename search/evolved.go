package search

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

const (
	// measuredShare is the share of a population that may be measured states.
	measuredShare = 0.2

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

// Evolve proposes what evolution under the scorer finds. The zero value is AutoScheduler's.
type Evolve struct {
	Evolution evolve.Options // Seed, Stream and Workers are filled in
	Planned   float64        // share of initial populations that a planner chooses; 0: DefaultPlanned, below 0 none
}

// Name is "": the scorer guides evolution.
func (Evolve) Name() string { return "" }

// Propose evolves a population under the scorer.
func (o Evolve) Propose(ctx context.Context, b *Board, n int) ([]evolve.Scored, error) {
	return (&evolution{b.run, o}).propose(ctx, n)
}

// An evolution is what Evolve does in a search.
type evolution struct {
	*run
	Evolve
}

func (r *evolution) propose(ctx context.Context, n int) ([]evolve.Scored, error) {
	o := r.options(n)
	for attempt := range Attempts {
		o.Stream = r.stream(attempt)
		picked, err := r.proposeFrom(ctx, o, n)
		if err != nil || len(picked) > 0 {
			return picked, err
		}
	}
	return nil, nil
}

// options returns the options of the evolution that proposes n candidates.
func (r *evolution) options(n int) evolve.Options {
	o := r.Evolution
	o.Seed, o.Workers = r.opt.Seed, r.opt.Workers
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

func (r *evolution) proposeFrom(ctx context.Context, o evolve.Options, n int) ([]evolve.Scored, error) {
	population, err := r.population(ctx, o)
	if err != nil {
		return nil, err
	}
	population = append(population, r.known.parents(int(measuredShare*float64(o.Population)))...)
	e := evolve.Evolution{
		Options: o, Step: r.source.Step,
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
