package annotate

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

// widthsIn returns what threads copy at once, by stage.
func widthsIn(s *schedule.State) map[string]int64 {
	m := map[string]int64{}
	for _, i := range FetchSplits(s.Steps) {
		m[s.Stages[s.Steps[i].Stage()].Op.Name] = s.Steps[i].(schedule.Split).Lengths[0]
	}
	return m
}

// Rows of x.shared have 2*2 = 4 elements of k, rows of y.shared 32 of j.
func TestFetchWidth(t *testing.T) {
	a := gpuSampler(t, GPU)
	seen := map[string]map[int64]bool{"x.shared": {}, "y.shared": {}}
	for i := range 60 {
		s, err := bindThreads(&choice{Sampler: a, rng: Rand(1, 1, i)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, [2]int64{1, 2}))
		if err != nil {
			t.Fatal(err)
		}
		for name, w := range widthsIn(s) {
			seen[name][w] = true
		}
	}
	if len(seen["x.shared"]) != 2 || seen["x.shared"][4] || len(seen["y.shared"]) != 3 {
		t.Errorf("widths %v, want 1, 2 and 1, 2, 4", seen)
	}
	auto := gpuSampler(t, AutoSchedulerGPU)
	s, err := bindThreads(&choice{Sampler: auto, rng: Rand(1, 1, 1)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, [2]int64{1, 2}))
	if err != nil || widthsIn(s)["y.shared"] != 1 {
		t.Errorf("AutoScheduler begins with %v, %v", widthsIn(s), err)
	}
}

// With shorter rows the width is the widest that still fits.
func TestRefit(t *testing.T) {
	a := gpuSampler(t, GPU)
	var s *schedule.State
	for i := 0; s == nil || widthsIn(s)["x.shared"] != 4; i++ {
		var err error
		s, err = bindThreads(&choice{Sampler: a, rng: Rand(1, 1, i)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, [2]int64{2, 2}))
		if err != nil {
			t.Fatal(err)
		}
	}
	for k, want := range map[int64]int64{1: 2, 2: 4, 3: 2} {
		steps := slices.Clone(s.Steps)
		for i, step := range steps {
			if sp, ok := step.(schedule.Split); ok && len(sp.Lengths) == 2 {
				sp.Lengths = []int64{k, 2}
				steps[i] = sp
			}
		}
		other, err := replayed(s, steps)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := a.Refit(other)
		if err != nil || widthsIn(fitted)["x.shared"] != want {
			t.Errorf("rows of %d: %v, %v, want %d", 2*k, widthsIn(fitted), err, want)
		}
		if same, err := gpuSampler(t, AutoSchedulerGPU).Refit(other); err != nil || same != other {
			t.Errorf("AutoScheduler's widths change: %v", err)
		}
	}
}
