package main

import (
	"context"
	"errors"
	"flag"
	"runtime/debug"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

var benchModel = flag.String("model", "", "folder of the model that benchmarks use; by default that in the program")

// BenchmarkWorldRound is what the scoring of a real round costs: a population of r50-t3
// and what four generations make of it, with the model in the program. The goal is at
// least 10,000 candidates a second on two cores and at most 1.5 s a round.
func BenchmarkWorldRound(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent)) // as main does
	ctx := context.Background()
	w, err := workload.Find("paper22/r50-t3")
	if err != nil {
		b.Fatal(err)
	}
	task := &search.Task{DAG: w.DAG, Target: target.Generic(32, 2)}
	sketches, err := sketch.Generate(b.Context(), sketch.CPU, task.DAG, task.Target)
	if err != nil {
		b.Fatal(err)
	}
	sampler := annotate.New(annotate.CPU, task.Target)
	scored, spent, cpu := 0, time.Duration(0), 0.0
	for i := 0; b.Loop(); i++ {
		s, err := costmodel.OpenWorld(costmodel.Options{Kind: target.LLVM, Model: *benchModel}) // nothing is cached of rounds before
		if errors.Is(err, models.ErrNone) {
			b.Skip(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		o := evolve.Options{Seed: 2, Stream: uint32(i)}
		states, err := sampler.Population(b.Context(), sketches, 2048, o.Seed, o.Stream, 0)
		if err != nil {
			b.Fatal(err)
		}
		e := evolve.Evolution{Options: o, Step: evolve.Step(sampler, evolve.CPU), Score: func(list []*schedule.State) ([]float64, error) {
			begin, before := time.Now(), processorTime(b)
			scores, err := s.Score(ctx, task, list)
			scored, spent, cpu = scored+len(list), spent+time.Since(begin), cpu+processorTime(b)-before
			return scores, err
		}}
		if best, err := e.Run(b.Context(), states, 128); err != nil || len(best) == 0 {
			b.Fatalf("%d states, %v", len(best), err)
		}
	}
	b.ReportMetric(float64(scored)/spent.Seconds(), "candidates/s")
	b.ReportMetric(float64(scored)/cpu, "candidates/cpu-s")
	b.ReportMetric(spent.Seconds()/float64(b.N), "score-s/round")
	b.ReportMetric(cpu/float64(b.N), "score-cpu-s/round")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOpenModel is what opening the model in the program takes; the goal is 150 ms.
func BenchmarkOpenModel(b *testing.B) {
	for b.Loop() {
		if _, err := costmodel.OpenModel(costmodel.Options{Kind: target.LLVM, Model: *benchModel}); errors.Is(err, models.ErrNone) {
			b.Skip(err)
		} else if err != nil {
			b.Fatal(err)
		}
	}
}
