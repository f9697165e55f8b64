package ranker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// Each column has a name of its own.
func TestNames(t *testing.T) {
	names := Names()
	if len(names) != Columns {
		t.Fatalf("%d names, %d columns", len(names), Columns)
	}
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != Columns {
		t.Errorf("%d of %d names differ", n, Columns)
	}
}

// Random states have features, those of GPU steps too: the first are those that
// there were before locality, and every column is a number.
func TestFeaturesOfRandomStates(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		_, d := tirtest.RandomDAG(r)
		steps, to := tirtest.RandomSteps(r, d, 12), target.Generic(32<<(seed%2), 3)
		if seed%3 == 0 {
			steps = tirtest.RandomGPUSteps(r, d, 12)
			to = target.Target{Kind: target.CUDA, Hardware: target.Hardware{Cores: -1, WarpSize: 32}}
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Features(s, to)
		if err != nil {
			t.Fatal(err)
		}
		tiling, err := Tiling(s, to)
		if err != nil {
			t.Fatal(err)
		}
		if want := slices.Concat(Actions(d, s.Steps), tiling); !slices.Equal(got[:len(want)], want) {
			t.Fatalf("seed %d: the first columns are %v, want %v", seed, got[:len(want)], want)
		}
		again, _ := Features(s, to)
		if !slices.Equal(got, again) {
			t.Fatalf("seed %d: other features the second time", seed)
		}
	}
}
