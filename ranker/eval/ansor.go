package eval

import "github.com/wmtune/wmtune/ranker/gbt"

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
		row("gbt", "AutoScheduler's model on 164 features a statement, pretrained, 300 trees of depth 10", false, pretrainedTrees),
	}
}

func (a *ansor) Train(groups []Group) error {
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
