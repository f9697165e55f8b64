package eval

import "math/rand/v2"

// random is the scorer that knows nothing.
type random struct{ rng *rand.Rand }

func randomRows() []Row {
	return []Row{{
		Name: "random", What: "any order",
		new: func(_ *env, seed uint64) Scorer { r := newRandom(seed); return &r },
	}}
}

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

func (r *random) Train([]Group) error { return nil }

func (r *random) Score(g Group) ([]float64, error) {
	s := make([]float64, len(g.Samples))
	for i := range s {
		s[i] = r.rng.Float64()
	}
	return s, nil
}
