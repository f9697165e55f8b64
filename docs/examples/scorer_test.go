package examples

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// wideTiles is a scorer of one's own: it likes innermost tiles of 16. It learns
// nothing.
type wideTiles struct{}

func (wideTiles) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		scores[i] = -farFrom16(s.Steps)
	}
	return scores, nil
}

func (wideTiles) Update(context.Context, *search.Task, []dataset.Record) error { return nil }

// farFrom16 is how far the innermost lengths of splits are from 16.
func farFrom16(steps []schedule.Step) float64 {
	far := 0.0
	for _, step := range steps {
		if sp, ok := step.(schedule.Split); ok {
			far += math.Abs(math.Log2(float64(sp.Lengths[len(sp.Lengths)-1]) / 16))
		}
	}
	return far
}

// A madeUp machine builds nothing: its programs take as long as their tiles are far
// from 16. search_test.go has a real one.
type madeUp struct{}

func (madeUp) Build(_ context.Context, in []measure.Input) ([]measure.BuildResult, error) {
	out := make([]measure.BuildResult, len(in))
	for i := range out {
		out[i].Status = measure.OK
	}
	return out, nil
}

func (madeUp) Run(_ context.Context, in []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	out := make([]measure.Result, len(in))
	for i := range out {
		steps, err := schedule.ParseSteps([]byte(in[i].Steps))
		if err != nil {
			return nil, err
		}
		out[i] = measure.Result{Status: measure.OK, Costs: []float64{1e-3 * (1 + farFrom16(steps))}}
	}
	return out, nil
}

// A scorer is a type with two methods. With one that knows what is fast, 16 trials
// find more than with one that knows nothing.
func Example_ownScorer() {
	w, err := op.Parse("matmul:m=256,n=256,k=256")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range []search.Scorer{search.Random{Seed: 1}, wideTiles{}} {
		t := search.Tuner{
			Task: &search.Task{
				Name: w.Spec, DAG: w.DAG, Target: target.Generic(32, 2),
				Space: search.Space{Sketch: sketch.CPU, Annotate: annotate.CPU, Mutators: evolve.CPU},
			},
			Scorer: s, Builder: madeUp{}, Runner: madeUp{},
			Options: search.Options{Trials: 16, Seed: 1, Evolution: evolve.Options{Population: 256}},
		}
		out, err := t.Run(context.Background(), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%T: %d trials, best within 2 of all tiles: %v\n", s, out.Trials, out.Best.Cost() < 3e-3)
	}
	// Output:
	// search.Random: 16 trials, best within 2 of all tiles: false
	// examples.wideTiles: 16 trials, best within 2 of all tiles: true
}
