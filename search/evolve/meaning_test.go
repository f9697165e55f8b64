package evolve

import (
	"flag"
	"fmt"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var (
	programs  = flag.Int("programs", 120, "number of random compute DAGs")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random compute DAG")
)

// TestCandidatesKeepTheMeaning makes sketches of random compute DAGs, samples
// them, mutates the samples by every mutator, and compares what the programs
// compute with the definition of the DAG. Bounds must be those of a replay of
// the steps.
func TestCandidatesKeepTheMeaning(t *testing.T) {
	count := map[string]int{}
	failed := 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		if err := tryDAG(seed, count); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			if failed++; failed >= 5 {
				t.Fatal("too many failures")
			}
		}
	}
	t.Log(count)
	for _, m := range CPU {
		if count[m.Name] == 0 {
			t.Errorf("mutator %q was never tested", m.Name)
		}
	}
}

func tryDAG(seed uint64, count map[string]int) error {
	rng := annotate.Rand(seed, 0, 0)
	kind, d := tirtest.RandomDAG(rng)
	on := target.Generic([]int{16, 32, 64}[rng.IntN(3)], 1+rng.IntN(4))
	args := tirtest.Args(rng, d)
	want := cloned(args)
	if err := interp.RunDAG(d, want); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	a := annotate.New(annotate.CPU, on)
	sketches, err := sketch.Generate(sketch.CPU, d, on)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	for i := range 4 {
		s, err := a.Sample(sketches[rng.IntN(len(sketches))], rng)
		if err != nil {
			count[err.Error()]++
			continue
		}
		for _, m := range append([]Mutator{{Name: "sample"}}, CPU...) {
			child := s
			if m.Apply != nil {
				if child, err = m.Apply(a, s, rng); err != nil {
					continue
				}
			}
			count[m.Name]++
			if err := sameProgram(child, args, want, on, seed+uint64(i)); err != nil {
				return fmt.Errorf("%s after %s: %w\nsteps %s\n%s", kind, m.Name, err, schedule.FormatSteps(child.Steps), child)
			}
			s = child
		}
	}
	return nil
}

func cloned(args []*interp.Tensor) []*interp.Tensor {
	list := make([]*interp.Tensor, len(args))
	for i, a := range args {
		list[i] = a.Clone()
	}
	return list
}

// sameProgram compares the program of a state with what it should compute, and
// the state with a replay of its steps.
func sameProgram(s *schedule.State, args, want []*interp.Tensor, on target.Target, seed uint64) error {
	again, err := schedule.Replay(s.DAG, s.Steps)
	if err == nil {
		again, err = again.InferBound()
	}
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if again.Signature() != s.Signature() {
		return fmt.Errorf("a replay gives another state:\n%s", again)
	}
	f, err := lower.Lower(s, lower.Config{Target: on, Check: lower.CheckEach})
	if err != nil {
		return err
	}
	got := cloned(args)
	if err := interp.Run(f, got, interp.Options{Shuffle: true, Seed: seed, Races: true}); err != nil {
		return fmt.Errorf("%w\n%s", err, f)
	}
	for k := len(s.DAG.Inputs()); k < len(got); k++ {
		if err := tirtest.Compare(got[k], want[k], args...); err != nil {
			return fmt.Errorf("result %d: %w\n%s", k, err, f)
		}
	}
	return nil
}
