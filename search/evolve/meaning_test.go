package evolve

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var (
	programs  = flag.Int("programs", 120, "number of random compute DAGs")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random compute DAG")
)

// A space is how candidates are made, and the targets that tests make them for.
type space struct {
	name     string
	sketches sketch.Policy
	policy   annotate.Policy
	mutators []Mutator
	on       func(rng *rand.Rand) target.Target
}

// spaces are all of them. The GPU of tests has small warps, since random DAGs are
// small.
var spaces = []space{
	{"cpu", sketch.CPU, annotate.CPU, CPU, func(rng *rand.Rand) target.Target {
		return target.Generic([]int{16, 32, 64}[rng.IntN(3)], 1+rng.IntN(4))
	}},
	{"gpu", sketch.CUDA, annotate.GPU, GPU, smallGPU},
	{"gpu with all sketches", sketch.GPU, annotate.GPU, GPU, smallGPU},
	{"autoscheduler's gpu", sketch.CUDA, annotate.AutoSchedulerGPU, AutoSchedulerGPU, smallGPU},
}

func smallGPU(rng *rand.Rand) target.Target {
	t := gpu
	t.Hardware.WarpSize = []int{2, 4, 8}[rng.IntN(3)]
	t.Hardware.MaxThreads = 64
	return t
}

// TestCandidatesKeepTheMeaning makes sketches of random compute DAGs, samples
// them, mutates the samples by every mutator, and compares what the programs
// compute with the definition of the DAG. Bounds must be those of a replay of
// the steps. No choice may be to compute an output inside what reads it.
func TestCandidatesKeepTheMeaning(t *testing.T) {
	for _, sp := range spaces {
		t.Run(sp.name, func(t *testing.T) {
			count := map[string]int{}
			failed := 0
			for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
				if err := tryDAG(sp, seed, count); err != nil {
					t.Errorf("seed %d: %v", seed, err)
					if failed++; failed >= 5 {
						t.Fatal("too many failures")
					}
				}
			}
			t.Log(count)
			for _, m := range sp.mutators {
				if count[m.Name] == 0 {
					t.Errorf("mutator %q was never tested", m.Name)
				}
			}
		})
	}
}

func tryDAG(sp space, seed uint64, count map[string]int) error {
	rng := annotate.Rand(seed, 0, 0)
	kind, d := tirtest.RandomDAG(rng)
	on := sp.on(rng)
	sketches, err := sketch.Generate(context.Background(), sp.sketches, d, on)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return tryCandidates(sp, on, kind, d, sketches, rng, seed, count, func(*schedule.State) error { return nil })
}

// tryCandidates samples four candidates of sketches of a DAG, mutates each by every mutator, and holds all to a check,
// too.
func tryCandidates(
	sp space, on target.Target, kind string, d *compute.DAG, sketches []*schedule.State, rng *rand.Rand, seed uint64,
	count map[string]int, check func(*schedule.State) error,
) error {
	args := tirtest.Args(rng, d)
	want := cloned(args)
	if err := interp.RunDAG(d, want); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	a := annotate.New(sp.policy, on)
	for i := range 4 {
		s, err := a.Sample(sketches[rng.IntN(len(sketches))], rng)
		if err != nil {
			if movesOutput(err) {
				return fmt.Errorf("%s: sample: %w", kind, err)
			}
			count[err.Error()]++
			continue
		}
		for _, m := range append([]Mutator{{Name: "sample"}}, sp.mutators...) {
			child := s
			if m.Apply != nil {
				if child, err = m.Apply(a, s, rng); err != nil {
					if movesOutput(err) {
						return fmt.Errorf("%s: %s: %w", kind, m.Name, err)
					}
					continue
				}
			}
			count[m.Name]++
			if err := check(child); err != nil {
				return fmt.Errorf("%s after %s: %w", kind, m.Name, err)
			}
			if err := sameProgram(child, args, want, on, seed+uint64(i)); err != nil {
				return fmt.Errorf("%s after %s: %w\nsteps %s\n%s", kind, m.Name, err, schedule.FormatSteps(child.Steps), child)
			}
			s = child
		}
	}
	return nil
}

