package search

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Scorer predicts which states are fast.
type Scorer interface {
	// Score returns one value per state, in order; higher is faster, comparable
	// within one call. A state that cannot be lowered scores -Inf. NaN counts as that,
	// and ends the search if all are.
	Score(ctx context.Context, task *Task, states []*schedule.State) ([]float64, error)

	// Update learns from measured records, failures included.
	Update(ctx context.Context, task *Task, records []dataset.Record) error

	// Traits says what the scorer is at present, and what it does beyond Score and Update. A scorer around another one
	// returns the traits of that one, or some of them.
	Traits() Traits
}

// A Builder compiles candidates. Results align with inputs; what is wrong with
// a candidate is in its result. An error means that nothing can be built.
type Builder interface {
	Build(context.Context, []measure.Input) ([]measure.BuildResult, error)
}

// A Runner checks and times built candidates. Results align with inputs; what
// is wrong with a candidate is in its result. An error means that nothing can
// be run.
type Runner interface {
	Run(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error)

	// Modes are the other ways in which it measures.
	Modes() measure.Modes
}

// Random is a scorer that knows nothing: it gives each state a uniform value in
// [0, 1) that depends on the seed and the state alone. It is the baseline of
// other scorers.
type Random struct{ Seed uint64 }

// Traits says that the scores mean nothing.
func (Random) Traits() Traits { return Traits{Untrained: true} }

// Score returns a value per state.
func (r Random) Score(_ context.Context, _ *Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		sig := s.Signature()
		rng := rand.NewPCG(r.Seed^binary.LittleEndian.Uint64(sig[:8]), binary.LittleEndian.Uint64(sig[8:]))
		scores[i] = rand.New(rng).Float64()
	}
	return scores, nil
}

// Update learns nothing.
func (Random) Update(context.Context, *Task, []dataset.Record) error { return nil }
