// Package anneal proposes candidates by simulated annealing, as AutoTVM does (section 3.3 and algorithm 1 of "Learning
// to Optimize Tensor Programs", Chen et al., 2018; python/tvm/autotvm/tuner/sa_model_optimizer.py): chains of
// candidates take one decision anew in each step, and what the chains saw is chosen by score and by diversity.
//
// It differs from AutoTVM's program where that leaves the paper or does not fit. Old and new candidates are scored in
// one call, since the scores of two calls do not compare. Scores are divided by their spread before they meet a
// temperature, so any scale will do. Diversity is weighed against the scores, which AutoTVM's program drops.
package anneal

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An Annealer proposes what annealing under the scorer finds. The chains go on in the next round where they stood. A
// search that is continued knows the measured candidates, and its chains begin anew at random.
type Annealer struct {
	Chains   int     // 0 means 128, or 64 under a frozen scorer
	Steps    int     // of each chain; 0 means 500, or 48 under a frozen scorer, whose scores cost more
	Patience int     // steps without a better candidate after which a round's chains stop; 0 means 50
	Lambda   float64 // the choice is among so many times as many as are wanted; 0 means 2
	Alpha    float64 // what decisions that are new to the choice weigh beside scores; 0 means 1, below 0 nothing

	chains []*schedule.State
}

// New returns an annealer with AutoTVM's numbers.
func New() *Annealer { return &Annealer{} }

// Name is "": the scorer guides the chains.
func (*Annealer) Name() string { return "" }

// stepTries is how often a chain tries to take a decision anew before it stays where it is for a step.
const stepTries = 8

// Propose returns up to n candidates that were not measured, of which Board.Explore are drawn at random. All are if the
// scorer has learned nothing.
func (a *Annealer) Propose(ctx context.Context, b *search.Board, n int) ([]evolve.Scored, error) {
	o := a.withDefaults(b.Traits().Frozen)
	for attempt := range search.Attempts {
		stream := b.Stream(attempt)
		random, err := annotate.Draw(ctx, 2*n, ^b.Seed(), stream, b.Workers(), b.Source().Sample)
		if err != nil {
			return nil, err
		}
		random = slices.DeleteFunc(random, func(s *schedule.State) bool { return b.Measured(s.Signature()) })
		explored := evolve.Share{List: search.Unscored(random), Places: n}
		var greedy evolve.Share
		if !b.Traits().Untrained {
			most := int(math.Ceil(o.Lambda * float64(n)))
			best, err := o.anneal(ctx, b, stream, b.Looks(ctx, most))
			if err == nil {
				best, err = b.Refine(ctx, best)
			}
			if err != nil {
				return nil, err
			}
			best, a.chains = best[:min(len(best), most)], o.chains
			explored.Places = min(b.Explore(n), n)
			greedy = evolve.Share{List: diverse(best, b.Source().Parts, n-explored.Places, o.Alpha), Places: n - explored.Places}
		}
		if picked, err := b.Pick(ctx, n, greedy, explored); err != nil || len(picked) > 0 {
			return picked, err
		}
	}
	return nil, nil
}

func (a *Annealer) withDefaults(frozen bool) *Annealer {
	o := *a
	chains, steps := 128, 500
	if frozen {
		chains, steps = 64, 48
	}
	o.Chains, o.Steps, o.Patience = cmp.Or(o.Chains, chains), cmp.Or(o.Steps, steps), cmp.Or(o.Patience, 50)
	o.Lambda, o.Alpha = cmp.Or(o.Lambda, 2), cmp.Or(o.Alpha, 1)
	return &o
}

// anneal moves the chains, and returns the best n candidates that they saw and that were not measured, best first.
func (a *Annealer) anneal(ctx context.Context, b *search.Board, stream uint32, n int) ([]evolve.Scored, error) {
	if missing := a.Chains - len(a.chains); missing > 0 {
		drawn, err := annotate.Draw(ctx, missing, b.Seed(), stream, b.Workers(), b.Source().Sample)
		if err != nil {
			return nil, err
		}
		a.chains = append(slices.Clone(a.chains), drawn...)
	}
	a.chains = slices.Clone(a.chains[:min(len(a.chains), a.Chains)])
	var best []evolve.Scored
	for step, idle := 0, 0; step < a.Steps && idle < a.Patience && len(a.chains) > 0; step++ {
		next, err := a.step(ctx, b, stream, step)
		if err != nil {
			return nil, err
		}
		// One call for all that is compared: where the chains stand, where they may go, and the best so far.
		seen := search.Unscored(slices.Concat(a.chains, next))
		all := slices.Concat(seen, best)
		states := make([]*schedule.State, len(all))
		for i, c := range all {
			states[i] = c.State
		}
		scores, err := b.Score(ctx, states)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i].Score = scores[i]
		}
		temperature := 1 - float64(step)/float64(a.Steps)
		rng := annotate.Rand(^b.Seed(), stream, annotate.Partials+step)
		a.move(next, scores, temperature, rng)
		found := foremost(b, all, n)
		if idle++; !slices.EqualFunc(found, best, func(x, y evolve.Scored) bool { return x.Signature == y.Signature }) {
			idle = 0
		}
		best = found
	}
	return best, nil
}

