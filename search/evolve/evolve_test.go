package evolve

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
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
		Options: Options{Population: 64, Generations: 4, Seed: 1}, Sampler: sampler(t), Mutators: CPU,
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
	e.Mutators = []Mutator{{"none", 1, func(*annotate.Sampler, *schedule.State, *rand.Rand) (*schedule.State, error) {
		return nil, errors.New("no")
	}}}
	got, err := e.Run(t.Context(), initial, 100)
	if err != nil || len(got) != len(initial) {
		t.Errorf("%d states of %d, %v", len(got), len(initial), err)
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
				e.Sampler, initial = gpuSamples(t, sp.policy, "matmul:m=61,n=23,k=512", 64, workers)
				e.Mutators = sp.mutators
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
