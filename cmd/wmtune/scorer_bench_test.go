package main

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/gbt"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// processorTime returns the seconds that all cores have worked for the process,
// which say more than the clock where others use the machine too.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// madeUp returns a time that tile sizes decide: innermost ones of 8 are best.
func madeUp(s *schedule.State) float64 {
	far := 1.0
	for _, step := range s.Steps {
		if sp, ok := step.(schedule.Split); ok {
			far += math.Abs(math.Log2(float64(sp.Lengths[len(sp.Lengths)-1]) / 8))
		}
	}
	return 1e-3 * far
}

// BenchmarkRound is what a round of a search with gbt costs besides building and
// measuring: a population, four generations and learning from 64 records, when
// there are 512 before.
func BenchmarkRound(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent)) // as main does
	ctx := context.Background()
	w, err := workload.Find("paper22/r50-t3")
	if err != nil {
		b.Fatal(err)
	}
	task := workload.Task{DAG: w.DAG, Target: target.Generic(32, 2)}
	sketches, err := sketch.Generate(b.Context(), sketch.CPU, task.DAG, task.Target)
	if err != nil {
		b.Fatal(err)
	}
	sampler := annotate.New(annotate.CPU, task.Target)
	for _, size := range []int{512, 1024, 2048} {
		b.Run(fmt.Sprintf("population=%d", size), func(b *testing.B) {
			m, err := gbt.New("")
			if err != nil {
				b.Skip(err)
			}
			learn := func(n int, seed uint64) {
				states, err := sampler.Population(b.Context(), sketches, n, seed, 0, 0)
				if err != nil {
					b.Fatal(err)
				}
				var records []dataset.Record
				for _, s := range states {
					records = append(records, dataset.Record{Target: task.Target, Steps: s.Steps, Status: measure.OK, Costs: []float64{madeUp(s)}})
				}
				if err := m.Update(ctx, task, records); err != nil {
					b.Fatal(err)
				}
			}
			learn(512, 1)
			before := processorTime(b)
			for i := 0; b.Loop(); i++ {
				o := evolve.Options{Population: size, Seed: 2, Stream: uint32(i)}
				states, err := sampler.Population(b.Context(), sketches, size, o.Seed, o.Stream, 0)
				if err != nil {
					b.Fatal(err)
				}
				e := evolve.Evolution{Options: o, Step: evolve.Step(sampler, evolve.CPU), Score: func(s []*schedule.State) ([]float64, error) {
					return m.Score(ctx, task, s)
				}}
				if best, err := e.Run(b.Context(), states, 128); err != nil || len(best) == 0 {
					b.Fatalf("%d states, %v", len(best), err)
				}
				learn(64, uint64(i+3))
			}
			b.ReportMetric((processorTime(b)-before)/float64(b.N), "cpu-s/op")
		})
	}
}
