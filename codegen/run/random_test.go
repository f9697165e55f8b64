package run_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var tasks = flag.Int("tasks", 25, "number of random tasks of TestRandomTasks")

// TestRandomTasks runs random programs as the tuner does: the reference is built
// in float64, and every candidate must be found correct.
func TestRandomTasks(t *testing.T) {
	d := newDifferential(t)
	cfg := quick
	cfg.Command, cfg.Rounds = command(), 1
	r, err := run.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := context.Background()
	for n := range *tasks {
		p := newProgram(*firstSeed + uint64(n))
		reference, err := d.builder.Reference(ctx, p.dag, d.host)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", p.seed, err, p)
		}
		if err := r.SetTask(ctx, run.Task{DAG: p.dag, Reference: reference, Runtime: d.runtime, Seed: p.seed}); err != nil {
			t.Errorf("seed %d: %v\n%s", p.seed, err, p)
			continue
		}
		rng := rand.New(rand.NewPCG(p.seed, 7))
		var programs []*program
		var built []measure.BuildResult
		for range 4 {
			q := *p
			s, err := schedule.Replay(p.dag, q.steps)
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(s, lower.Config{Target: d.host})
			if err != nil {
				t.Fatal(err)
			}
			b, err := d.builder.BuildFunc(ctx, f, d.host)
			if err != nil {
				t.Fatal(err)
			}
			programs, built = append(programs, &q), append(built, b)
			p.steps = tirtest.RandomSteps(rng, p.dag, 1+rng.IntN(10))
		}
		results, err := r.Run(ctx, make([]measure.Input, len(built)), built)
		if err != nil {
			t.Fatal(err)
		}
		for i, res := range results {
			if res.Status != measure.OK {
				t.Errorf("seed %d, candidate %d: %s: %s\n%s", p.seed, i, res.Status, res.Message, programs[i])
			}
		}
	}
}
