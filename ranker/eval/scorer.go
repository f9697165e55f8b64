package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/autotvm"
	"github.com/wmtune/wmtune/ranker/gbt"
	"github.com/wmtune/wmtune/ranker/treegru"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/target"
)

// A Scorer ranks the candidates of a task.
type Scorer interface {
	// Train learns from groups of other tasks, or of other candidates.
	Train(ctx context.Context, groups []Group) error
	// Score returns a value per candidate; higher is faster, comparable within the
	// call.
	Score(g Group) ([]float64, error)
}

// A Row is a scorer of the table.
type Row struct {
	Name  string
	What  string // in a line, with its parameters
	Needs []Feature
	// Library means that training needs libxgboost.
	Library bool
	// Asked means that an evaluation has it only if it is named.
	Asked bool
	// Has reports whether there is a scorer for a kind of target; nil: for each.
	Has func(kind target.Kind) bool
	new func(env *env, seed uint64) Scorer
}

// env is what scorers share.
type env struct {
	library *xgboost.Library // nil if no row needs it
}

// Rows is the table of scorers that learn from the records, in the order in which they are shown. Models that were
// trained before join them (Given).
func Rows() []Row {
	rows := []Row{
		{Name: "random", What: "any order", new: func(_ *env, seed uint64) Scorer { return newRandom(seed) }},
		{
			Name: "gbt", What: "AutoScheduler's model on 164 features a statement, pretrained, 300 trees of depth 10",
			Needs: []Feature{Statements}, Library: true, new: newAnsor,
		},
		boostedRow("l1p", "action and tiling features, regression, 100 trees of depth 6, eta .2, min_child_weight 2",
			ranker.ActionColumns+ranker.TilingColumns, tilingOf,
			ranker.Boosting{Objective: ranker.Regression, Trees: 100, Depth: 6, Eta: 0.2, MinChildWeight: 2}, Tiling),
		boostedRow("ranker", "ranker.Features (the locality features too), all pairs inside a task, 250 trees, eta .1",
			ranker.Columns, allOf, ranker.DefaultTrees(ranker.Steps)[0], All),
	}
	rows = append(rows, Row{
		Name: "treegru", What: "AutoTVM's recurrent network over the loops, pairs inside a task", Needs: []Feature{LoopTrees},
		Asked: true, new: func(_ *env, seed uint64) Scorer {
			return &grown{treegru.New(treegru.Options{Seed: seed}), newRandom(seed)}
		},
	})
	for _, f := range autotvm.AllFeatures {
		rows = append(rows, Row{
			Name: "xgb-" + string(f), What: fmt.Sprintf("AutoTVM's model on %s features, pairs inside a task, depth 3", f),
			Needs: []Feature{Loops}, Library: true, Asked: true,
			new: func(e *env, seed uint64) Scorer {
				return &loops{autotvm.With(e.library, autotvm.Options{Features: f, Seed: seed}), newRandom(seed)}
			},
		})
	}
	return rows
}

// RowNames lists the names of the scorers that an evaluation has if none are named.
func RowNames() string {
	var names []string
	for _, r := range Rows() {
		if !r.Asked {
			names = append(names, r.Name)
		}
	}
	return strings.Join(names, ",")
}

