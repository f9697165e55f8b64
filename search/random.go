package search

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Random is a scorer that knows nothing: it gives each state a uniform value in
// [0, 1) that depends on the seed and the state alone. It is the baseline of
// other scorers.
type Random struct{ Seed uint64 }

// Untrained reports that the scores mean nothing.
func (Random) Untrained() bool { return true }

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
