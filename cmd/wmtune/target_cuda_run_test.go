package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// fakeGPU puts a GPU of sm_86 and a compiler for it in place, which run kernels on the
// processor.
func fakeGPU(t *testing.T) {
	t.Helper()
	t.Setenv(cudaVariable, drivertest.Driver(t))
	t.Setenv(nvrtcVariable, drivertest.NVRTC(t))
}

// TestSearchGPUTimed goes the whole way of a search for the GPU that is here: candidates
// are compiled, run, checked and timed, and the fastest is handed over.
func TestSearchGPUTimed(t *testing.T) {
	fakeGPU(t)
	t.Setenv("FAKE_CLOCK", "1410 4")
	dir := filepath.Join(t.TempDir(), "out")
	r, said := searched(t, "search", "--workload", "matmul:m=16,n=16,k=16", "--target", "cuda", "--scorer", "random", "--out", dir, "--trials", "5", "--jobs", "1")
	if r.Trials != 5 || r.Status["ok"] == 0 || r.Status["unmeasured"] > 0 || r.Unmeasured || r.BestUS == nil || r.Target != "cuda -arch=sm_86" || r.Tied == 0 {
		t.Errorf("result %+v\n%s", r, said)
	}
	if strings.Contains(said, "not timed") || r.Conditions != "the GPU's clock while timing: 1410 MHz, held by the power limit" {
		t.Errorf("said %q\n%s", r.Conditions, said)
	}
	records, _, err := dataset.ReadLog(r.Log)
	if err != nil || len(records) != 5 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, rec := range records {
		if rec.Timed() && !strings.Contains(rec.Message, "32 registers") {
			t.Errorf("record %d: %s: %s", rec.Trial, rec.Status, rec.Message)
		}
	}
	source, err := os.ReadFile(filepath.Join(dir, "kernel.cu"))
	if err != nil || !strings.Contains(string(source), "__global__") {
		t.Errorf("%v\n%s", err, source)
	}
}

// TestSearchOtherGPU: one that is here does not time candidates for another.
func TestSearchOtherGPU(t *testing.T) {
	fakeGPU(t)
	r, said := searched(t, "search", "--workload", smallSpec, "--target", "cuda -arch=sm_80", "--scorer", "random", "--out", t.TempDir(), "--trials", "1", "--jobs", "1")
	if r.Status["unmeasured"]+r.Status["build error"]+r.Status["load error"] != 1 || !strings.Contains(said, "not timed (the GPU here is of sm_86)") {
		t.Errorf("result %+v\n%s", r, said)
	}
}

// TestReplayMeasure times what a search without a GPU left unmeasured.
func TestReplayMeasure(t *testing.T) {
	fakeGPU(t)
	dir := t.TempDir()
	driver := os.Getenv(cudaVariable)
	t.Setenv(cudaVariable, filepath.Join(dir, "libcuda.so.1"))
	r, _ := searched(t, "search", "--workload", "matmul:m=16,n=16,k=16", "--target", "cuda -arch=sm_86", "--scorer", "random", "--out", filepath.Join(dir, "out"), "--trials", "4", "--jobs", "1")
	if r.Status["unmeasured"] == 0 {
		t.Fatalf("result %+v", r)
	}
	timed := filepath.Join(dir, "timed.arrow")
	code, stdout, stderr := wmtune(t, "replay", "--measure", "--out", timed, r.Log)
	want := "this machine can check programs for cuda, but not time them: no GPU is present: the driver's library is not installed"
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "--target") {
		t.Errorf("without a GPU: exit code %d\n%s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(timed); err == nil {
		t.Error("there is a log")
	}

	t.Setenv(cudaVariable, driver)
	report := replayJSON(t, exitOK, "--measure", "--out", timed, r.Log)
	if report.Conditions != "the GPU's clock while timing: 1500 MHz" {
		t.Errorf("conditions %q", report.Conditions)
	}
	if report.Records != 4 || report.Status["ok"] < r.Status["unmeasured"] || report.Logged["unmeasured"] != r.Status["unmeasured"] {
		t.Errorf("replayed %+v, searched %+v", report, r)
	}
	before, _, err := dataset.ReadLog(r.Log)
	if err != nil {
		t.Fatal(err)
	}
	after, _, err := dataset.ReadLog(timed)
	if err != nil || len(after) != 4 {
		t.Fatalf("%d records, %v", len(after), err)
	}
	steps := map[string]dataset.Record{}
	for _, rec := range after {
		steps[rec.Trajectory] = rec
	}
	for _, b := range before {
		a := steps[b.Trajectory]
		if a.Trial != b.Trial || a.Score != b.Score || a.Scorer != b.Scorer || a.Target.String() != b.Target.String() ||
			b.Status == measure.Unmeasured && (!a.Timed() || a.BuildSeconds <= 0 || a.RunSeconds <= 0 || a.Unix == 0) {
			t.Errorf("before %+v, after %+v", b, a)
		}
	}
	report = replayJSON(t, exitOK, "--measure", "--out", timed, r.Log)
	if again, _, err := dataset.ReadLog(timed); err != nil || len(again) != 4 || report.Records != 0 {
		t.Errorf("a log that holds all: %d records after, %v, %+v", len(again), err, report)
	}
	if code, _, stderr := wmtune(t, "replay", "--out", timed, r.Log); code != exitUsage || !strings.Contains(stderr, "--out needs --measure") {
		t.Errorf("--out alone: exit code %d: %s", code, stderr)
	}
	// It is a log like others: a search goes on from it.
	more, said := searched(t, "search", "--workload", "matmul:m=16,n=16,k=16", "--target", "cuda", "--scorer", "random", "--log", timed, "--out", filepath.Join(dir, "more"), "--trials", "5", "--jobs", "1")
	if more.NewTrials != 1 || more.BestUS == nil || !strings.Contains(said, "which holds 4 trials") {
		t.Errorf("result %+v\n%s", more, said)
	}
}
