package evolve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var ampere = mustGPU("sm_80")

func mustGPU(name string) target.Target {
	t, err := target.GPU(name)
	if err != nil {
		panic(err)
	}
	return t
}

// tensorSpec returns a small product that tensor cores can compute.
func tensorSpec(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	dtype, epilogue := pick("f16", "bf16", "f32"), pick("", ",epilogue=bias", ",epilogue=bias+relu")
	n := func(unit, most int) int { return unit * (1 + r.IntN(most)) }
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("conv2d:h=%d,w=%d,ci=%d,co=%d,k=%s,dtype=%s%s", 2+r.IntN(3), 16, n(16, 2), n(8, 3), pick("1", "1x3,p=0x1", "3,p=1"), dtype, epilogue)
	case 1:
		return fmt.Sprintf("batch_matmul:b=2,m=%d,n=%d,k=%d,dtype=%s", n(16, 2), n(8, 3), n(16, 2), dtype)
	case 2:
		return fmt.Sprintf("dense:m=%d,n=%d,k=%d,dtype=%s%s", n(16, 3), n(8, 5), n(16, 5), dtype, epilogue)
	}
	return fmt.Sprintf("matmul:m=%d,n=%d,k=%d,ta=%d,tb=%d,dtype=%s%s", n(16, 4), n(8, 6), n(16, 5), r.IntN(2), r.IntN(2), dtype, epilogue)
}

// TestTensorCandidatesKeepTheMeaning samples tiles for tensor cores, mutates them by every
// mutator, and compares what their programs compute, on threads and split for a processor, with
// the definition of the DAG. Each stays one that tensor cores compute.
func TestTensorCandidatesKeepTheMeaning(t *testing.T) {
	count := map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs)/4; seed++ {
		if err := tryTensor(seed, count); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Log(count)
	for _, m := range GPU {
		if (count[m.Name] == 0) != (m.Name == "padding") { // which stays as tensor cores read it
			t.Errorf("mutator %q made %d candidates", m.Name, count[m.Name])
		}
	}
	for _, what := range kindsOfTensor {
		if count[what] == 0 {
			t.Errorf("no program has %s", what)
		}
	}
}

// rounded is what programs have that round float32.
const rounded = "products of tf32"

// kindsOfTensor are what some programs must have.
var kindsOfTensor = []string{": float16", ": bfloat16", rounded, "  async ", "  if ", " strides["}

func tryTensor(seed uint64, count map[string]int) error {
	rng := annotate.Rand(seed, 0, 0)
	spec := tensorSpec(rng)
	wl, err := op.Parse(spec)
	if err != nil {
		return err
	}
	args := tirtest.Args(rng, wl.DAG)
	want := cloned(args)
	if err := interp.RunDAG(wl.DAG, want); err != nil {
		return fmt.Errorf("%s: %w", spec, err)
	}
	policy := sketch.CUDATensor
	policy.TF32 = true
	sketches, err := sketch.Generate(policy, wl.DAG, ampere)
	if err != nil {
		return fmt.Errorf("%s: %w", spec, err)
	}
	if len(sketches) < 2 || tensorized(sketches[0]) != 1 {
		return fmt.Errorf("%s: no sketch for tensor cores", spec)
	}
	a := annotate.New(annotate.GPU, ampere)
	s, err := a.Sample(sketches[0], rng)
	if err != nil {
		count[err.Error()]++
		return nil
	}
	for _, m := range append([]Mutator{{Name: "sample"}}, GPU...) {
		child := s
		if m.Apply != nil {
			if child, err = m.Apply(a, s, rng); err != nil {
				continue
			}
		}
		count[m.Name]++
		if err := sameProgram(child, args, want, ampere, seed); err != nil {
			return fmt.Errorf("%s after %s: %w\nsteps %s", spec, m.Name, err, schedule.FormatSteps(child.Steps))
		}
		f, err := lower.Lower(child, lower.Config{Target: ampere})
		if err != nil {
			return err
		}
		text := f.String()
		if f.Rounds() {
			text += rounded
		}
		if !strings.Contains(text, "mma ") {
			return fmt.Errorf("%s after %s: no product of tiles in\n%s", spec, m.Name, f)
		}
		for _, what := range kindsOfTensor {
			if strings.Contains(text, what) {
				count[what]++
			}
		}
		if err := sameOnHost(child, args, want, ampere); err != nil {
			return fmt.Errorf("%s after %s: on a processor: %w\n%s", spec, m.Name, err, f)
		}
		s = child
	}
	return nil
}

