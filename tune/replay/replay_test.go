package replay

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

// testLog writes a log of a good record and of one whose last step no longer applies.
func testLog(t *testing.T) string {
	t.Helper()
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	good := dataset.Record{
		WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Status: measure.OK, Costs: []float64{1e-6},
		Steps: []schedule.Step{schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel}},
	}
	bad := good
	bad.Steps = append(slices.Clone(good.Steps), schedule.Fuse{At: 2, Iters: []int{7, 8}})
	path := filepath.Join(t.TempDir(), "tuning.arrow")
	log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err == nil {
		err = errors.Join(log.Append([]dataset.Record{good, bad}), log.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRun: the result counts what is replayed, and the observer hears of each record.
func TestRun(t *testing.T) {
	var heard []int
	o := Options{Logs: []string{testLog(t)}, Check: None, Prefixes: true}
	o.Observer.Progress = func(done, total int) { heard = append(heard, done, total) }
	r, err := Run(t.Context(), o)
	if err != nil || r.Records != 2 || r.Due != 2 || r.Lowered != 4 || !slices.Equal(heard, []int{1, 2, 2, 2}) {
		t.Fatalf("%+v, %v, progress %v", r, err, heard)
	}
	if len(r.Failed) != 1 || r.Failed[0].Record != 1 || r.Err() == nil {
		t.Errorf("failures %+v, %v", r.Failed, r.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Run(ctx, o); !errors.Is(err, context.Canceled) || r.Records != 0 {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
}

// TestOptions: options that do not fit are an OptionError.
func TestOptions(t *testing.T) {
	log := testLog(t)
	for _, o := range []Options{
		{Check: None},
		{Logs: []string{log}},
		{Logs: []string{log}, Check: None, Sample: -1},
		{Logs: []string{log}, Check: None, Measure: true},
		{Logs: []string{log}, Check: LLVM, Out: "new.arrow"},
		{Logs: []string{log}, Check: LLVM, Measure: true, Out: log},
		{Logs: []string{log, log}, Check: None},
		{Logs: []string{log}, Check: None, Compile: []string{"sm_61"}},
	} {
		var bad *tune.OptionError
		if _, err := Run(t.Context(), o); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
