package annotate

import (
	"context"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func sketches(t *testing.T, s *schedule.State) []*schedule.State {
	t.Helper()
	list, err := sketch.Generate(t.Context(), sketch.CPU, s.DAG, target.Generic(32, 2))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A population has distinct complete states, the same for any number of
// workers.
func TestPopulation(t *testing.T) {
	a := sampler(t, 32, 2)
	list := sketches(t, conv(64, 32))
	var texts []string
	for _, workers := range []int{1, 2, 5} {
		population, err := a.Population(t.Context(), list, 100, 7, 1, workers)
		if err != nil || len(population) < 90 {
			t.Fatalf("%d states, %v", len(population), err)
		}
		var got []string
		seen := map[[16]byte]bool{}
		for _, s := range population {
			if !s.Concrete() || seen[s.Signature()] {
				t.Errorf("not complete, or twice: %s", steps(s))
			}
			seen[s.Signature()] = true
			got = append(got, steps(s))
		}
		if texts == nil {
			texts = got
		} else if !slices.Equal(got, texts) {
			t.Errorf("%d workers make another population", workers)
		}
	}
	other, err := a.Population(t.Context(), list, 100, 7, 2, 1)
	if err != nil || steps(other[0]) == texts[0] {
		t.Error("another stream makes the same population")
	}
	if _, err := a.Population(t.Context(), nil, 10, 1, 1, 1); err == nil {
		t.Error("a population of no sketches")
	}
}

// Remake of a state's own structure keeps it, and the unroll limits.
func TestRemake(t *testing.T) {
	a := sampler(t, 32, 2)
	for i, sk := range sketches(t, conv(64, 32)) {
		s, err := a.Sample(sk, Rand(1, 5, i))
		if err != nil {
			continue
		}
		again, err := a.Remake(s, schedule.Structure(s.Steps), Rand(2, 6, i))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(schedule.Structure(s.Steps), schedule.Structure(again.Steps), func(x, y schedule.Step) bool { return x.String() == y.String() }) {
			t.Errorf("the structure changed:\n%s\n%s", steps(s), steps(again))
		}
		for k := range s.Stages {
			if s.Stages[k].AutoUnroll != again.Stages[k].AutoUnroll {
				t.Errorf("the unroll limit of stage %d changed", k)
			}
		}
	}
}

func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 100} {
		counts := make([]int, 10)
		Each(t.Context(), len(counts), workers, func(i int) { counts[i]++ })
		for i, n := range counts {
			if n != 1 {
				t.Errorf("%d workers: item %d was worked on %d times", workers, i, n)
			}
		}
	}
	Each(t.Context(), 0, 2, func(int) { t.Error("called without items") })
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := Each(ctx, 100, 1, func(i int) {
		if calls++; i == 2 {
			cancel()
		}
	})
	if err != context.Canceled || calls > 4 {
		t.Errorf("%d calls after the context was cancelled, %v", calls, err)
	}
}

func BenchmarkSample(b *testing.B) {
	on := target.Generic(32, 2)
	a := New(CPU, on)
	list, err := sketch.Generate(b.Context(), sketch.CPU, conv(64, 32).DAG, on)
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		rng := Rand(1, 1, i)
		if _, err := a.Sample(list[rng.IntN(len(list))], rng); err != nil {
			b.Log(err)
		}
	}
}

func TestStructure(t *testing.T) {
	sp := schedule.Split{At: 2, Iter: 0, Lengths: []int64{4}, InnerToOuter: true}
	an := schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel}
	fu := schedule.Fuse{At: 2, Iters: []int{0, 1}}
	pr := schedule.Pragma{At: 2, Text: schedule.UnrollPragma(16)}
	re := schedule.Reorder{At: 2, Order: []int{0, 1}}
	vec := schedule.Annotate{At: 2, Iter: 1, Ann: schedule.Vectorize}
	for _, c := range []struct {
		name  string
		steps []schedule.Step
		want  int
	}{
		{"nothing", nil, 0},
		{"all loop decisions", []schedule.Step{fu, an, pr}, 0},
		{"a split keeps what is before it", []schedule.Step{an, sp, fu, an, pr}, 2},
		{"a vector split is a loop decision", []schedule.Step{re, fu, an, sp, vec}, 1},
		{"a split whose outer piece is annotated is not", []schedule.Step{re, sp, an}, 2},
		{"a split at the end is not", []schedule.Step{an, sp}, 2},
		{"a place is not", []schedule.Step{an, schedule.ComputeAt{}, pr}, 2},
	} {
		if got := schedule.Structure(c.steps); len(got) != c.want {
			t.Errorf("%s: kept %d steps, want %d", c.name, len(got), c.want)
		}
	}
}
