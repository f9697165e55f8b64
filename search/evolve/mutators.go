package evolve

import (
	"errors"
	"math/rand/v2"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Mutator changes one decision of a state. The state it returns has bounds.
// An error says why this state cannot be mutated so; that is nothing unusual.
type Mutator struct {
	Name   string
	Weight float64 // how often it is drawn, relative to the others
	Apply  func(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error)
}

// CPU holds the mutators of processors, with AutoScheduler's weights.
var CPU = []Mutator{
	{"tile size", 0.90, mutateTileSize},
	{"auto unroll", 0.04, mutateAutoUnroll},
	{"compute location", 0.05, mutateComputeLocation},
	{"parallel", 0.01, mutateParallel},
}

// GPU holds the mutators of GPUs. The weights are AutoScheduler's, of which what threads
// copy at once is a tile size; what AutoScheduler has not is drawn rarely, because nothing
// that was measured says what it is worth.
var GPU = []Mutator{
	{"tile size", 0.80, mutateSplit},
	{"fetch width", 0.10, mutateFetchWidth},
	{"auto unroll", 0.08, mutateAutoUnroll},
	{"padding", 0.01, mutatePadding},
	{"double buffering", 0.01, mutateDoubleBuffer},
}

// AutoSchedulerGPU holds AutoScheduler's mutators of GPUs.
var AutoSchedulerGPU = []Mutator{
	{"tile size", 0.90, mutateAnySplit},
	{"auto unroll", 0.10, mutateAutoUnroll},
}

// Accelerator holds the mutators of the simulated accelerator.
var Accelerator = []Mutator{{"tile size", 1, mutateBlocks}}

// Step returns what Evolution.Step is in a space of sketches: it draws a mutator by weight.
func Step(a *annotate.Sampler, list []Mutator) func(*schedule.State, *rand.Rand) (*schedule.State, error) {
	return func(s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
		return draw(list, rng).Apply(a, s, rng)
	}
}

// draw returns one of the mutators by weight.
func draw(list []Mutator, rng *rand.Rand) Mutator {
	var total float64
	for _, m := range list {
		total += m.Weight
	}
	x := rng.Float64() * total
	for _, m := range list {
		if x < m.Weight {
			return m
		}
		x -= m.Weight
	}
	return list[len(list)-1]
}

// errUnchanged is the error of a mutation that would give the same state.
var errUnchanged = errors.New("evolve: the mutation changes nothing")
