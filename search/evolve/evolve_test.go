package evolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// innerReduction is the innermost piece of C's reduction, 0 if there is none.
func innerReduction(s *schedule.State) int64 {
	for _, step := range s.Steps {
		if sp, ok := step.(schedule.Split); ok && sp.Extent == 512 {
			return sp.Lengths[0]
		}
	}
	return 0
}

func evolution(t *testing.T, score func(*schedule.State) float64) *Evolution {
	t.Helper()
	return &Evolution{
		Options: Options{Population: 64, Generations: 4, Seed: 1}, Step: Step(sampler(t), CPU),
		Score: func(list []*schedule.State) ([]float64, error) {
			var scores []float64
			for _, s := range list {
				scores = append(scores, score(s))
			}
			return scores, nil
		},
	}
}

// From 50 states without it, evolution finds the tile that the scorer rewards.
// (The same test is upstream's.)
func TestEvolutionFindsWhatIsRewarded(t *testing.T) {
	initial := slices.DeleteFunc(samples(t, paddedProduct(64, 64, 512), 100), func(s *schedule.State) bool { return innerReduction(s) == 2 })
	e := evolution(t, func(s *schedule.State) float64 {
		if innerReduction(s) == 2 {
			return 1
		}
		return 0
	})
	got, err := e.Run(t.Context(), initial[:50], 10)
	if err != nil || len(got) != 10 {
		t.Fatalf("%d states, %v", len(got), err)
	}
	for i, s := range got {
		if s.Score != 1 {
			t.Errorf("state %d has score %g", i, s.Score)
		}
	}
}

// Excluded states are parents but not results; no program is returned twice; the
// order is by score.
func TestEvolutionExcludes(t *testing.T) {
	initial := samples(t, paddedProduct(64, 64, 512), 64)
	measured := map[[16]byte]bool{}
	for _, s := range initial {
		measured[s.Signature()] = true
	}
	e := evolution(t, func(s *schedule.State) float64 { return float64(s.Signature()[0]) })
	e.Exclude = func(sig [16]byte) bool { return measured[sig] }
	got, err := e.Run(t.Context(), initial, 40)
	if err != nil || len(got) != 40 {
		t.Fatalf("%d states, %v", len(got), err)
	}
	for i, s := range got {
		if measured[s.Signature] {
			t.Errorf("state %d is excluded, or was returned before", i)
		}
		measured[s.Signature] = true
		if i > 0 && got[i-1].Score < s.Score {
			t.Errorf("state %d is better than the one before", i)
		}
	}
}

// States that cannot be lowered are neither returned nor parents, and a space of
// nothing else ends the evolution at once.
func TestEvolutionOfTheImpossible(t *testing.T) {
	initial := samples(t, paddedProduct(64, 64, 512), 64)
	calls := 0
	e := evolution(t, func(*schedule.State) float64 { return math.Inf(-1) })
	score := e.Score
	e.Score = func(list []*schedule.State) ([]float64, error) {
		calls++
		return score(list)
	}
	if got, err := e.Run(t.Context(), initial, 10); err != nil || len(got) != 0 || calls != 1 {
		t.Errorf("%d states, %d calls, %v", len(got), calls, err)
	}
	if got, err := e.Run(t.Context(), nil, 10); err != nil || len(got) != 0 || calls != 1 {
		t.Errorf("of nothing: %d states, %d calls, %v", len(got), calls, err)
	}
	e = evolution(t, func(s *schedule.State) float64 {
		if innerReduction(s) == 2 {
			return math.NaN()
		}
		return 1
	})
	got, err := e.Run(t.Context(), initial, 100)
	if err != nil || len(got) == 0 {
		t.Fatal(err)
	}
	for _, s := range got {
		if innerReduction(s.State) == 2 {
			t.Error("a state that cannot be lowered was returned")
		}
	}
}

// Mutators that always fail do not hang it: parents are passed on.
func TestEvolutionWithoutMutations(t *testing.T) {
	initial := samples(t, paddedProduct(64, 64, 512), 20)
	e := evolution(t, func(*schedule.State) float64 { return 1 })
	e.Step = func(*schedule.State, *rand.Rand) (*schedule.State, error) { return nil, errors.New("no") }
	got, err := e.Run(t.Context(), initial, 100)
	if err != nil || len(got) != len(initial) {
		t.Errorf("%d states of %d, %v", len(got), len(initial), err)
	}
}

