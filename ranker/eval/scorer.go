package eval

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/gbt"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// A Scorer ranks the candidates of a task. One that is an io.Closer is closed after the last call.
type Scorer interface {
	// Train learns from groups of other tasks, or of other candidates.
	Train(ctx context.Context, groups []Group) error
	// Score returns a value per candidate; higher is faster, comparable within the
	// call.
	Score(g Group) ([]float64, error)
}

// A Learner is a scorer that learns while a task is searched.
type Learner interface {
	Scorer
	// Update tells what was measured: numbers of candidates of the group.
	Update(g Group, picked []int) error
}

// A Row is a scorer of the table.
type Row struct {
	Name  string
	What  string // in a line, with its parameters
	Needs []Feature
	// Cold scorers learn from nothing but the search at hand: they are new for each
	// task and are not trained.
	Cold bool
	// Library means that training needs libxgboost.
	Library bool
	// Has reports whether there is a scorer for a kind of target; nil: for each.
	Has func(kind target.Kind) bool
	new func(env *env, seed uint64) Scorer
}

// env is what scorers share.
type env struct {
	library *xgboost.Library // nil if no row needs it
}

// Rows is the table of scorers, in the order in which they are shown.
func Rows() []Row {
	var list []Row
	list = append(list, randomRows()...)
	list = append(list, ansorRows()...)
	list = append(list, boostedRows()...)
	list = append(list, mlpRows()...)
	list = append(list, tlpRows()...)
	list = append(list, transhRows()...)
	return append(list, shippedRows()...)
}

