package lower_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var (
	programs  = flag.Int("programs", 400, "number of random programs")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random program")
	maxSteps  = flag.Int("steps", 10, "largest number of random steps (some take two)")
)

// TestRandomPrograms lowers every prefix of random step lists on random DAGs and
// compares what the programs compute with the DAG's definition.
func TestRandomPrograms(t *testing.T) {
	packed, repacked, converted, traversed, shared, skipped, versions = 0, 0, 0, 0, 0, 0, 0
	defer lower.ReverseTraversals()()
	defer lower.PaddingAlways()()
	defer lower.CopyAlways()()
	tryPrograms(t, tirtest.RandomSteps)
	if packed < *programs {
		t.Errorf("%d of the programs have packed operands: the test says too little of layouts", packed)
	}
	if t.Logf("%d programs copy operands", repacked); repacked < *programs/40 {
		t.Errorf("%d of the programs copy operands: the test says too little of that", repacked)
	}
	if t.Logf("%d programs convert operands", converted); converted < *programs/40 {
		t.Errorf("%d of the programs convert operands: the test says too little of that", converted)
	}
	if t.Logf("%d programs have other shares", shared); shared < *programs/40 {
		t.Errorf("%d of the programs have threads with other shares: the test says too little of that", shared)
	}
	if t.Logf("%d programs skip padding, %d have an interior", skipped, versions); min(skipped, versions) < *programs/40 {
		t.Errorf("%d of the programs skip padding, %d have an interior: the test says too little of that", skipped, versions)
	}
	if traversed < *programs/40 {
		t.Errorf("%d of the programs have a parallel loop in another order: the test says too little of that", traversed)
	}
}

// TestRandomGPUPrograms does the same with loops bound to blocks and threads,
// which the interpreter runs as coroutines in a random order.
func TestRandomGPUPrograms(t *testing.T) {
	config, buffered = gpuConfig, 0
	defer func() { config = cpuConfig }()
	tryPrograms(t, tirtest.RandomGPUSteps)
	if t.Logf("%d programs with two buffers", buffered); buffered < *programs/40 {
		t.Errorf("%d of the programs have two buffers of a copy: the test says too little of that", buffered)
	}
}

// These count the programs lowered with operands packed, with operands that the program
// copies, or converts, with a parallel loop in another order, with two buffers of a copy, that skip padding, and that
// have an interior.
var packed, repacked, converted, traversed, buffered, shared, skipped, versions int

type stepsFunc func(r *rand.Rand, d *compute.DAG, n int) []schedule.Step

func tryPrograms(t *testing.T, random stepsFunc) {
	failed := 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		if err := tryProgram(seed, random); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			if failed++; failed >= 5 {
				t.Fatal("too many failures")
			}
		}
	}
}

func tryProgram(seed uint64, random stepsFunc) (err error) {
	r := rand.New(rand.NewPCG(seed, 0))
	kind, d := tirtest.RandomDAG(r)
	args := tirtest.Args(r, d)
	want := clone(args)
	if err := interp.RunDAG(d, want); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	steps := random(r, d, 1+r.IntN(*maxSteps))
	s := schedule.New(d)
	for n := 0; ; n++ {
		for _, layout := range []target.Layout{target.Keep, target.Rewrite} {
			cfg := config
			cfg.Layout = layout
			if err := compare(s, cfg, args, want, seed); err != nil {
				return fmt.Errorf("%s after %d steps, layout %s: %w\nsteps: %s", kind, n, layout, err, schedule.FormatSteps(steps[:n]))
			}
		}
		if n == len(steps) {
			return nil
		}
		if s, err = s.Apply(steps[n]); err != nil {
			return err
		}
	}
}

// gpuConfig lowers for a GPU that copies asynchronously.
var gpuConfig = lower.Config{Target: target.Target{Kind: target.CUDA, Arch: "sm_80"}, Check: lower.CheckEach}

var (
	config    = cpuConfig
	cpuConfig = lower.Config{Target: target.Generic(32, 2), Check: lower.CheckEach}
)

// compare lowers s, runs it and compares the outputs.
func compare(s *schedule.State, cfg lower.Config, args, want []*interp.Tensor, seed uint64) (err error) {
	var trace []string
	cfg.Trace = func(pass string, f *tir.Func) {
		text := f.String()
		if pass == "traverse" && !strings.HasSuffix(trace[len(trace)-1], ":\n"+text) {
			traversed++
		}
		if pass == "repack" && !strings.HasSuffix(trace[len(trace)-1], ":\n"+text) {
			repacked++
		}
		if pass == "convert" && !strings.HasSuffix(trace[len(trace)-1], ":\n"+text) {
			converted++
		}
		if pass == "padding" && !strings.HasSuffix(trace[len(trace)-1], ":\n"+text) {
			skipped++
		}
		if pass == "interior" && !strings.HasSuffix(trace[len(trace)-1], ":\n"+text) {
			versions++
		}
		if pass == "refill" && strings.Contains(text, "pragma slots") {
			buffered++
		}
		trace = append(trace, pass+":\n"+text)
	}
	f, err := lower.Lower(s, cfg)
	defer func() {
		if err != nil && len(trace) > 0 {
			err = fmt.Errorf("%w\n%s\n%s", err, trace[0], trace[len(trace)-1])
		}
	}()
	if err != nil {
		return err
	}
	if f.Packs != nil {
		packed++
	}
	if shares, _ := lower.Shares(f, nil, true, cfg.Target); cfg.Target.Kind == target.LLVM && shares != f {
		shared++
		f = shares
	}
	opt := interp.Options{Shuffle: true, Seed: seed, Races: true}
	got, err := interp.Pack(f, clone(args), opt)
	if err != nil {
		return err
	}
	if err := interp.Run(f, got, opt); err != nil {
		return err
	}
	return compareOutputs(s.DAG, got, want, f.Growth)
}

func clone(args []*interp.Tensor) []*interp.Tensor {
	out := make([]*interp.Tensor, len(args))
	for i, a := range args {
		out[i] = a.Clone()
	}
	return out
}

func compareOutputs(d *compute.DAG, got, want []*interp.Tensor, growth float64) error {
	for i := len(d.Inputs()); i < len(got); i++ {
		if err := tirtest.CompareGrown(growth, got[i], want[i], got...); err != nil {
			return fmt.Errorf("output %s: %w", d.Tensors[i].Name, err)
		}
	}
	return nil
}
