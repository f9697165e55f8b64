package eval

import (
	"context"
	"math/rand/v2"

	"github.com/wmtune/wmtune/ranker"
)

func shippedRows() []Row {
	row := func(name, what string, world bool, needs ...Feature) Row {
		return Row{Name: name, What: what, Needs: needs, Library: true, new: func(e *env, seed uint64) Scorer {
			s := &shipped{env: e, seed: seed}
			if world {
				s.world = func() Scorer { return rowNamed("transh").new(e, seed) }
			}
			return s
		}}
	}
	return []Row{
		row("ranker-both", "trees and three networks over ranker.Features; a fifth of the training's families chooses the weights of the parts",
			false, All),
		row("shipped", "the same with the value of the world model (transh) as a third part", true, append([]Feature{All}, rowNamed("transh").Needs...)...),
	}
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
	world func() Scorer // nil: without
	value Scorer
	model *ranker.Model
}

func (s *shipped) Train(groups []Group) error {
	learn, choose := held(groups, s.seed)
	var err error
	if s.world != nil { // values of the validation are of a model that did not learn from it
		s.value = s.world()
		if err = s.value.Train(learn); err != nil {
			return err
		}
	}
	validation, err := s.tasks(choose)
	if err != nil {
		return err
	}
	train, err := (&shipped{}).tasks(learn)
	if err != nil {
		return err
	}
	o := ranker.Options{
		Library: s.env.library, Seed: s.seed, Trees: ranker.DefaultTrees()[:1], Learning: ranker.DefaultLearning(), Networks: ranker.DefaultNetworks,
		Refit: true,
	}
	if s.model, _, err = ranker.Train(context.Background(), train, validation, o); err != nil {
		return err
	}
	if s.world == nil || s.model.Parts().Value == 0 {
		return nil
	}
	s.value = s.world()
	return s.value.Train(groups)
}

// held divides groups: every fifth family chooses.
func held(groups []Group, seed uint64) (learn, choose []Group) {
	rng := rand.New(rand.NewPCG(seed, 21))
	part := map[string]bool{}
	for _, g := range groups {
		f := g.Task.Family
		if _, ok := part[f]; !ok {
			part[f] = rng.IntN(5) == 0
		}
		if part[f] {
			choose = append(choose, g)
		} else {
			learn = append(learn, g)
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
			t.Features = append(t.Features, c.All)
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
	list, err := (&shipped{value: value}).tasks([]Group{g})
	if err != nil {
		return nil, err
	}
	return s.model.Score(list[0].Features, nil, list[0].Values), nil
}
