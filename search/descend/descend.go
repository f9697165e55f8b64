// Package descend proposes candidates by gradient descent, as Felix does ("Felix: Optimizing Tensor Programs with
// Gradient Descent", Zhao et al., ASPLOS 2024; python/tvm/felix/optim.py): from some candidates on, the logarithms
// of tile lengths follow the slopes of the scorer, and the points that they pass are rounded to candidates, which
// the scorer judges.
//
// It differs from Felix's program where that leaves the paper or does not fit. Lengths are rounded to the nearest
// divisors, so extents may have any prime factor; where few lengths divide, to sizes that do not, too. Every round
// begins with moments of its own, and no candidate is proposed twice. Seeds are the best of some that are drawn,
// no two of one structure before each structure has one.
package descend

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Descender proposes what descent finds. The zero value has the paper's numbers of seeds and steps.
type Descender struct {
	Seeds int     // in a round; 0 means 8
	Steps int     // of each seed; 0 means 200
	Rate  float64 // of Adam; 0 means 0.3. It is a fifth after 0.3 of the steps
	Drawn int     // candidates that the seeds are chosen of, for each; 0 means 64
}

// penalty is how long the slope of what is over limits is, beside that of the score.
const penalty = 5

// Name is "": the scorer guides the descent.
func (*Descender) Name() string { return "" }

// ErrNoSlopes is the error of a scorer, or of a space, in which there is nothing to descend.
var ErrNoSlopes = errors.New("descend: the scorer has no slopes, or the space has no tile lengths")

// Propose returns up to n candidates that were not measured, of which Board.Explore are drawn at random. All are
// if the scorer has learned nothing.
func (d *Descender) Propose(ctx context.Context, b *search.Board, n int) ([]evolve.Scored, error) {
	if b.Traits().Relax == nil || b.Source().Traits().Retile == nil {
		return nil, ErrNoSlopes
	}
	o := d.withDefaults()
	for attempt := range search.Attempts {
		stream := b.Stream(attempt)
		drawn, err := annotate.Draw(ctx, max(2*n, o.Drawn*o.Seeds), b.Seed(), stream, b.Workers(), b.Source().Sample)
		if err != nil {
			return nil, err
		}
		var greedy evolve.Share
		random := slices.DeleteFunc(slices.Clone(drawn), func(s *schedule.State) bool { return b.Measured(s.Signature()) })
		explored := evolve.Share{List: search.Unscored(random), Places: n}
		if !b.Traits().Untrained {
			best, err := o.descend(ctx, b, stream, drawn, b.Looks(ctx, 2*n))
			if err == nil {
				best, err = b.Refine(ctx, best)
			}
			if err != nil {
				return nil, err
			}
			explored.Places = min(b.Explore(n), n)
			greedy = evolve.Share{List: best, Places: n - explored.Places}
		}
		if picked, err := b.Pick(ctx, n, greedy, explored); err != nil || len(picked) > 0 {
			return picked, err
		}
	}
	return nil, nil
}

func (d *Descender) withDefaults() Descender {
	o := *d
	o.Seeds, o.Steps, o.Drawn = cmp.Or(o.Seeds, 8), cmp.Or(o.Steps, 200), cmp.Or(o.Drawn, 64)
	o.Rate = cmp.Or(o.Rate, 0.3)
	return o
}

// descend returns the best n candidates that descents pass that were not measured, best first.
func (d *Descender) descend(
	ctx context.Context, b *search.Board, stream uint32, drawn []*schedule.State, n int,
) ([]evolve.Scored, error) {
	scores, err := b.Score(ctx, drawn)
	if err != nil {
		return nil, err
	}
	seeds := d.seeds(b, drawn, scores)
	passed := make([][]*schedule.State, len(seeds))
	err = annotate.Each(ctx, len(seeds), b.Workers(), func(i int) {
		passed[i] = d.walk(b, seeds[i], stream, i)
	})
	if err != nil {
		return nil, err
	}
	all := search.Unscored(append(slices.Concat(passed...), drawn...))
	seen := map[[16]byte]bool{}
	all = slices.DeleteFunc(all, func(c evolve.Scored) bool {
		again := seen[c.Signature]
		seen[c.Signature] = true
		return again || b.Measured(c.Signature)
	})
	states := make([]*schedule.State, len(all))
	for i, c := range all {
		states[i] = c.State
	}
	if scores, err = b.Score(ctx, states); err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Score = scores[i]
	}
	all = slices.DeleteFunc(all, func(c evolve.Scored) bool { return !evolve.Possible(c.Score) })
	slices.SortFunc(all, evolve.BestFirst)
	return all[:min(n, len(all))], nil
}