// With Parents, states are parents if they are among the best so many of all that were scored before, excluded ones
// included.
func TestEvolutionOfTheBest(t *testing.T) {
	e := evolution(t, func(s *schedule.State) float64 { return float64(s.Signature()[0])*256 + float64(s.Signature()[1]) })
	e.Workers, e.Parents, e.Children, e.Generations = 1, 4, 24, 6
	e.Exclude = func(sig [16]byte) bool { return sig[0] >= 250 } // which are the best
	var all []float64
	best := -1.0 // of those that are not excluded
	score, mutate := e.Score, Step(sampler(t), CPU[:1])
	e.Score = func(list []*schedule.State) ([]float64, error) {
		if len(all) > 0 && len(list) > 24+4+2 {
			t.Errorf("%d states of a generation of 24, 4 parents and the 2 best", len(list))
		}
		scores, err := score(list)
		for i, s := range list {
			if !e.Exclude(s.Signature()) {
				best = max(best, scores[i])
			}
		}
		all = append(all, scores...)
		slices.Sort(all)
		all = slices.Compact(all)
		return scores, err
	}
	parents := 0
	e.Step = func(s *schedule.State, r *rand.Rand) (*schedule.State, error) {
		own, _ := score([]*schedule.State{s})
		if parents++; own[0] < all[len(all)-4] {
			t.Errorf("a parent of score %g; the best are %v", own[0], all[len(all)-4:])
		}
		return mutate(s, r)
	}
	got, err := e.Run(t.Context(), samples(t, paddedProduct(64, 64, 512), 64), 2)
	if err != nil || len(got) != 2 || parents < 100 || got[0].Score != best || got[0].Score == all[len(all)-1] {
		t.Errorf("%d parents; chosen %v of %g, of %v in all; %v", parents, got, best, all[len(all)-4:], err)
	}
}

// With Patience, evolution ends when the best stay; the last generations changed none.
func TestEvolutionEndsEarly(t *testing.T) {
	for patience, want := range map[int]int{0: 41, 2: 0, 5: 0} {
		calls, changed := 0, 0
		top := -1.0
		e := evolution(t, func(s *schedule.State) float64 { return float64(innerReduction(s)) })
		e.Patience, e.Generations, e.Children, e.Parents = patience, 40, 32, 16
		score := e.Score
		e.Score = func(list []*schedule.State) ([]float64, error) {
			scores, err := score(list)
			if best := slices.Max(scores); best > top {
				top, changed = best, calls
			}
			calls++
			return scores, err
		}
		if _, err := e.Run(t.Context(), samples(t, paddedProduct(64, 64, 512), 64), 1); err != nil {
			t.Fatal(err)
		}
		if want > 0 && calls != want || want == 0 && (calls <= changed+patience || calls > 40) {
			t.Errorf("patience %d: %d generations, the best of which is %d", patience, calls, changed)
		}
	}
}

// Any number of workers gives the same states.
func TestEvolutionIsDeterministic(t *testing.T) {
	for _, sp := range spaces[:2] {
		var want []Scored
		for _, workers := range []int{1, 2, 7} {
			e := evolution(t, func(s *schedule.State) float64 { return float64(s.Signature()[3] % 8) })
			initial := samples(t, paddedProduct(61, 23, 512), 64)
			if sp.name == "gpu" {
				a, states := gpuSamples(t, sp.policy, "matmul:m=61,n=23,k=512", 64, workers)
				e.Step, initial = Step(a, sp.mutators), states
			}
			e.Workers = workers
			got, err := e.Run(t.Context(), initial, 30)
			if err != nil || len(got) < 30 {
				t.Fatalf("%s: %d states, %v", sp.name, len(got), err)
			}
			if want == nil {
				want = got
			}
			if !slices.EqualFunc(got, want, func(a, b Scored) bool { return a.Signature == b.Signature && text(a.State) == text(b.State) }) {
				t.Errorf("%s: %d workers give other states", sp.name, workers)
			}
		}
	}
}

