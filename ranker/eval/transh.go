package eval

import (
	"context"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/transition"
)

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
		row("transh", "the world model alone (transition): action vectors, TransH without normalisation, value head; pairs inside a task, and the "+
			"features of the last state as what it must know; AdamW 2e-3, 400 batches of 8 x 64",
			func(*transition.Recipe) {}, true),
		row("transh-3", "the mean of three of them", func(r *transition.Recipe) { r.Members = 3 }, true),
		row("transh-blind", "without what it must know of the last state", func(*transition.Recipe) {}, false),
		row("transh-l2", "states are normalised after each step, as in the paper", func(r *transition.Recipe) { r.Form = transition.Normalised }, true),
		row("transh-bag", "actions are added up whatever their order", func(r *transition.Recipe) { r.Form = transition.Bag }, true),
	}
}

// transh is the transition's network as a scorer. What a task begins with is its
// target and workload; no encoder is needed.
type transh struct {
	recipe transition.Recipe
	seed   uint64
	model  *transition.Model
}

func (t *transh) Train(groups []Group) error {
	d := &transition.Data{}
	for _, g := range groups {
		addGroup(d, g)
	}
	var err error
	t.model, err = transition.Train(context.Background(), d, t.recipe, t.seed, nil)
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
		to.Samples = append(to.Samples, transition.Sample{Actions: path, Partial: transition.Partial(s.Steps), Quality: g.Quality[i], Last: s.facts()})
	}
	d.Groups = append(d.Groups, to)
}
