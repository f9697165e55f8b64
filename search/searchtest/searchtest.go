// Package searchtest helps tests of what searches: a machine that needs none, and tasks with their spaces.
//
// It is for tests only.
package searchtest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Machine is a builder and a runner that find every candidate right. It says how many milliseconds steps take.
type Machine func(steps []schedule.Step) float64

// Build returns an object for each input.
func (Machine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	out := make([]measure.BuildResult, len(inputs))
	for i := range out {
		out[i] = measure.BuildResult{Status: measure.OK, Object: []byte{1}}
	}
	return out, nil
}

// Modes says that there are no others.
func (Machine) Modes() measure.Modes { return measure.Modes{} }

// Run times the steps of each input.
func (m Machine) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	out := make([]measure.Result, len(inputs))
	for i, in := range inputs {
		steps, err := schedule.ParseSteps([]byte(in.Steps))
		if err != nil {
			return nil, err
		}
		out[i] = measure.Result{Status: measure.OK, Costs: []float64{1e-3 * m(steps)}}
	}
	return out, nil
}

// Target returns a target of a kind.
func Target(t testing.TB, kind target.Kind) target.Target {
	t.Helper()
	if kind == target.LLVM {
		return target.Generic(32, 2)
	}
	gpu, err := target.GPU("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	return gpu
}

// Source opens the default space of a workload.
func Source(t testing.TB, spec string, kind target.Kind) (*search.Task, search.Source) {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{Name: spec, Key: spec, DAG: w.DAG, Target: Target(t, kind),
		Space: space.Default(kind, space.Config{})}
	source, err := task.Space.Open(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return task, source
}

// Each calls f with n states of each task of suites, on processors and on GPUs.
func Each(
	t testing.TB, suites []string, n int,
	f func(kind target.Kind, name string, source search.Source, s *schedule.State),
) {
	t.Helper()
	for _, kind := range []target.Kind{target.LLVM, target.CUDA} {
		for _, name := range suites {
			suite, err := op.FindSuite(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range suite.List {
				_, source := Source(t, e.Spec, kind)
				rng := rand.New(rand.NewPCG(1, 2))
				for range n {
					if s, err := source.Sample(rng); err == nil {
						f(kind, name+"/"+e.Name, source, s)
					}
				}
			}
		}
	}
}
