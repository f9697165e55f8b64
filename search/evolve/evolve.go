// Package evolve improves a population of states by mutation and selection, as
// AutoScheduler's evolutionary search does
// (src/auto_scheduler/search_policy/sketch_policy.cc), without its traps:
// selection goes by rank, so scores may have any scale and sign; a state that
// cannot be scored is never selected; and mutation that fails gives up after a
// few tries instead of trying for ever.
//
// To add a mutator, write its function and add a row with its weight
// to a target's table in mutators.go.
//
// The package must not know what scores mean or where they come from.
package evolve

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Options say how long to evolve. The zero value is AutoScheduler's.
type Options struct {
	Population  int     // states in a generation; 0 means 2048
	Generations int     // after the first; 0 means 4, below 0 means none
	Mutation    float64 // the share of a generation that is mutated; 0 means 0.85
	Workers     int     // goroutines; 0 means one per processor
	Seed        uint64
	Stream      uint32 // tells evolutions of one seed apart

	// A strong selection finds as high scores in a small part of the states that AutoScheduler's needs, of which it may
	// return several that differ little. The zero values are AutoScheduler's.
	Children int // states in each generation after the first; 0 means Population
	Parents  int // the best so many states found so far are parents; 0: all of the last generation
	Patience int // generations that leave the best 16 states as they are after which evolution ends; 0: none end it
}

func (o Options) withDefaults() Options {
	if o.Population == 0 {
		o.Population = 2048
	}
	if o.Generations == 0 {
		o.Generations = 4
	}
	if o.Mutation == 0 {
		o.Mutation = 0.85
	}
	if o.Children == 0 {
		o.Children = o.Population
	}
	return o
}

// tries is how many mutations of other parents follow one that failed before
// the parent is passed on as it is.
const tries = 8

// A Scored is a state and what a scorer said of it.
type Scored struct {
	State     *schedule.State
	Signature [16]byte
	Score     float64
}

// An Evolution is a search for states with high scores.
type Evolution struct {
	Options

	// Step returns a state one decision away. An error says why there is none; that is nothing unusual.
	Step func(s *schedule.State, rng *rand.Rand) (*schedule.State, error)

	// Score returns one value per state; see search.Scorer. Values are compared
	// within one call only.
	Score func([]*schedule.State) ([]float64, error)

	// Exclude reports whether a program must not be returned, because it has
	// been measured. Such states may still be parents.
	Exclude func(signature [16]byte) bool
}

// Run returns up to n distinct states that are not excluded, in order of BestFirst.
// States that score -Inf or NaN are neither returned nor parents. It returns fewer than n states,
// or none, if there are no more. The error is that of Score, or the context's.
//
// The best states found so far are scored again with each generation, so that
// all comparisons are between values of one call.
func (e *Evolution) Run(ctx context.Context, initial []*schedule.State, n int) ([]Scored, error) {
	o := e.Options.withDefaults()
	population := initial
	var found, carried []Scored
	for generation, idle := 0, 0; ; generation++ {
		scored, err := e.scoreAll(ctx, population, carried)
		if err != nil {
			return nil, err
		}
		best := e.best(scored, n)
		if idle++; !slices.EqualFunc(found[:min(watched, len(found))], best[:min(watched, len(best))], sameState) {
			idle = 0
		}
		found, carried = best, best
		if generation >= o.Generations || len(scored) == 0 || o.Patience > 0 && idle >= o.Patience {
			return found, nil
		}
		if o.Parents > 0 {
			scored = scored[:min(o.Parents, len(scored))]
			carried = slices.Concat(scored, best)
		}
		if population, err = e.offspring(ctx, o, scored, generation); err != nil {
			return nil, err
		}
	}
}

// watched is how many of the best states must stay as they are for Options.Patience.
const watched = 16

func sameState(a, b Scored) bool { return a.Signature == b.Signature }

// scoreAll scores distinct states, best first, and leaves out those without a
// score.
func (e *Evolution) scoreAll(ctx context.Context, population []*schedule.State, best []Scored) ([]Scored, error) {
	var states []*schedule.State
	var signatures [][16]byte
	seen := map[[16]byte]bool{}
	add := func(s *schedule.State, sig [16]byte) {
		if !seen[sig] {
			seen[sig] = true
			states, signatures = append(states, s), append(signatures, sig)
		}
	}
	for _, b := range best {
		add(b.State, b.Signature)
	}
	sigs := make([][16]byte, len(population))
	err := annotate.Each(ctx, len(population), e.Workers, func(i int) { sigs[i] = population[i].Signature() })
	if err != nil {
		return nil, err
	}
	for i, s := range population {
		add(s, sigs[i])
	}
	if len(states) == 0 {
		return nil, nil
	}
	scores, err := e.Score(states)
	if err != nil {
		return nil, err
	}
	var list []Scored
	for i, s := range states {
		if Possible(scores[i]) {
			list = append(list, Scored{s, signatures[i], scores[i]})
		}
	}
	slices.SortFunc(list, BestFirst)
	return list, nil
}