func TestEvolutionReturnsTheScorersError(t *testing.T) {
	broken := errors.New("broken")
	e := evolution(t, nil)
	e.Score = func([]*schedule.State) ([]float64, error) { return nil, broken }
	if _, err := e.Run(t.Context(), samples(t, paddedProduct(8, 8, 512), 4), 1); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// Selection depends on the order of scores only, prefers the better, and gives
// equal scores equal chances.
func TestByRank(t *testing.T) {
	draws := func(scores ...float64) []int {
		var list []Scored
		for _, s := range scores {
			list = append(list, Scored{Score: s})
		}
		pick, counts := byRank(list), make([]int, len(scores))
		rng := rand.New(rand.NewPCG(1, 2))
		for range 6000 {
			counts[pick(rng)]++
		}
		return counts
	}
	a, b := draws(0.9, 0.5, 0.1), draws(-1e9, -2e9, -1e300)
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("the scale of scores changes selection: %v and %v", a, b)
		}
	}
	if a[0] < 2700 || a[0] > 3300 || a[2] < 800 || a[2] > 1200 {
		t.Errorf("3 ranks were drawn %v times, want about 3000, 2000, 1000", a)
	}
	if c := draws(1, 1, 1); c[0] < 1800 || c[2] < 1800 {
		t.Errorf("equal scores were drawn %v times", c)
	}
	if c := draws(math.Inf(1), 0); c[0] < c[1] {
		t.Errorf("+Inf was drawn %d times, 0 %d times", c[0], c[1])
	}
}

func TestPossible(t *testing.T) {
	if Possible(math.NaN()) || Possible(math.Inf(-1)) || !Possible(-1e30) || !Possible(0) {
		t.Error("only NaN and -Inf are impossible")
	}
}

func scoredList(ids ...byte) []Scored {
	var list []Scored
	for _, id := range ids {
		list = append(list, Scored{Signature: [16]byte{id}})
	}
	return list
}

func ids(list []Scored) string {
	b := make([]byte, len(list))
	for i, s := range list {
		b[i] = s.Signature[0]
	}
	return string(b)
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name         string
		best, random string
		n, places    int // of these for random ones
		want         string
	}{
		{"the best first", "abcdef", "xyz", 4, 0, "abcd"},
		{"a share of random ones", "abcdef", "xyz", 4, 2, "abxy"},
		{"random ones fill in", "ab", "xyz", 4, 0, "abxy"},
		{"the best fill in", "abcdef", "x", 4, 2, "abxc"},
		{"nothing twice", "abab", "axa", 4, 2, "abx"},
		{"nothing to pick from", "", "", 4, 2, ""},
		{"all random", "abc", "xyz", 2, 2, "xy"},
	} {
		best, random := scoredList([]byte(c.best)...), scoredList([]byte(c.random)...)
		got := ids(Pick(c.n, Share{best, c.n - c.places}, Share{random, c.places}))
		if got != c.want {
			t.Errorf("%s: picked %q, want %q", c.name, got, c.want)
		}
	}
}

// Of several shares each has its places, what is known from another does not count, and
// the first fills in.
func TestPickShares(t *testing.T) {
	shares := []Share{{scoredList('a', 'b', 'c', 'd', 'e'), 3}, {scoredList('b', 'x', 'y'), 1}, {nil, 2}, {scoredList('z'), 1}}
	if got := ids(Pick(7, shares...)); got != "abcxzde" {
		t.Errorf("picked %q", got)
	}
}

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
	sketches, err := sketch.Generate(context.Background(), policy, wl.DAG, ampere)
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
	sketches, err := sketch.Generate(t.Context(), sketch.CUDATensor, wl.DAG, ampere)
	if err != nil {
		t.Fatal(err)
	}
	a := annotate.New(annotate.GPU, ampere)
	population, err := a.Population(t.Context(), sketches, 64, 1, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := Evolution{Options: Options{Generations: -1}, Step: Step(a, GPU), Score: func(states []*schedule.State) ([]float64, error) {
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
	sketches, err := sketch.Generate(t.Context(), sketch.CUDATensor, wl.DAG, ampere)
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
