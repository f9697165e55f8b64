package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/replay"
)

const replaySpec = "matmul:m=64,n=48,k=40"

// gpuSteps fetch both operands into shared memory.
const gpuSteps = `[["CHR", 1, "shared", [2]], ["CHR", 0, "shared", [3]], ["SP", 4, 0, 64, [2, 8], 1], ["SP", 4, 3, 48, [2, 8], 1],
	["SP", 4, 6, 40, [8], 1], ["RE", 4, [0, 3, 1, 4, 2, 5, 6, 7]], ["CA", 3, 4, 6], ["CA", 1, 4, 6], ["FU", 4, [0, 1]], ["AN", 4, 0, 5],
	["FU", 4, [1, 2]], ["AN", 4, 1, 4], ["FU", 4, [2, 3]], ["AN", 4, 2, 6],
	["FU", 3, [0, 1]], ["SP", 3, 0, 128, [64], 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]], ["SP", 1, 0, 128, [64], 1], ["AN", 1, 1, 6]]`

// replayRecords are good programs of a CPU and of a GPU, and one that took too
// long to build.
func replayRecords(t *testing.T) []dataset.Record {
	t.Helper()
	w, err := workload.Find(replaySpec)
	if err != nil {
		t.Fatal(err)
	}
	base := dataset.Record{
		WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Status: measure.OK, Costs: []float64{1e-6}, Unix: 1_700_000_000,
		Steps: []schedule.Step{
			schedule.Split{At: 2, Iter: 0, Extent: 64, Lengths: []int64{16}, InnerToOuter: true},
			schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel},
		},
	}
	gpu, slow := base, base
	gpu.Target = target.Target{Kind: target.CUDA, Arch: "sm_75", Hardware: target.Hardware{Cores: -1}}
	if gpu.Steps, err = schedule.ParseSteps([]byte(gpuSteps)); err != nil {
		t.Fatal(err)
	}
	slow.Steps, slow.Status, slow.Message, slow.Costs = base.Steps[:1], measure.BuildTimeout, "15 s", nil
	return []dataset.Record{base, slow, gpu}
}

func replayJSON(t *testing.T, wantCode int, args ...string) replay.Result {
	t.Helper()
	code, stdout, stderr := wmtune(t, append([]string{"replay", "--json"}, args...)...)
	if code != wantCode {
		t.Fatalf("%v: exit code %d, want %d\n%s%s", args, code, wantCode, stdout, stderr)
	}
	var r replay.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v: not one JSON object: %v\n%s", args, err, stdout)
	}
	return r
}

