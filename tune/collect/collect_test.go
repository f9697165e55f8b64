package collect

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
)

// TestCollectPhases: the phases make the number of candidates that was asked for.
func TestCollectPhases(t *testing.T) {
	for _, c := range []struct {
		perTask int
		shares  [3]int
		want    [3]int
	}{
		{100, [3]int{50, 25, 25}, [3]int{50, 25, 25}},
		{7, [3]int{50, 25, 25}, [3]int{5, 1, 1}},
		{1, [3]int{50, 25, 25}, [3]int{1, 0, 0}},
		{9, [3]int{0, 50, 50}, [3]int{0, 5, 4}},
		{5, [3]int{0, 100, 0}, [3]int{0, 5, 0}},
	} {
		o := Options{PerTask: c.perTask, Shares: c.shares}
		var got [3]int
		for i, p := range o.phases() {
			got[i] = p.Trials
		}
		if got != c.want {
			t.Errorf("%d by %v: %v, want %v", c.perTask, c.shares, got, c.want)
		}
	}
}

// TestNoise: of an even number of spreads, the median lies between the two middle ones.
func TestNoise(t *testing.T) {
	r := Result{Status: map[string]int{}, Chosen: map[string]int{}}
	for _, slowest := range []float64{1.1, 1.5, 1.3, 1.9} {
		r.add(&dataset.Record{Status: measure.OK, Costs: []float64{1, slowest, slowest}})
	}
	r.end(time.Now())
	if math.Abs(r.Noise.Median-0.4) > 1e-9 || math.Abs(r.Noise.P95-0.9) > 1e-9 || r.Noise.Records != 4 {
		t.Errorf("%+v", r.Noise)
	}
}

// TestMixedTasks: a collection that ends early has operators of all kinds.
func TestMixedTasks(t *testing.T) {
	list, err := Suite("train", "")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, w := range list[:len(list)/4] {
		kind, _, _ := strings.Cut(w.Text, ":")
		kinds[kind] = true
	}
	if len(kinds) < 10 {
		t.Errorf("the first quarter has %d operators", len(kinds))
	}
}

// TestTaskRunner: nothing runs before the task is set, or if it cannot be. A runner that streams still does.
func TestTaskRunner(t *testing.T) {
	for runner, want := range map[machine.Runner]bool{plainRunner{}: false, &run.Runner{}: true} {
		s := &session{machine: stillMachine{runner: runner}}
		r, wait := s.prepare(t.Context(), workload.Workload{})
		if streams := r.Modes().Stream != nil; streams != want {
			t.Errorf("%T: streams: %v, want %v", r, streams, want)
		}
		wait()
	}
	broken := errors.New("no reference")
	for name, begin := range map[string]func(*taskRunner) error{
		"run": func(r *taskRunner) error {
			_, err := r.Run(t.Context(), nil, []measure.BuildResult{{}})
			return err
		},
		"in turns": func(r *taskRunner) error {
			_, err := r.Modes().InTurns(t.Context(), nil, []measure.BuildResult{{}})
			return err
		},
		"stream": func(r *taskRunner) error {
			built := make(chan []measure.BuildResult)
			close(built)
			_, err := r.Modes().Stream(t.Context(), nil, built)
			return err
		},
	} {
		r := &taskRunner{Runner: &run.Runner{}, ready: make(chan struct{}), err: broken}
		done := make(chan error)
		go func() { done <- begin(r) }()
		select {
		case err := <-done:
			t.Fatalf("%s: it ran before the task was set: %v", name, err)
		case <-time.After(20 * time.Millisecond):
		}
		close(r.ready)
		if err := <-done; !errors.Is(err, broken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A stillMachine has a runner.
type stillMachine struct {
	machine.Machine
	runner machine.Runner
}

func (m stillMachine) Runner() machine.Runner { return m.runner }

func (stillMachine) SetTask(context.Context, *compute.DAG, uint64, measure.Timing) error { return nil }

// A plainRunner runs nothing, and does not stream.
type plainRunner struct{}

func (plainRunner) Modes() measure.Modes { return measure.Modes{} }

func (plainRunner) Run(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error) {
	return nil, nil
}
