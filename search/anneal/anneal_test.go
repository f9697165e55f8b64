package anneal

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/searchtest"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// longer programs take longer.
func cost(steps []schedule.Step) float64 { return 1 + float64(len(schedule.FormatSteps(steps))) }

// worth is smooth in the lengths of tiles: the nearer their logarithms are to 2, the higher.
func worth(s *schedule.State) float64 {
	sum := 0.0
	for _, step := range s.Steps {
		if sp, ok := step.(schedule.Split); ok {
			for _, n := range sp.Lengths {
				sum -= math.Abs(math.Log2(float64(n)) - 2)
			}
		}
	}
	return math.Exp(sum / 8)
}

// A scorer knows the worth of states, in a scale of its own.
type scorer struct {
	search.Random
	scale, shift float64
	untrained    bool
}

func (s scorer) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, st := range states {
		// Multiples of a power of 2: a change of scale rounds nothing.
		scores[i] = s.scale*math.Round(worth(st)*(1<<20))/(1<<20) + s.shift
	}
	return scores, nil
}

func (s scorer) Traits() search.Traits { return search.Traits{Untrained: s.untrained} }

// tuner returns a search of 24 trials in three rounds by annealing.
func tuner(t *testing.T, s search.Scorer, workers int) *search.Tuner {
	t.Helper()
	w, err := workload.Find("matmul:m=96,n=64,k=48")
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: target.Generic(32, 2),
		Space: space.Default(target.LLVM, space.Config{})}
	return &search.Tuner{Task: task, Scorer: s, Builder: searchtest.Machine(cost), Runner: searchtest.Machine(cost), Options: search.Options{
		Trials: 24, PerRound: 8, Seed: 3, ScorerName: "worth", Finalists: -1, Workers: workers,
		Propose: &Annealer{Chains: 16, Steps: 24},
	}}
}

// run searches, and returns the steps of all candidates.
func run(t *testing.T, tu *search.Tuner, before []dataset.Record) (steps []string, records []dataset.Record) {
	t.Helper()
	tu.Options.OnRound = func(r search.Round) error {
		for _, rec := range r.Records {
			steps, records = append(steps, string(schedule.FormatSteps(rec.Steps))), append(records, rec)
		}
		return nil
	}
	out, err := tu.Run(t.Context(), before)
	if err != nil || out.Trials != tu.Options.Trials {
		t.Fatalf("%d trials, %v", out.Trials, err)
	}
	return steps, records
}

// TestWorkers: any number of goroutines gives the same candidates, and so does any scale of scores.
func TestWorkers(t *testing.T) {
	want, _ := run(t, tuner(t, scorer{scale: 1}, 1), nil)
	for _, workers := range []int{2, 8} {
		if got, _ := run(t, tuner(t, scorer{scale: 1}, workers), nil); !slices.Equal(got, want) {
			t.Errorf("%d workers give other candidates", workers)
		}
	}
	for _, s := range []scorer{{scale: 64}, {scale: 1. / 32}, {scale: 4, shift: -8}} {
		if got, _ := run(t, tuner(t, s, 2), nil); !slices.Equal(got, want) {
			t.Errorf("scores times %g plus %g give other candidates", s.scale, s.shift)
		}
	}
}

// TestFinds: the chains find better candidates than as many random draws as they score.
func TestFinds(t *testing.T) {
	_, records := run(t, tuner(t, scorer{scale: 1}, 0), nil)
	best := 0.0
	for _, r := range records {
		best = max(best, r.Score)
	}
	tu := tuner(t, scorer{scale: 1}, 0)
	source, err := tu.Task.Space.Open(t.Context(), tu.Task)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := annotate.Draw(t.Context(), 3*16*25, 9, 0, 0, source.Sample)
	if err != nil {
		t.Fatal(err)
	}
	random := 0.0
	for _, s := range drawn {
		random = max(random, worth(s))
	}
	if best <= random {
		t.Errorf("the best of annealing is %g, that of %d random ones %g", best, len(drawn), random)
	}
}

// TestContinued: a search that is continued measures nothing twice, and goes on from chains of its own.
func TestContinued(t *testing.T) {
	first, records := run(t, tuner(t, scorer{scale: 1}, 0), nil)
	second, _ := run(t, tuner(t, scorer{scale: 1}, 0), records)
	seen := map[string]bool{}
	for _, s := range append(first, second...) {
		if seen[s] {
			t.Errorf("measured twice:\n%s", s)
		}
		seen[s] = true
	}
}

// TestChoose: what would be chosen without measuring is better than what is drawn; a scorer that has learned nothing
// chooses at random.
func TestChoose(t *testing.T) {
	chosen, err := tuner(t, scorer{scale: 1}, 0).Choose(t.Context(), 4)
	if err != nil || len(chosen) != 4 || chosen[0].Score < chosen[3].Score {
		t.Fatal(chosen, err)
	}
	_, records := run(t, tuner(t, scorer{scale: 1, untrained: true}, 0), nil)
	better := 0
	for _, r := range records {
		if r.Score >= chosen[0].Score {
			better++
		}
	}
	if better > 1 {
		t.Errorf("%d of %d random candidates are better than the chosen one", better, len(records))
	}
}