func TestReplay(t *testing.T) {
	records := replayRecords(t)
	log := testLog(t, records)
	r := replayJSON(t, exitOK, "--check", "none", log)
	if r.Records != 3 || r.Tasks != 2 || r.Lowered != 3 || r.Status["ok"] != 3 || r.Logged["build timeout"] != 1 || len(r.Failed) != 0 {
		t.Errorf("lowered: %+v", r)
	}
	r = replayJSON(t, exitOK, "--check", "none", "--prefixes", log)
	if want := 3 + 2 + 1 + len(records[2].Steps); r.Lowered != want {
		t.Errorf("%d programs lowered, want %d with all on the way", r.Lowered, want)
	}
	r = replayJSON(t, exitOK, "--check", "none", "--timed", log)
	if r.Records != 2 || r.Of != 2 || r.Logged["build timeout"] != 0 {
		t.Errorf("timed ones only: %+v", r)
	}
	r = replayJSON(t, exitOK, "--check", "none", "--timed", "--sample", "1", log)
	if r.Records != 1 || r.Logged["build timeout"] != 0 {
		t.Errorf("a sample of timed ones: %+v", r)
	}
	r = replayJSON(t, exitOK, "--check", "interp", log)
	if r.Records != 3 || r.Status["ok"] != 3 {
		t.Errorf("interpreted: %+v", r)
	}
	r = replayJSON(t, exitOK, log)
	if r.Records != 3 || r.Status["ok"] != 3 {
		t.Errorf("compiled, a GPU's program on this machine: %+v", r)
	}
	code, stdout, stderr := wmtune(t, "replay", "--measure", log)
	if code != exitFailed || !strings.Contains(stderr, "this machine can check programs for cuda, but not time them") || stdout != "" {
		t.Errorf("a GPU's program timed: exit code %d\n%s%s", code, stdout, stderr)
	}
	npu := records[2]
	npu.Target.Kind = "npu"
	code, stdout, stderr = wmtune(t, "replay", testLog(t, []dataset.Record{npu}))
	if code != exitFailed || !strings.Contains(stderr, "this machine cannot run programs for npu: use --check interp") || stdout != "" {
		t.Errorf("a program of another machine: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = wmtune(t, "replay", testLog(t, records[:2]))
	want := "status         in the log  now\nok             1           2\nbuild timeout  1           0\n"
	if code != exitOK || !strings.Contains(stdout, want) {
		t.Errorf("compiled: exit code %d\n%s%swant in it\n%s", code, stdout, stderr, want)
	}
}

// TestReplayFailures: what has no program or a wrong one is listed, in the order
// of the log, and so is what was good; not what was no better in the log.
func TestReplayFailures(t *testing.T) {
	records := replayRecords(t)
	noLonger := records[0]
	noLonger.Steps = []schedule.Step{schedule.Fuse{At: 2, Iters: []int{7, 8}}}
	never := noLonger
	never.Status, never.Costs = measure.BuildTimeout, nil
	asBefore := never
	asBefore.Status = measure.LowerError
	log := testLog(t, []dataset.Record{noLonger, records[0], never, asBefore})
	r := replayJSON(t, exitFailed, "--check", "interp", "--prefixes", log)
	if len(r.Failed) != 2 || r.Status["lower error"] != 3 || r.FailedCount != 2 || r.Failed[0].Record != 0 || r.Failed[1].Record != 2 {
		t.Fatalf("%+v", r)
	}
	f := r.Failed[0]
	if f.Log != log || f.Workload != records[0].Title() || f.Logged != "ok" ||
		f.Status != "lower error" || !strings.Contains(f.Message, "step 0") {
		t.Errorf("%+v", f)
	}
	code, stdout, stderr := wmtune(t, "replay", "--check", "none", log)
	if code != exitFailed || !strings.Contains(stdout, "record 0 (matmul:") || !strings.Contains(stderr, "2 of 4 records no longer reproduce") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestReplayInterrupted: what was replayed until the user stopped it is reported.
func TestReplayInterrupted(t *testing.T) {
	gpu := replayRecords(t)[2]
	log := testLog(t, slices.Repeat([]dataset.Record{gpu}, 2000))
	var stdout bytes.Buffer
	c := &replayCommand{Options: replay.Options{Logs: []string{log}, Check: replay.Interp}, asJSON: true}
	c.Machine.Workers = 1
	c.Find = func(text string) (workload.Workload, error) {
		time.AfterFunc(time.Second, func() { syscall.Kill(os.Getpid(), syscall.SIGINT) })
		return workload.Find(text)
	}
	err := c.run(t.Context(), &stdout, io.Discard)
	if !errors.Is(err, errInterrupted) || !strings.Contains(err.Error(), "of 2000 records") {
		t.Errorf("error %v, want that it was interrupted", err)
	}
	var got replay.Result
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || got.Records >= 2000 || got.Of != 2000 || got.Records != got.Status["ok"] {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReplayUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--check all a.arrow", `--check "all": known are llvm, interp, none`},
		{"--check interp --measure a.arrow", "--measure needs --check llvm"},
		{"--sample -1 a.arrow", "--sample -1"},
		{"--jobs -1 a.arrow", "--jobs -1"},
		{"", "name at least one tuning log"},
	} {
		code, _, stderr := wmtune(t, append([]string{"replay"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("replay %s: exit code %d, %s, want %q", c.args, code, stderr, c.want)
		}
	}
	log := testLog(t, replayRecords(t)[:1])
	if code, _, stderr := wmtune(t, "replay", log, log); code != exitUsage || !strings.Contains(stderr, "named twice") {
		t.Errorf("a log twice: exit code %d, %s", code, stderr)
	}
}