// BestFirst is below 0 if a comes before b: in order of ByTensorCores, then of scores, of equal scores in order of
// Plainer, then of signatures. The scores are of one call.
func BestFirst(a, b Scored) int {
	if c := cmp.Or(ByTensorCores(a.State, b.State), cmp.Compare(b.Score, a.Score)); c != 0 {
		return c
	}
	return cmp.Or(Plainer(a.State, b.State), slices.Compare(a.Signature[:], b.Signature[:]))
}

// Plainer is below 0 if a has less decisions than b of which a scorer may know nothing
// (schedule.Beyond), above 0 if it has more: of equal scores the plain program is the
// better guess.
func Plainer(a, b *schedule.State) int {
	return cmp.Compare(schedule.Extras(a.Steps), schedule.Extras(b.Steps))
}

// Possible reports whether a score is that of a state that can be lowered.
func Possible(score float64) bool { return !math.IsNaN(score) && !math.IsInf(score, -1) }

// best returns the first n states that are not excluded.
func (e *Evolution) best(scored []Scored, n int) []Scored {
	var list []Scored
	for _, s := range scored {
		if len(list) == n {
			break
		}
		if e.Exclude == nil || !e.Exclude(s.Signature) {
			list = append(list, s)
		}
	}
	return list
}

// offspring makes the next generation: each slot draws a parent and, mostly,
// mutates it. If the mutation fails it tries other parents a few times, then
// passes the last one on.
func (e *Evolution) offspring(ctx context.Context, o Options, scored []Scored, generation int) (
	[]*schedule.State, error,
) {
	pick := byRank(scored)
	children := make([]*schedule.State, o.Children)
	stream := o.Stream
	err := annotate.Each(ctx, o.Children, e.Workers, func(slot int) {
		rng := annotate.Rand(o.Seed, stream, o.Population+generation*o.Children+slot)
		parent := scored[pick(rng)].State
		children[slot] = parent
		if rng.Float64() >= o.Mutation {
			return
		}
		for range tries {
			child, err := e.Step(parent, rng)
			if err == nil {
				children[slot] = child
				return
			}
			parent = scored[pick(rng)].State
		}
	})
	return children, err
}

// byRank returns a function that draws an index of a list sorted by falling
// score. The weight of a state is the number of states that are not better,
// which is the same for any monotone scale of scores; equal scores have equal
// weights.
func byRank(scored []Scored) func(*rand.Rand) int {
	sums := make([]float64, len(scored))
	total, first := 0.0, 0
	for i := range scored {
		if scored[first].Score != scored[i].Score {
			first = i
		}
		total += float64(len(scored) - first)
		sums[i] = total
	}
	return func(rng *rand.Rand) int {
		x := rng.Float64() * total
		i, _ := slices.BinarySearch(sums, x)
		return min(i, len(scored)-1)
	}
}

// A Share is candidates for a number of the places of a round.
type Share struct {
	List   []Scored // the first ones first
	Places int
}

// Pick returns up to n states to measure: of each share as many as it has places, in
// the order of the shares, which then fill in for each other in that order. No program
// is picked twice.
func Pick(n int, shares ...Share) []Scored {
	var picked []Scored
	seen := map[[16]byte]bool{}
	take := func(s *Share, limit int) {
		for len(s.List) > 0 && len(picked) < min(limit, n) {
			if c := s.List[0]; !seen[c.Signature] {
				seen[c.Signature] = true
				picked = append(picked, c)
			}
			s.List = s.List[1:]
		}
	}
	for i := range shares {
		take(&shares[i], len(picked)+shares[i].Places)
	}
	for i := range shares {
		take(&shares[i], n)
	}
	return picked
}

// ByTensorCores is below 0 if tensor cores, or instructions of a processor, compute more stages of a than of b, above 0
// if less. No scorer knows of them: nothing they learnt from has them. What they are for they
// multiply several times as fast as other units do (16 times on an A100, by NVIDIA's data sheet:
// 312 against 19.5 TFLOP/s), and programs with them come before those without, whatever the
// scores. Scores order the programs of each kind.
func ByTensorCores(a, b *schedule.State) int { return cmp.Compare(tensorized(b), tensorized(a)) }

// tensorized counts the stages that tensor cores compute.
func tensorized(s *schedule.State) int {
	n := 0
	for _, st := range s.Stages {
		if st.Op.Combine != nil && st.IsTensorized() {
			n++
		}
	}
	return n
}