// TestMove: better candidates are always gone to; worse ones as often as exp(d/T) says, within three standard errors, of
// a difference d in units of the spread, and not when it is cold; none that cannot be lowered.
func TestMove(t *testing.T) {
	const n = 400
	old, next := &schedule.State{}, &schedule.State{}
	for _, c := range []struct {
		may, temperature float64
		least, most      int // of n chains
	}{
		{1, 1, n, n}, {1, 0, n, n}, {-1, 0, 0, 0}, {-1, 1, 33, 75}, {math.Inf(-1), 1, 0, 0}, {math.NaN(), 1, 0, 0},
	} {
		a := &Annealer{chains: slices.Repeat([]*schedule.State{old}, n)}
		scores := append(make([]float64, n), slices.Repeat([]float64{c.may}, n)...)
		a.move(slices.Repeat([]*schedule.State{next}, n), scores, c.temperature, annotate.Rand(1, 2, 3))
		moved := 0
		for _, s := range a.chains {
			if s == next {
				moved++
			}
		}
		if moved < c.least || moved > c.most {
			t.Errorf("to %g at %g: %d of %d chains move, want %d to %d", c.may, c.temperature, moved, n, c.least, c.most)
		}
	}
}

// TestDiverse: without a weight the best are chosen; with one, decisions that no chosen one has count.
func TestDiverse(t *testing.T) {
	var list []evolve.Scored
	of := map[*schedule.State][]uint64{}
	for i, parts := range [][]uint64{{1, 2, 3}, {1, 2, 3}, {1, 2, 4}, {5, 6, 7}} {
		s := &schedule.State{}
		list, of[s] = append(list, evolve.Scored{State: s, Score: -float64(i)}), parts
	}
	parts := func(s *schedule.State) []uint64 { return of[s] }
	for alpha, want := range map[float64]string{-1: "0 1 2", 2: "0 3 1", 100: "0 3 2"} {
		got := ""
		for _, c := range diverse(list, parts, 3, alpha) {
			got += fmt.Sprint(" ", -c.Score)
		}
		if got != " "+want {
			t.Errorf("alpha %g chooses%s, want %s", alpha, got, want)
		}
	}
	if got := diverse(list, parts, 9, 1); len(got) != len(list) {
		t.Errorf("%d of %d are chosen", len(got), len(list))
	}
}

// TestGreedy: on 200 small instances, what is chosen is worth at least 1-1/e of the best choice by equation 3.
func TestGreedy(t *testing.T) {
	rng := annotate.Rand(5, 6, 7)
	for range 200 {
		var list []evolve.Scored
		of := map[*schedule.State][]uint64{}
		for range 8 {
			s := &schedule.State{}
			for range 3 {
				of[s] = append(of[s], uint64(rng.IntN(9)))
			}
			list = append(list, evolve.Scored{State: s, Score: rng.Float64()})
		}
		var scores []float64
		for _, c := range list {
			scores = append(scores, c.Score)
		}
		scale, alpha := spread(scores), 2*rng.Float64()
		worth := func(chosen []evolve.Scored) float64 {
			sum, seen := 0.0, map[uint64]bool{}
			for _, c := range chosen {
				sum += c.Score / scale
				for _, p := range of[c.State] {
					seen[p] = true
				}
			}
			return sum + alpha*float64(len(seen))/3
		}
		best := 0.0
		for i := range list {
			for j := range i {
				for k := range j {
					best = max(best, worth([]evolve.Scored{list[i], list[j], list[k]}))
				}
			}
		}
		got := worth(diverse(list, func(s *schedule.State) []uint64 { return of[s] }, 3, alpha))
		if got < (1-1/math.E)*best {
			t.Errorf("the choice is worth %g, the best one %g", got, best)
		}
	}
}

var seeds = flag.Int("seeds", 1, "number of seeds of TestBest")

// additive scores a state by the sum of what its decisions are worth.
type additive struct{ search.Random }

func (additive) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		for _, p := range search.Parts(s.Steps) {
			scores[i] += float64(p%1021) / 1021
		}
	}
	return scores, nil
}

func (additive) Traits() search.Traits { return search.Traits{} }

// TestBest: on a space of 864 candidates, 128 chains of 500 steps find at least 60 of the 64 that have the highest
// scores.
func TestBest(t *testing.T) {
	w, err := workload.Find("conv2d:h=28,w=28,ci=128,co=256,k=1,s=2")
	if err != nil {
		t.Fatal(err)
	}
	sp, err := space.Find(target.LLVM, "template", space.Config{})
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: target.Generic(32, 2), Space: sp}
	source, err := sp.Open(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	all, err := annotate.Draw(t.Context(), 12000, 1, 0, 0, source.Sample)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := additive{}.Score(t.Context(), task, all)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(scores)
	least := scores[len(scores)-64] // of the 64 highest
	for seed := range uint64(*seeds) {
		tu := &search.Tuner{Task: task, Scorer: additive{}, Builder: searchtest.Machine(cost), Runner: searchtest.Machine(cost), Options: search.Options{
			Trials: 64, PerRound: 64, Seed: seed, ScorerName: "additive", Finalists: -1, Explore: -1,
			Propose: &Annealer{Lambda: 1, Alpha: -1},
		}}
		found := 0
		_, records := run(t, tu, nil)
		for _, r := range records {
			if r.Score >= least {
				found++
			}
		}
		t.Logf("seed %d: %d of the best 64 among %d", seed, found, len(all))
		if found < 60 {
			t.Errorf("seed %d: %d of the best 64 are found", seed, found)
		}
	}
}
