package evolve

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// mutateAll applies every mutator of a space to a state. The results do not matter: no mutator may panic.
func mutateAll(t *testing.T, sp space, s *schedule.State, rng *rand.Rand) {
	t.Helper()
	a := annotate.New(sp.policy, sp.on(rng))
	for _, m := range sp.mutators {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s of a %s: %v\n%s", m.Name, sp.name, p, schedule.FormatSteps(s.Steps))
				}
			}()
			for range 4 {
				_, _ = m.Apply(a, s, rng)
			}
		}()
	}
}

// Legal records whose splits are not those of sketches.
var strangeRecords = []string{
	`[["SP", 2, 0, 64, [8, 4], 1], ["SP", 2, 0, 2, [2], 1]]`,
	`[["SP", 2, 0, 64, [], 1]]`,
	`[["SP", 2, 0, 64, [1073741824, 1073741824, 16], 1]]`,
	`[["SP", 2, 0, 4611686018427387904, [1, 1], 1]]`,
	`[["SP", 2, 0, 64, [4], 1], ["AN", 2, 1, 2], ["CHR", 0, "shared", [2]]]`,
}

func TestMutateStrangeRecords(t *testing.T) {
	w, err := op.Parse("dense:m=64,n=64,k=64,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range strangeRecords {
		steps, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(w.DAG, steps)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.InferBound(); err != nil {
			t.Fatal(err)
		}
		for _, sp := range spaces {
			mutateAll(t, sp, s, annotate.Rand(1, 9, i))
		}
	}
}

// TestMutateRandomRecords mutates random legal schedules of random compute DAGs.
func TestMutateRandomRecords(t *testing.T) {
	seeds := []uint64{8730} // attention, with a product that is not split as sketches do
	for i := range uint64(*programs) {
		seeds = append(seeds, *firstSeed+i)
	}
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		_, d := tirtest.RandomDAG(rng)
		for _, sp := range spaces {
			random := tirtest.RandomGPUSteps
			if sp.name == "cpu" {
				random = tirtest.RandomSteps
			}
			s, err := schedule.Replay(d, random(rng, d, 1+rng.IntN(16)))
			if err != nil {
				t.Fatal(err)
			}
			if s, err = s.InferBound(); err == nil {
				mutateAll(t, sp, s, rng)
			}
		}
	}
}
