package lesson_test

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/lesson"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestScore: each state has its score, for any number of workers; one without features has -Inf. Features are made once.
func TestScore(t *testing.T) {
	made := 0
	b := lesson.New(func(s *schedule.State) (int, bool) {
		made++
		return len(s.Steps), len(s.Steps) > 0
	})
	d, err := compute.Parse("input x: float32[4]\ny(i: 4) = x[i] + 1\noutput y\n")
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(d)
	split, err := s.Apply(schedule.Split{At: 1, Iter: 0, Extent: 4, Lengths: []int64{2}, InnerToOuter: true})
	if err != nil {
		t.Fatal(err)
	}
	states := []*schedule.State{split, s, split}
	for _, workers := range []int{1, 3} {
		got, err := b.Score(t.Context(), workers, workload.Task{DAG: d}, states, func(n int) float64 { return float64(10 * n) })
		if want := []float64{10, math.Inf(-1), 10}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
	}
	if made != 2 {
		t.Errorf("features were made %d times", made)
	}
}

// TestWeight: what was learned before counts half after each so many programs, and ends.
func TestWeight(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 64: 0.5, 256: 0.0625, 277: 0, 640: 0} {
		if got := lesson.Weight(n, 64); got != want {
			t.Errorf("after %d programs: %g, want %g", n, got, want)
		}
	}
}