// Needs returns the kinds of features that rows need.
func Needs(rows []Row) []Feature {
	var list []Feature
	for _, r := range rows {
		for _, k := range r.Needs {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// given is a scorer that was trained before.
type given func(t *Case, samples []*Sample) ([]float64, error)

// Given returns a row of a scorer that ranks candidates of a task by a function, and learns nothing. It is for tasks of
// the kinds of targets that it has.
func Given(
	name, what string, has func(kind target.Kind) bool, score func(t *Case, samples []*Sample) ([]float64, error),
) Row {
	return Row{Name: name, What: what, Has: has, new: func(*env, uint64) Scorer { return given(score) }}
}

func (f given) Train(context.Context, []Group) error { return nil }

func (f given) Score(g Group) ([]float64, error) { return f(g.Task, g.Samples) }

// random is the scorer that knows nothing.
type random struct{ rng *rand.Rand }

func newRandom(seed uint64) *random { return &random{rand.New(rand.NewPCG(seed, 1))} }

func (r *random) Train(context.Context, []Group) error { return nil }

func (r *random) Score(g Group) ([]float64, error) {
	s := make([]float64, len(g.Samples))
	for i := range s {
		s[i] = r.rng.Float64()
	}
	return s, nil
}

// ansor is AutoScheduler's cost model (ranker/gbt).
type ansor struct {
	*random // ranks as long as the model has learned too little
	model   *gbt.Model
}

// pretrainedTrees is the most trees of a model that learns from a whole training
// part, as TenSet has it for its XGBoost baseline; AutoScheduler's 10,000 are for
// a few hundred records.
const pretrainedTrees = 300

func newAnsor(e *env, seed uint64) Scorer {
	m := gbt.With(e.library)
	m.MaxTrees = pretrainedTrees
	return ansor{newRandom(seed), m}
}

func (a ansor) Train(_ context.Context, groups []Group) error {
	for _, g := range groups {
		for _, s := range g.Samples {
			a.model.AddRows(s.Statements, s.Cost(), g.Task.Key)
		}
	}
	return a.model.Pretrain()
}

func (a ansor) Score(g Group) ([]float64, error) {
	if !a.model.Ready() {
		return a.random.Score(g)
	}
	out := make([]float64, len(g.Samples))
	for i, s := range g.Samples {
		out[i] = a.model.ScoreRows(s.Statements)
	}
	return out, nil
}

// loops is AutoTVM's cost model (ranker/autotvm), which learned before.
type loops struct {
	*autotvm.Model
	random *random // ranks as long as the model has learned nothing
}

func (l *loops) Train(_ context.Context, groups []Group) error {
	for _, g := range groups {
		for _, s := range g.Samples {
			l.AddRow(s.Loops[l.Features], s.Cost(), g.Task.Key)
		}
	}
	return l.Pretrain()
}

func (l *loops) Score(g Group) ([]float64, error) {
	if !l.Ready() {
		return l.random.Score(g)
	}
	out := make([]float64, len(g.Samples))
	for i, s := range g.Samples {
		out[i] = l.ScoreRow(s.Loops[l.Features])
	}
	return out, nil
}

// grown is AutoTVM's network (ranker/treegru), which learned before.
type grown struct {
	*treegru.Model
	random *random // ranks as long as the model has learned nothing
}

func (n *grown) Train(_ context.Context, groups []Group) error {
	for _, g := range groups {
		for _, s := range g.Samples {
			n.AddTree(s.Tree, s.Cost(), g.Task.Key)
		}
	}
	return n.Pretrain()
}

func (n *grown) Score(g Group) ([]float64, error) {
	if !n.Ready() {
		return n.random.Score(g)
	}
	out := make([]float64, len(g.Samples))
	for i, s := range g.Samples {
		out[i] = n.ScoreTree(s.Tree)
	}
	return out, nil
}

// boosted is trees over one row of features per candidate.
type boosted struct {
	env     *env
	row     func(*Sample) []float32
	columns int
	how     ranker.Boosting
	model   *ranker.Boosted
}

// boostedRow returns the row of trees over features of one kind.
func boostedRow(
	name, what string, columns int, row func(*Sample) []float32, how ranker.Boosting, needs Feature,
) Row {
	return Row{
		Name: name, What: what, Needs: []Feature{needs}, Library: true,
		new: func(e *env, seed uint64) Scorer {
			how := how
			how.Seed = seed
			return &boosted{env: e, row: row, columns: columns, how: how}
		},
	}
}

func tilingOf(s *Sample) []float32 { return s.Tiling }

func allOf(s *Sample) []float32 { return s.All }

func (b *boosted) Train(_ context.Context, groups []Group) error {
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
