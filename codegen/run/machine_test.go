package run_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
)

// TestMeasureMachine only asks that the figures are figures: what they are
// depends on the machine.
func TestMeasureMachine(t *testing.T) {
	b := newBench(t)
	compile := func(ctx context.Context, ir string) ([]byte, error) { return b.compile(ir), nil }
	f, err := run.MeasureMachine(context.Background(), run.Config{Command: command()}, b.runtime, 32, compile)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d threads; %.1f GFLOP/s on one, %.1f on all; copy %.1f GB/s, triad %.1f GB/s; noise: median +%.0f%%, p95 +%.0f%% of %d samples",
		f.Threads, f.CoreFLOPS/1e9, f.AllFLOPS/1e9, f.Copy/1e9, f.Triad/1e9, 100*f.Noise.Median, 100*f.Noise.P95, f.Noise.Samples)
	for name, v := range map[string]float64{"one core": f.CoreFLOPS, "all cores": f.AllFLOPS, "copy": f.Copy,
		"triad": f.Triad, "exchange": f.Exchange} {
		if !(v > 1e6) || math.IsInf(v, 0) {
			t.Errorf("%s: %g", name, v)
		}
	}
	if f.Noise.Median < 0 || f.Noise.P95 < f.Noise.Median || f.Noise.Samples < 100 {
		t.Errorf("noise: %+v", f.Noise)
	}
}

// TestExchangeOfOne: one thread exchanges nothing.
func TestExchangeOfOne(t *testing.T) {
	b := newBench(t)
	cores, err := run.UsableCores()
	if err != nil {
		t.Fatal(err)
	}
	compile := func(ctx context.Context, ir string) ([]byte, error) { return b.compile(ir), nil }
	f, err := run.MeasureMachine(context.Background(), run.Config{Command: command(), Cores: cores[:1]}, b.runtime, 32,
		compile)
	if err != nil || f.Exchange != 0 || f.Threads != 1 {
		t.Errorf("%+v, error %v", f, err)
	}
}

// TestMeasureMachineFails: an error of the compiler comes back.
func TestMeasureMachineFails(t *testing.T) {
	compile := func(context.Context, string) ([]byte, error) { return nil, context.DeadlineExceeded }
	_, err := run.MeasureMachine(context.Background(), run.Config{Command: command()}, nil, 32, compile)
	if err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("got %v", err)
	}
}