// step returns a candidate for each chain, one decision away from where it stands; where no decision could be taken
// anew, that is where it stands.
func (a *Annealer) step(ctx context.Context, b *search.Board, stream uint32, step int) ([]*schedule.State, error) {
	next := make([]*schedule.State, len(a.chains))
	err := annotate.Each(ctx, len(next), b.Workers(), func(i int) {
		rng := annotate.Rand(b.Seed(), stream, (step+1)*a.Chains+i)
		next[i] = a.chains[i]
		for range stepTries {
			if s, err := b.Source().Step(a.chains[i], rng); err == nil {
				next[i] = s
				return
			}
		}
	})
	return next, err
}

// move lets chains go to the next candidates: to better ones always, to worse ones the less often, the worse they are
// and the colder it is. The scores are those of the chains, then of the candidates.
func (a *Annealer) move(next []*schedule.State, scores []float64, temperature float64, rng *rand.Rand) {
	n := len(a.chains)
	scale := spread(scores[:2*n])
	for i := range a.chains {
		old, may := scores[i], scores[n+i]
		if u := rng.Float64(); !evolve.Possible(old) || may >= old || u < math.Exp((may-old)/scale/(temperature+1e-5)) {
			a.chains[i] = next[i]
		}
	}
}

// spread returns the standard deviation of the scores of states that can be lowered, 1 if there is none: divided by it,
// scores of any scale are alike.
func spread(scores []float64) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, s := range scores {
		if evolve.Possible(s) {
			n, sum = n+1, sum+s
		}
	}
	for _, s := range scores {
		if evolve.Possible(s) {
			squares += (s - sum/n) * (s - sum/n)
		}
	}
	if squares == 0 || n == 0 {
		return 1
	}
	return math.Sqrt(squares / n)
}

// foremost returns the best n distinct candidates that can be lowered and were not measured, best first.
func foremost(b *search.Board, all []evolve.Scored, n int) []evolve.Scored {
	seen := map[[16]byte]bool{}
	list := slices.DeleteFunc(slices.Clone(all), func(c evolve.Scored) bool {
		again := seen[c.Signature]
		seen[c.Signature] = true
		return again || !evolve.Possible(c.Score) || b.Measured(c.Signature)
	})
	slices.SortFunc(list, evolve.BestFirst)
	return list[:min(n, len(list))]
}

// diverse chooses n of a list by equation 3 of the paper, greedily: each time the candidate of which the score, and
// alpha times the share of its decisions that no chosen one has, are the highest in sum. Of equal ones it is the
// earlier.
func diverse(list []evolve.Scored, parts func(*schedule.State) []uint64, n int, alpha float64) []evolve.Scored {
	alpha = max(alpha, 0)
	scores, of := make([]float64, len(list)), make([][]uint64, len(list))
	for i, c := range list {
		scores[i], of[i] = c.Score, parts(c.State)
	}
	scale := spread(scores)
	taken, covered := make([]bool, len(list)), map[uint64]bool{}
	var chosen []evolve.Scored
	for len(chosen) < min(n, len(list)) {
		at, most := -1, 0.0
		for i := range list {
			if taken[i] {
				continue
			}
			fresh := 0
			for _, p := range of[i] {
				if !covered[p] {
					fresh++
				}
			}
			if gain := scores[i]/scale + alpha*float64(fresh)/float64(max(len(of[i]), 1)); at < 0 || gain > most {
				at, most = i, gain
			}
		}
		taken[at] = true
		for _, p := range of[at] {
			covered[p] = true
		}
		chosen = append(chosen, list[at])
	}
	return chosen
}
