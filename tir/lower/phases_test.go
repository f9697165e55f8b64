package lower_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
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

// TestPhasesPack holds that weights of a window smaller than the stride are packed: a remainder of a phase has fewer
// values under the guard than without it.
func TestPhasesPack(t *testing.T) {
	w, err := op.Parse("conv2d_transpose:h=4,w=4,ci=16,co=2,k=2,s=3")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(w.DAG.Ops, func(op *compute.Op) bool { return op.Combine != nil })
	s, err := schedule.New(w.DAG).Apply(schedule.Phases{At: at})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config
	cfg.Layout = target.Rewrite
	f, err := lower.Lower(s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Packs) != 1 || f.Packs[0].Params[1].Elems() != 2*2*16*2 {
		t.Errorf("got\n%s", f)
	}
}
