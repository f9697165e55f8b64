package eval

import (
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/feature"
)

// boosted is trees over one row of features per candidate.
type boosted struct {
	env     *env
	row     func(*Sample) []float32
	columns int
	how     ranker.Boosting
	model   *ranker.Boosted
}

// shallow is how most rows grow their trees.
var shallow = ranker.Boosting{Objective: ranker.Regression, Trees: 100, Depth: 6, Eta: 0.2, MinChildWeight: 2}

func with(b ranker.Boosting, change func(*ranker.Boosting)) ranker.Boosting {
	change(&b)
	return b
}

func boostedRows() []Row {
	row := func(name, what string, columns int, features func(*Sample) []float32, how ranker.Boosting, needs ...Feature) Row {
		return Row{
			Name: name, What: what, Needs: needs, Library: true,
			new: func(e *env, seed uint64) Scorer {
				how := how
				how.Seed = seed
				return &boosted{env: e, row: features, columns: columns, how: how}
			},
		}
	}
	const l1, l1p = ranker.ActionColumns, ranker.ActionColumns + ranker.TilingColumns
	pairwise := with(shallow, func(b *ranker.Boosting) { b.Objective = ranker.Pairwise })
	ndcg := with(shallow, func(b *ranker.Boosting) { b.Objective, b.MinChildWeight = ranker.NDCG, 0.001 })
	deep := with(shallow, func(b *ranker.Boosting) { b.Trees, b.Eta = 400, 0.1 })
	return []Row{
		row("l1", "action features, regression, 100 trees of depth 6, eta .2, min_child_weight 2", l1, actionsOf, shallow, Actions),
		row("l1-pair", "action features, rank:pairwise, otherwise as l1", l1, actionsOf, pairwise, Actions),
		row("l1-ndcg", "action features, rank:ndcg, min_child_weight .001, otherwise as l1", l1, actionsOf, ndcg, Actions),
		row("l5", "sums of the 164 features over statements, regression as l1", feature.Columns, summedOf, shallow, Statements),
		row("l1p", "action and tiling features, regression as l1", l1p, tilingOf, shallow, Actions, Tiling),
		row("l1p-pair", "action and tiling features, rank:pairwise as l1-pair", l1p, tilingOf, pairwise, Actions, Tiling),
		row("ranker", "ranker.Features (the locality features too), all pairs inside a task, 250 trees, eta .1", ranker.Columns, allOf, ranker.DefaultTrees()[0], All),
		row("l1p-400", "action and tiling features, regression, 400 trees, eta .1", l1p, tilingOf, deep, Actions, Tiling),
	}
}

func actionsOf(s *Sample) []float32 { return s.Actions }

func tilingOf(s *Sample) []float32 {
	return append(s.Actions[:len(s.Actions):len(s.Actions)], s.Tiling...)
}

func allOf(s *Sample) []float32 { return s.All }

// summedOf returns the features of a candidate's statements, added up.
func summedOf(s *Sample) []float32 {
	sum := make([]float32, feature.Columns)
	for i, v := range s.Statements {
		sum[i%feature.Columns] += v
	}
	return sum
}

func (b *boosted) Train(groups []Group) error {
	list := make([]ranker.Group, len(groups))
	for i, g := range groups {
		for _, s := range g.Samples {
			list[i].Rows = append(list[i].Rows, b.row(s)...)
		}
		list[i].Quality = g.Quality
	}
	var err error
	b.model, err = ranker.Boost(b.env.library, b.columns, list, b.how)
	return err
}

func (b *boosted) Score(g Group) ([]float64, error) {
	out := make([]float64, len(g.Samples))
	for i, s := range g.Samples {
		out[i] = b.model.Score(b.row(s))
	}
	return out, nil
}