// RowNames lists the names of the scorers.
func RowNames() string {
	var names []string
	for _, r := range Rows() {
		names = append(names, r.Name)
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
type given func(t *Task, samples []*Sample) ([]float64, error)

// Given returns a row of a scorer that ranks candidates of a task by a function, and learns nothing. It is for tasks of
// the kinds of targets that it has.
func Given(
	name, what string, has func(kind target.Kind) bool, score func(t *Task, samples []*Sample) ([]float64, error),
) Row {
	return Row{Name: name, What: what, Has: has, new: func(*env, uint64) Scorer { return given(score) }}
}

func (f given) Train(context.Context, []Group) error { return nil }

func (f given) Score(g Group) ([]float64, error) { return f(g.Task, g.Samples) }

// random is the scorer that knows nothing.
type random struct{ rng *rand.Rand }

func randomRows() []Row {
	return []Row{{
		Name: "random", What: "any order",
		new: func(_ *env, seed uint64) Scorer { r := newRandom(seed); return &r },
	}}
}

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

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
	random // until the model has learned enough
	model  *gbt.Model
}

// pretrainedTrees is the most trees of a model that learns from a whole training
// part, as TenSet has it for its XGBoost baseline; AutoScheduler's 10,000 are for
// a few hundred records.
const pretrainedTrees = 300

func ansorRows() []Row {
	row := func(name, what string, cold bool, trees int) Row {
		return Row{
			Name: name, What: what, Needs: []Feature{Statements}, Library: true, Cold: cold,
			new: func(e *env, seed uint64) Scorer {
				m := gbt.With(e.library)
				m.MaxTrees = trees
				a := ansor{random: newRandom(seed), model: m}
				if cold {
					return &coldAnsor{a}
				}
				return &a
			},
		}
	}
	return []Row{
		row("gbt-cold", "AutoScheduler's model, learning from the search at hand: random for its first 100 records", true, 0),
		row("gbt", "AutoScheduler's model on 164 features a statement, pretrained, 300 trees of depth 10", false,
			pretrainedTrees),
	}
}

func (a *ansor) Train(_ context.Context, groups []Group) error {
	for _, g := range groups {
		for i := range g.Samples {
			a.add(g, i)
		}
	}
	return a.model.Pretrain()
}

func (a *ansor) add(g Group, i int) {
	a.model.AddRows(g.Samples[i].Statements, g.Samples[i].Cost(), g.Task.Key)
}

func (a *ansor) Score(g Group) ([]float64, error) {
	if !a.model.Ready() {
		return a.random.Score(g)
	}
	out := make([]float64, len(g.Samples))
	for i, s := range g.Samples {
		out[i] = a.model.ScoreRows(s.Statements)
	}
	return out, nil
}

// A coldAnsor is an ansor that learns while it is asked.
type coldAnsor struct{ ansor }

func (a *coldAnsor) Update(g Group, picked []int) error {
	for _, i := range picked {
		a.add(g, i)
	}
	return a.model.Retrain()
}

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
	row := func(name, what string, columns int, features func(*Sample) []float32, how ranker.Boosting,
		needs ...Feature) Row {
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
		row("l1", "action features, regression, 100 trees of depth 6, eta .2, min_child_weight 2", l1, actionsOf, shallow,
			Actions),
		row("l1-pair", "action features, rank:pairwise, otherwise as l1", l1, actionsOf, pairwise, Actions),
		row("l1-ndcg", "action features, rank:ndcg, min_child_weight .001, otherwise as l1", l1, actionsOf, ndcg, Actions),
		row("l5", "sums of the 164 features over statements, regression as l1", feature.Columns, summedOf, shallow,
			Statements),
		row("l1p", "action and tiling features, regression as l1", l1p, tilingOf, shallow, Actions, Tiling),
		row("l1p-pair", "action and tiling features, rank:pairwise as l1-pair", l1p, tilingOf, pairwise, Actions, Tiling),
		row("ranker", "ranker.Features (the locality features too), all pairs inside a task, 250 trees, eta .1",
			ranker.Columns, allOf, ranker.DefaultTrees(ranker.Steps)[0], All),
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

func transhRows() []Row {
	row := func(name, what string, change func(*transition.Recipe), facts bool) Row {
		r := transition.Default()
		change(&r)
		needs := []Feature{Vectors}
		if facts {
			needs = append(needs, All)
		} else {
			r.Facts = 0
		}
		return Row{Name: name, What: what, Needs: needs, new: func(_ *env, seed uint64) Scorer {
			return &transh{recipe: r, seed: seed}
		}}
	}
	return []Row{
		row("transh", "the world model alone (transition): action vectors, TransH without normalisation, value head; pairs "+
			"inside a task, and the features of the last state as what it must know; AdamW 2e-3, 400 batches of 8 x 64",
			func(*transition.Recipe) {}, true),
		row("transh-3", "the mean of three of them", func(r *transition.Recipe) { r.Members = 3 }, true),
		row("transh-blind", "without what it must know of the last state", func(*transition.Recipe) {}, false),
		row("transh-l2", "states are normalised after each step, as in the paper",
			func(r *transition.Recipe) { r.Form = transition.Normalised }, true),
		row("transh-gated", "actions say which parts of the state a step sees, and how much",
			func(r *transition.Recipe) { r.Form = transition.Gated }, true),
		row("transh-bag", "actions are added up whatever their order", func(r *transition.Recipe) { r.Form = transition.Bag },
			true),
	}
}

// transh is the transition's network as a scorer. What a task begins with is its
// target and workload; no encoder is needed.
type transh struct {
	recipe transition.Recipe
	seed   uint64
	model  *transition.Model
}

func (t *transh) Train(ctx context.Context, groups []Group) error {
	d := &transition.Data{}
	for _, g := range groups {
		addGroup(d, g)
	}
	var err error
	t.model, err = transition.Train(ctx, d, t.recipe, t.seed, nil)
	return err
}

func (t *transh) Score(g Group) ([]float64, error) {
	d := &transition.Data{}
	addGroup(d, g)
	var list []*transition.Sample
	for i := range d.Groups[0].Samples {
		list = append(list, &d.Groups[0].Samples[i])
	}
	return t.model.Score(d, 0, list), nil
}

// facts returns the features of the last state that say more than its steps do; nil
// if they were not prepared.
func (s *Sample) facts() []float32 {
	if s.All == nil {
		return nil
	}
	return s.All[ranker.ActionColumns:]
}

// addGroup adds the candidates of a task.
func addGroup(d *transition.Data, g Group) {
	first := int32(len(d.Actions) / transition.Size)
	d.Actions = append(d.Actions, g.Task.vectors.values...)
	to := transition.Group{Start: transition.Start(nil, g.Task.DAG, g.Task.Target)}
	for i, s := range g.Samples {
		path := make([]int32, len(s.Path))
		for k, row := range s.Path {
			path[k] = first + row
		}
		to.Samples = append(to.Samples,
			transition.Sample{Actions: path, Partial: s.partial, Quality: g.Quality[i], Last: s.facts()})
	}
	d.Groups = append(d.Groups, to)
}

func shippedRows() []Row {
	row := func(name, what string, world bool, needs ...Feature) Row {
		return Row{Name: name, What: what, Needs: needs, Library: true, new: func(e *env, seed uint64) Scorer {
			s := &shipped{env: e, seed: seed, row: allOf}
			if world {
				s.world = func() Scorer { return rowNamed("transh").new(e, seed) }
			}
			return s
		}}
	}
	return []Row{
		row("ranker-both", "trees and networks over ranker.Features; a fifth of the training's families chooses the "+
			"weights of the parts",
			false, All),
		row("shipped", "the same with the value of the world model (transh) as a third part", true,
			append([]Feature{All}, rowNamed("transh").Needs...)...),
		{
			Name: "closer", What: "as ranker-both, with the features of the lowered program besides", Library: true,
			Needs: []Feature{Closer}, new: func(e *env, seed uint64) Scorer { return newCloser(e, seed) },
		},
		{
			Name: "cascade", What: "the sum of ranker-both and closer", Library: true, Needs: []Feature{All, Closer},
			new: func(e *env, seed uint64) Scorer {
				return cascade{&shipped{env: e, seed: seed, row: allOf}, newCloser(e, seed)}
			},
		},
	}
}

func newCloser(e *env, seed uint64) *shipped {
	return &shipped{env: e, seed: seed, table: ranker.Lowered, row: func(s *Sample) []float32 { return s.Closer }}
}

// A cascade is scorers whose scores are added up.
type cascade []Scorer

func (c cascade) Train(ctx context.Context, groups []Group) error {
	for _, s := range c {
		if err := s.Train(ctx, groups); err != nil {
			return err
		}
	}
	return nil
}

func (c cascade) Score(g Group) ([]float64, error) {
	sum := make([]float64, len(g.Samples))
	for _, s := range c {
		scores, err := s.Score(g)
		if err != nil {
			return nil, err
		}
		for i, v := range scores {
			sum[i] += v
		}
	}
	return sum, nil
}

// rowNamed returns a row of the world model.
func rowNamed(name string) Row {
	for _, r := range transhRows() {
		if r.Name == name {
			return r
		}
	}
	panic("BUG: eval: no row " + name)
}

// shipped is a ranker as wmtune train makes it: parts whose weights validation
// chooses.
type shipped struct {
	env   *env
	seed  uint64
	table ranker.Table
	row   func(*Sample) []float32 // of the table
	world func() Scorer           // nil: without
	value Scorer
	model *ranker.Model
}

func (s *shipped) Train(ctx context.Context, groups []Group) error {
	if s.table != ranker.Lowered && len(groups) > 0 {
		s.table = ranker.TableOf(groups[0].Task.Target.Kind)
	}
	learn, choose := held(groups, s.seed)
	var err error
	if s.world != nil { // values of the validation are of a model that did not learn from it
		s.value = s.world()
		if err = s.value.Train(ctx, learn); err != nil {
			return err
		}
	}
	validation, err := s.tasks(choose)
	if err != nil {
		return err
	}
	train, err := (&shipped{row: s.row}).tasks(learn)
	if err != nil {
		return err
	}
	o := ranker.Options{
		Library: s.env.library, Seed: s.seed, Table: s.table, Trees: ranker.DefaultTrees(s.table)[:1],
		Learning: ranker.DefaultLearning(), Networks: ranker.DefaultNetworks,
		Refit: true,
	}
	if s.model, _, err = ranker.Train(ctx, train, validation, o); err != nil {
		return err
	}
	if s.world == nil || s.model.Parts().Value == 0 {
		return nil
	}
	s.value = s.world()
	return s.value.Train(ctx, groups)
}

// held divides groups: every fifth of the families that scorers are asked about chooses. Tasks of these families
// that are only learned from are left out.
func held(groups []Group, seed uint64) (learn, choose []Group) {
	rng := rand.New(rand.NewPCG(seed, 21))
	part := map[string]bool{}
	for _, g := range groups {
		if _, ok := part[g.Task.Family]; !ok && !g.Task.LearnOnly {
			part[g.Task.Family] = rng.IntN(5) == 0
		}
	}
	for _, g := range groups {
		switch {
		case !part[g.Task.Family]:
			learn = append(learn, g)
		case !g.Task.LearnOnly:
			choose = append(choose, g)
		}
	}
	if len(choose) == 0 || len(learn) == 0 { // a handful of tasks
		return groups, groups
	}
	return learn, choose
}

// tasks returns groups as the ranker takes them.
func (s *shipped) tasks(groups []Group) ([]ranker.Task, error) {
	list := make([]ranker.Task, len(groups))
	for i, g := range groups {
		t := ranker.Task{Name: g.Task.Name, Family: g.Task.Family, Quality: g.Quality}
		for _, c := range g.Samples {
			t.Features = append(t.Features, s.row(c))
		}
		if s.value != nil {
			values, err := s.value.Score(g)
			if err != nil {
				return nil, err
			}
			for _, v := range values {
				t.Values = append(t.Values, float32(v))
			}
		}
		list[i] = t
	}
	return list, nil
}

func (s *shipped) Score(g Group) ([]float64, error) {
	value := s.value
	if s.model.Parts().Value == 0 {
		value = nil
	}
	list, err := (&shipped{value: value, row: s.row}).tasks([]Group{g})
	if err != nil {
		return nil, err
	}
	return s.model.Score(list[0].Features, nil, list[0].Values), nil
}