// Candidates of the sketches that AutoScheduler's space has not keep the meaning: those that divide sums over blocks,
// whose number of parts and their axis no mutation changes, and those with a block for each result.
func TestGPUSumsKeepTheMeaning(t *testing.T) {
	all := spaces[slices.IndexFunc(spaces, func(sp space) bool { return sp.name == "gpu with all sketches" })]
	on := gpu
	on.Arch, on.Hardware.MaxThreads = "sm_90", 64
	divides := func(s *schedule.State) bool {
		return slices.ContainsFunc(s.Steps, func(step schedule.Step) bool {
			_, ok := step.(schedule.Rfactor)
			return ok
		})
	}
	follows := func(step schedule.Step) bool { // as AutoScheduler's threads do
		_, ok := step.(schedule.FollowSplit)
		return ok
	}
	inBlocks := func(s *schedule.State) bool {
		if divides(s) || slices.ContainsFunc(s.Steps, follows) {
			return false
		}
		return slices.ContainsFunc(s.Stages, func(st *schedule.Stage) bool {
			return st.Op.Combine != nil && slices.ContainsFunc(st.Iters, func(it *schedule.Iterator) bool {
				return it.Kind == schedule.Reduction && it.Ann == schedule.ThreadX
			})
		})
	}
	for _, c := range []struct {
		spec string
		kind func(*schedule.State) bool
	}{
		{"matmul:m=12,n=10,k=256", divides},
		{"dense:m=8,n=12,k=192,epilogue=bias+relu", divides},
		{"conv2d:h=5,w=4,ci=128,co=6,k=1", divides},
		{"dense:m=1,n=40,k=70,epilogue=bias", inBlocks},
		{"dense:m=1,n=300,k=50", inBlocks},
		{"sum:m=6,n=200", inBlocks},
	} {
		w, err := op.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		sketches, err := sketch.Generate(t.Context(), all.sketches, w.DAG, on)
		if err != nil {
			t.Fatal(err)
		}
		of := slices.DeleteFunc(sketches, func(s *schedule.State) bool { return !c.kind(s) })
		if len(of) == 0 {
			t.Errorf("%s: no such sketch", c.spec)
			continue
		}
		count := map[string]int{}
		parts := func(s *schedule.State) error {
			for i, step := range s.Steps {
				if annotate.IsPartsSplit(s.Steps, i) &&
					!slices.Equal(step.(schedule.Split).Lengths, []int64{1, 1, 1, 1}) {
					return fmt.Errorf("the axis of parts is split: %s", schedule.FormatSteps(s.Steps))
				}
			}
			if !c.kind(s) {
				return fmt.Errorf("it is of another kind: %s", schedule.FormatSteps(s.Steps))
			}
			return nil
		}
		for seed := range uint64(3) {
			err := tryCandidates(all, on, c.spec, w.DAG, of, annotate.Rand(seed, 1, 0), seed, count, parts)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if count["sample"] < 4 {
			t.Errorf("%s: only %d of 12 samples: %v", c.spec, count["sample"], count)
		}
	}
}

// Candidates of convolutions in Winograd's tiles keep the meaning, whatever the number of tiles in a row, with stages
// in loops of their own and in those over rows of tiles.
func TestTilesKeepTheMeaning(t *testing.T) {
	cpu := spaces[0]
	policy := cpu.sketches
	policy.Doubt = 1e9
	for _, spec := range []string{
		"conv2d:h=8,w=8,ci=6,co=20,k=3,p=1,epilogue=bias+relu",
		"conv2d:batch=2,h=11,w=13,ci=5,co=7,k=3,p=1,epilogue=bias+add+relu",
		"conv3d:d=3,h=9,w=7,ci=4,co=8,k=3,p=1,epilogue=bias",
		"conv2d:h=9,w=21,ci=4,co=16,k=3",
		"conv2d:h=8,w=8,ci=6,co=8,k=3,p=1,layout=NCHW",
		"conv2d:h=8,w=12,ci=8,co=8,k=3,p=1,groups=2",
		`input x: float32[10, 14, 5]
input w: float32[2, 3, 3, 5, 8]
y(g: 2, h: 8, j: 12, c: 8) = sum(r: 3, s: 3, k: 5) x[h + r, j + s, k]*w[g, r, s, k, c]
    layout_free w
output y
`, // the same tiles for all g
	} {
		d, err := compute.Parse(spec)
		if err != nil {
			w, err := op.Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			d = w.DAG
		}
		on := target.Generic(32, 2)
		sketches, err := sketch.Generate(t.Context(), policy, d, on)
		if err != nil {
			t.Fatal(err)
		}
		count, inRows := map[string]int{}, 0
		for k, tile := range []int64{2, 4} {
			convolves := func(step schedule.Step) bool {
				wg, ok := step.(schedule.Winograd)
				return ok && wg.Tile == tile
			}
			of := slices.DeleteFunc(slices.Clone(sketches), func(s *schedule.State) bool {
				return !slices.ContainsFunc(s.Steps, convolves)
			})
			if len(of) == 0 {
				t.Errorf("%s: no sketch with tiles of %d", spec, tile)
				continue
			}
			check := func(s *schedule.State) error {
				tiles := slices.IndexFunc(s.Stages, func(st *schedule.Stage) bool {
					return strings.HasSuffix(st.Op.Name, ".tiles")
				})
				if _, ok := s.Attach.At(tiles); ok {
					inRows++
				}
				return nil
			}
			for seed := range uint64(2) {
				err := tryCandidates(cpu, on, spec, d, of, annotate.Rand(seed, 1, k), seed, count, check)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		fits := !strings.Contains(spec, "NCHW")
		if (inRows > 0) != fits || fits && inRows < 20 || count["sample"] < 12 {
			t.Errorf("%s: %d in rows of %v", spec, inRows, count)
		}
	}
}

// Candidates of transposed convolutions in phases keep the meaning. All candidates are of that kind, phases are
// computed in what reads them, and no mutation divides what reads them otherwise.
func TestPhasesKeepTheMeaning(t *testing.T) {
	cpu := spaces[0]
	count := map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs)/6; seed++ {
		rng := annotate.Rand(seed, 2, 0)
		text := tirtest.SpreadText(rng)
		d, err := compute.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		on := cpu.on(rng)
		sketches, err := sketch.Generate(t.Context(), cpu.sketches, d, on)
		if err != nil {
			t.Fatal(err)
		}
		var divided []int64
		check := func(s *schedule.State) error {
			phases, splits := sketch.ReadsPhases(s, len(s.Stages)-1)
			if phases < 0 || len(splits) == 0 {
				return fmt.Errorf("no phases: %s", schedule.FormatSteps(s.Steps))
			}
			var lengths []int64
			for _, i := range splits {
				if sp := s.Steps[i].(schedule.Split); sp.Iter < len(s.Stages[phases].Op.Axes) {
					lengths = append(lengths, sp.Lengths...)
				}
			}
			if divided == nil {
				divided = lengths
			}
			if !slices.Equal(lengths, divided) {
				return fmt.Errorf("divided by %d, not %d: %s", lengths, divided, schedule.FormatSteps(s.Steps))
			}
			return nil
		}
		if err := tryCandidates(cpu, on, text, d, sketches, rng, seed, count, check); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if count["sample"] < 3**programs/6 {
		t.Errorf("few samples: %v", count)
	}
}

// movesOutput reports whether a choice was none: an output, which others may read, can be in
// one place only.
func movesOutput(err error) bool { return strings.Contains(err.Error(), "is an output") }

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
	opt := interp.Options{Shuffle: true, Seed: seed, Races: true}
	packed, err := interp.Pack(f, got, opt)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, f)
	}
	if err := interp.Run(f, packed, opt); err != nil {
		return fmt.Errorf("%w\n%s", err, f)
	}
	for k := len(s.DAG.Inputs()); k < len(got); k++ {
		if err := tirtest.Compare(got[k], want[k], args...); err != nil {
			return fmt.Errorf("result %d: %w\n%s", k, err, f)
		}
	}
	return nil
}