// seeds returns where descents begin: the best of those drawn, one of each structure before a second of any, and
// in a quarter of the places the fastest that were measured.
func (d *Descender) seeds(b *search.Board, drawn []*schedule.State, scores []float64) []*schedule.State {
	list := b.Fastest(d.Seeds / 4)
	order := search.Unscored(drawn)
	for i := range order {
		order[i].Score = scores[i]
	}
	order = slices.DeleteFunc(order, func(c evolve.Scored) bool { return !evolve.Possible(c.Score) })
	slices.SortFunc(order, evolve.BestFirst)
	many := map[uint64]int{}
	turn := map[[16]byte]int{}
	for _, c := range order {
		structure := b.Source().Parts(c.State)[0]
		turn[c.Signature] = many[structure]
		many[structure]++
	}
	slices.SortStableFunc(order, func(x, y evolve.Scored) int { return cmp.Compare(turn[x.Signature], turn[y.Signature]) })
	for _, c := range order[:min(d.Seeds-len(list), len(order))] {
		list = append(list, c.State)
	}
	return list
}

// walk descends from a seed, and returns the candidates near the points that it passes.
func (d *Descender) walk(b *search.Board, seed *schedule.State, stream uint32, item int) []*schedule.State {
	traits := b.Source().Traits()
	splits, inner := traits.Tiles(seed)
	free := func(step int) bool { return slices.Contains(splits, step) }
	score, err := b.Traits().Relax(b.Task(), seed, free)
	if err != nil || len(score.Vars()) == 0 {
		return nil
	}
	bounds, err := newLimits(b.Task().Target, seed, score.Vars(), free)
	if err != nil {
		return nil
	}
	tiles := newTiles(seed, score.Vars(), inner)
	var passed []*schedule.State
	rng := annotate.Rand(^b.Seed(), stream, annotate.Partials+item)
	d.adam(score, bounds, func(y []float64) {
		for _, lengths := range tiles.near(y) {
			if s, err := traits.Retile(seed, lengths, rng); err == nil {
				passed = append(passed, s)
			}
		}
	})
	return passed
}

// adam follows the slopes, and shows each point that it passes.
func (d *Descender) adam(score search.Relaxed, bounds *limits, show func(y []float64)) {
	vars := score.Vars()
	n := len(vars)
	y, by, over := make([]float64, n), make([]float64, n), make([]float64, n)
	first, second := make([]float64, n), make([]float64, n) // moments
	for k, v := range vars {
		y[k] = math.Log(float64(v.Value))
	}
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	for step := 1; step <= d.Steps; step++ {
		score.Value(y, by)
		bounds.value(y, over)
		weight := 0.0
		if p := norm(over); p > 0 {
			weight = penalty * cmp.Or(norm(by), 1/penalty) / p
		}
		rate := d.Rate
		if float64(step) > 0.3*float64(d.Steps) {
			rate /= 5
		}
		for k := range y {
			g := weight*over[k] - by[k]
			first[k] = beta1*first[k] + (1-beta1)*g
			second[k] = beta2*second[k] + (1-beta2)*g*g
			m, v := first[k]/(1-math.Pow(beta1, float64(step))), second[k]/(1-math.Pow(beta2, float64(step)))
			y[k] -= rate * m / (math.Sqrt(v) + epsilon)
			y[k] = min(max(y[k], 0), math.Log(float64(vars[k].Extent)))
		}
		show(y)
	}
}

func norm(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}