// sameOnHost compares the program of a state, its threads split for a processor, with what it
// should compute.
func sameOnHost(s *schedule.State, args, want []*interp.Tensor, on target.Target) error {
	f, err := lower.Lower(s, lower.Config{Target: on})
	if err != nil {
		return err
	}
	for _, order := range []lower.Order{lower.Forward, lower.Backward} {
		g, err := lower.OnHost(f, order)
		if err != nil {
			return err
		}
		got := cloned(args)
		if err := interp.Run(g, got, interp.Options{}); err != nil {
			return err
		}
		for k := len(s.DAG.Inputs()); k < len(got); k++ {
			if err := tirtest.Compare(got[k], want[k], args...); err != nil {
				return fmt.Errorf("result %d: %w", k, err)
			}
		}
	}
	return nil
}

// Programs that tensor cores compute come first, whatever their scores.
func TestByTensorCores(t *testing.T) {
	wl, err := op.Parse("matmul:m=64,n=64,k=64,dtype=f16")
	if err != nil {
		t.Fatal(err)
	}
	sketches, err := sketch.Generate(sketch.CUDATensor, wl.DAG, ampere)
	if err != nil {
		t.Fatal(err)
	}
	a := annotate.New(annotate.GPU, ampere)
	population, err := a.Population(t.Context(), sketches, 64, 1, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := Evolution{Options: Options{Generations: -1}, Sampler: a, Mutators: GPU, Score: func(states []*schedule.State) ([]float64, error) {
		scores := make([]float64, len(states))
		for i, s := range states {
			scores[i] = float64(i%7) - 100*float64(tensorized(s))
		}
		return scores, nil
	}}
	best, err := e.Run(t.Context(), population, len(population))
	if err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for i, s := range best {
		n := tensorized(s.State)
		if kinds += fmt.Sprint(n); i > 0 && n == tensorized(best[i-1].State) && s.Score > best[i-1].Score {
			t.Errorf("place %d scores %g, the one before it %g", i, s.Score, best[i-1].Score)
		}
	}
	if with := strings.Count(kinds, "1"); with < len(best)/4 || with > len(best)*3/4 || kinds != strings.Repeat("1", with)+strings.Repeat("0", len(best)-with) {
		t.Errorf("in order, with tensor cores or without: %s", kinds)
	}
}

// Mutation makes no misfit of a tile that was none: blocks stay within 16 warps, and lanes within 128 accumulators.
func TestTensorTilesStayGood(t *testing.T) {
	wl, err := op.Parse("matmul:m=1024,n=1024,k=1024,dtype=f16")
	if err != nil {
		t.Fatal(err)
	}
	sketches, err := sketch.Generate(sketch.CUDATensor, wl.DAG, ampere)
	if err != nil {
		t.Fatal(err)
	}
	a := annotate.New(annotate.GPU, ampere)
	changed := 0
	for i := range 40 {
		rng := annotate.Rand(1, 0, i)
		s, err := a.Sample(sketches[0], rng)
		if err != nil {
			continue
		}
		for range 24 {
			child, err := mutateSplit(a, s, rng)
			if err != nil {
				continue
			}
			launches, err := lower.Launches(child)
			if err != nil || len(launches) != 1 || launches[0].Threads > 512 {
				t.Fatalf("%v, %+v\nof %s\nto %s", err, launches, schedule.FormatSteps(s.Steps), schedule.FormatSteps(child.Steps))
			}
			s = child
			changed++
		}
	}
	if changed < 100 {
		t.Errorf("%d mutations", changed)
	}
}
