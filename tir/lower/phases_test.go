package lower_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestRandomPhases lowers every prefix of random steps on random transposed convolutions in phases, and compares what
// the programs compute with the definition.
func TestRandomPhases(t *testing.T) {
	packed = 0
	for seed := range uint64(max(40, *programs)) {
		r := rand.New(rand.NewPCG(*firstSeed+seed, 3))
		text := tirtest.SpreadText(r)
		d, err := compute.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		args := tirtest.Args(r, d)
		want := clone(args)
		if err := interp.RunDAG(d, want); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		at := slices.IndexFunc(d.Ops, func(op *compute.Op) bool { return op.Combine != nil })
		s, err := schedule.New(d).Apply(schedule.Phases{At: at})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		steps := tirtest.RandomStepsFrom(r, s, 1+r.IntN(*maxSteps))[1:]
		for n := 0; ; n++ {
			for _, layout := range []target.Layout{target.Keep, target.Rewrite} {
				cfg := config
				cfg.Layout = layout
				if err := compare(s, cfg, args, want, seed); err != nil {
					t.Fatalf("seed %d, layout %s: %v\n%s\nsteps: %s", seed, layout, err, text, schedule.FormatSteps(s.Steps))
				}
			}
			if n == len(steps) {
				break
			}
			if s, err = s.Apply(steps[n]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if packed == 0 {
		t.Error("no program has packed weights")
	}
}
