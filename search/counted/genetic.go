// Package counted proposes candidates of spaces whose configurations have numbers, as AutoTVM's tuners without a model
// do: a genetic algorithm, and all in order. No scorer is asked.
package counted

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// The names that records have as their scorer.
const (
	GeneticName = "genetic"
	GridName    = "grid"
)

// errNumbers is the error of a space that fits no proposer of this package.
var errNumbers = errors.New("counted: the candidates of this search space have no numbers; that of templates has some")

// A Genetic proposes children of the fastest candidates (python/tvm/autotvm/tuner/ga_tuner.py). Parents are drawn by
// their measured speeds. Where AutoTVM has generations and elites, parents are the fastest so far, and a search that is
// continued goes on as if it had not stopped.
type Genetic struct {
	Population int     // of parents; 0 means 100
	Anew       float64 // how often a decision is drawn anew; 0 means 0.1, below 0 never
}

// Name says that no scorer guides it.
func (Genetic) Name() string { return GeneticName }

// tries is how many children are made for each that is wanted: many are known already.
const tries = 8

// Propose returns up to n children that were not measured; what is missing, and the first round, is drawn at random.
func (g Genetic) Propose(ctx context.Context, b *search.Board, n int) ([]evolve.Scored, error) {
	configs := b.Source().Traits().Configs
	if configs == nil {
		return nil, errNumbers
	}
	g.Population, g.Anew = cmp.Or(g.Population, 100), cmp.Or(g.Anew, 0.1)
	parents, speeds := b.Fastest(g.Population), b.Speeds(g.Population)
	stream := b.Stream(0)
	children := make([]*schedule.State, tries*n)
	if len(parents) > 0 {
		err := annotate.Each(ctx, len(children), b.Workers(), func(i int) {
			rng := annotate.Rand(b.Seed(), stream, i)
			x, y := parents[draw(speeds, rng)], parents[draw(speeds, rng)]
			if s, err := configs.Cross(x, y, g.Anew, rng); err == nil {
				children[i] = s
			}
		})
		if err != nil {
			return nil, err
		}
	}
	fresh := newcomers(b, children, n)
	if missing := n - len(fresh); missing > 0 {
		random, err := search.Sample{}.Propose(ctx, b, n)
		if err != nil {
			return nil, err
		}
		fresh = evolve.Pick(n, evolve.Share{List: fresh, Places: n}, evolve.Share{List: random, Places: missing})
	}
	return fresh, ctx.Err()
}

// draw draws the place of a speed, the faster the likelier.
func draw(speeds []float64, rng *rand.Rand) int {
	sum := 0.0
	for _, s := range speeds {
		sum += s
	}
	at := rng.Float64() * sum
	for i, s := range speeds {
		if at -= s; at < 0 {
			return i
		}
	}
	return len(speeds) - 1
}

// newcomers returns the first n distinct states that were not measured.
func newcomers(b *search.Board, states []*schedule.State, n int) []evolve.Scored {
	var list []*schedule.State
	seen := map[[16]byte]bool{}
	for _, s := range states {
		if s == nil || len(list) == n {
			continue
		}
		if sig := s.Signature(); !seen[sig] && !b.Measured(sig) {
			seen[sig] = true
			list = append(list, s)
		}
	}
	return search.Unscored(list)
}
