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

// winogradConvs are convolutions whose last tiles fit and stick out, with and without padding, of one to three
// dimensions before the two, in groups, and with what follows them.
var winogradConvs = []string{
	"conv2d:h=8,w=8,ci=3,co=4,k=3,p=1",
	"conv2d:h=7,w=9,ci=3,co=5,k=3,p=1,epilogue=bias+relu",
	"conv2d:h=6,w=5,ci=2,co=3,k=3,p=0",
	"conv2d:batch=2,h=5,w=6,ci=4,co=2,k=3,p=2,epilogue=bias+add",
	"conv3d:d=3,h=5,w=6,ci=2,co=3,k=3,p=1,epilogue=bias",
	"conv2d:h=6,w=6,ci=4,co=4,k=3,p=1,groups=2",
}

// TestRandomWinograd lowers every prefix of random steps on convolutions in tiles, and compares what the programs
// compute with the definition of the convolution.
func TestRandomWinograd(t *testing.T) {
	packed = 0
	for i, text := range winogradConvs {
		d, at := convolution(t, text)
		for seed := range uint64(max(4, *programs/20)) {
			r := rand.New(rand.NewPCG(*firstSeed+seed, uint64(i)))
			args := tirtest.Args(r, d)
			want := clone(args)
			if err := interp.RunDAG(d, want); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			tile := []int64{2, 4, 6}[seed%3]
			s, err := schedule.New(d).Apply(schedule.Winograd{At: at, Tile: tile})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			steps := tirtest.RandomStepsFrom(r, s, 1+r.IntN(*maxSteps))[1:]
			for n := 0; ; n++ {
				for _, layout := range []target.Layout{target.Keep, target.Rewrite} {
					cfg := config
					cfg.Layout = layout
					if err := compare(s, cfg, args, want, seed); err != nil {
						t.Fatalf("%s, tiles of %d, seed %d, layout %s: %v\nsteps: %s", text, tile, seed, layout, err,
							schedule.FormatSteps(s.Steps))
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
	}
	if packed == 0 {
		t.Error("no program has packed weights")
	}
}

// convolution returns the DAG of a workload and the number of its first reduction.
func convolution(t *testing.T, text string) (d *compute.DAG, at int) {
	t.Helper()
	w, err := op.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return w.DAG, slices.IndexFunc(w.DAG.Ops, func(op *compute.Op) bool { return op.Combine != nil })
}

// TestWinogradPacks: the weights are packed by one function, from the plain ones to the layout that the kernel reads.
func TestWinogradPacks(t *testing.T) {
	d, at := convolution(t, winogradConvs[0])
	s, err := schedule.New(d).Apply(schedule.Winograd{At: at, Tile: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []target.Layout{target.Keep, target.Rewrite} {
		f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, 2), Layout: layout, Check: lower.CheckEach})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Packs) != 1 || f.Plain(1) != d.Inputs()[1] || f.Growth < 3 || f.Growth > 4 {
			t.Errorf("layout %s: %d packs, of %s, growth %g\n%s", layout, len(f.Packs), f.Plain(1).Name, f.Growth, f)
		}
	}
	if f, err := lower.Lower(schedule.New(d), lower.Config{}); err != nil || f.Growth != 1 {
		t.Errorf("the direct convolution: growth %v, %v", f, err)
	}
}
