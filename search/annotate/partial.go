package annotate

import (
	"fmt"
	"math/rand/v2"

	"github.com/wmtune/wmtune/tir/schedule"
)

// Partial takes the decisions on the loops of a sketch at random, tile sizes and
// where stages are computed, and leaves open how loops are carried out. The state
// has bounds. Complete takes the others.
func (a *Sampler) Partial(sketch *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	s, err := apply(&choice{Sampler: a, rng: rng}, a.Structure, sketch)
	if err != nil {
		return nil, err
	}
	if s, err = s.InferBound(); err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	return s, nil
}

// Complete takes the decisions of a partial state that are still open. An error
// says why they gave no state worth scoring.
func (a *Sampler) Complete(partial *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	return (&choice{Sampler: a, rng: rng}).finish(partial)
}
