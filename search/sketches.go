package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Sketches are the tables that a space of sketches is made of.
type Sketches struct {
	Sketch   sketch.Policy
	Annotate annotate.Policy
	Mutators []evolve.Mutator
}

// Open is that of a Space: it makes the sketches of a task.
func (t Sketches) Open(ctx context.Context, task *Task) (Source, error) {
	if len(t.Sketch.Rules) == 0 || len(t.Mutators) == 0 {
		return nil, fmt.Errorf("search: task %s has no space: no sketch rules or no mutators", task.Name)
	}
	list, err := sketch.Generate(ctx, t.Sketch, task.DAG, task.Target)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("search: the task has no sketch")
	}
	sampler := annotate.New(t.Annotate, task.Target)
	return &sketches{list, sampler, evolve.Step(sampler, t.Mutators)}, nil
}

// sketches is the space of the programs that complete sketches.
type sketches struct {
	list    []*schedule.State
	sampler *annotate.Sampler
	step    func(*schedule.State, *rand.Rand) (*schedule.State, error)
}

func (s *sketches) Structures() int { return len(s.list) }

func (s *sketches) Sample(rng *rand.Rand) (*schedule.State, error) {
	return s.sampler.Sample(s.list[rng.IntN(len(s.list))], rng)
}

func (s *sketches) Step(of *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	return s.step(of, rng)
}

func (s *sketches) Parts(of *schedule.State) []uint64 { return Parts(of.Steps) }

// Traits says how to plan ahead. On processors, the sketches come first that instructions compute most stages of:
// their candidates do, so others would be made in vain where nothing is measured.
func (s *sketches) Traits() SourceTraits {
	t := SourceTraits{Partial: s.partial, Complete: s.sampler.Complete}
	if s.sampler.Target.Kind != target.VDLA {
		t.Tiles = func(of *schedule.State) ([]int, int64) { return evolve.Tiles(s.sampler, of), s.sampler.MaxInner }
		t.Retile = func(of *schedule.State, lengths map[int][]int64, rng *rand.Rand) (*schedule.State, error) {
			return evolve.Retile(s.sampler, of, lengths, rng)
		}
	}
	if s.sampler.Target.Kind == target.LLVM {
		first := slices.MinFunc(s.list, evolve.ByTensorCores)
		t.Foremost = &sketches{slices.DeleteFunc(slices.Clone(s.list), func(o *schedule.State) bool {
			return evolve.ByTensorCores(first, o) < 0
		}), s.sampler, s.step}
	}
	return t
}

func (s *sketches) partial(rng *rand.Rand) (*schedule.State, int, error) {
	k := rng.IntN(len(s.list))
	state, err := s.sampler.Partial(s.list[k], rng)
	return state, k, err
}
