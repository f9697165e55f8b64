package run_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// gpuCommand starts a worker whose candidates run on a GPU from the test binary: on
// the one of the driver at FAKE_CUDA.
func gpuCommand() []string { return []string{os.Args[0], "worker", "gpu"} }

// gpuRunner returns a runner for a fake GPU, with the task of the scaled sum.
func (b *bench) gpuRunner(cfg run.Config) *run.Runner {
	b.Helper()
	if os.Getenv("FAKE_CUDA") == "" {
		b.Setenv("FAKE_CUDA", drivertest.Driver(b))
	}
	r, err := b.tryGPU(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// Setenv is that of the test.
func (b *bench) Setenv(key, value string) { b.TB.(*testing.T).Setenv(key, value) }

func (b *bench) tryGPU(cfg run.Config) (*run.Runner, error) {
	b.Helper()
	cfg.Command, cfg.Reference = gpuCommand(), command()
	r, err := run.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	task := run.Reference{DAG: scaledSum(), Program: b.object("reference.ll"), Runtime: b.runtime, Seed: 1}
	return r, r.SetTask(context.Background(), task)
}

// gpuProgram reads a program of testdata. Its head says what is launched ("// kernels:",
// each with the numbers of its arguments), on what grid and block, with which
// workspaces.
func (b *bench) gpuProgram(file string) measure.BuildResult {
	b.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		b.Fatal(err)
	}
	p := measure.BuildResult{Status: measure.OK, Object: text}
	kernels, grid, block := "C_kernel 0 1 2", int64(8), int64(128)
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch key {
		case "// kernels":
			kernels = value
		case "// grid":
			grid = n
		case "// block":
			block = n
		case "// workspace":
			p.Workspaces = append(p.Workspaces, n)
		}
	}
	for text := range strings.SplitSeq(kernels, ", ") {
		words := strings.Fields(text)
		l := measure.Launch{Kernel: words[0], Grid: [3]int64{grid, 1, 1}, Block: [3]int64{block, 1, 1}}
		for _, w := range words[1:] {
			n, err := strconv.Atoi(w)
			if err != nil {
				b.Fatal(err)
			}
			l.Args = append(l.Args, n)
		}
		p.Launches = append(p.Launches, l)
	}
	return p
}

// unhurried is a configuration in which programs that take long are timed as others
// are: here all do.
var unhurried = run.Config{Rounds: 2, Calls: 3, RoundTime: time.Minute, Spacing: time.Millisecond, GiveUp: 1e6}

// TestGPU: programs of one and of two kernels are checked and timed.
func TestGPU(t *testing.T) {
	b := newBench(t)
	r := b.gpuRunner(unhurried)
	good, two := b.gpuProgram("gpu/good.cu"), b.gpuProgram("gpu/twokernels.cu")
	samples := 0
	for i, res := range b.run(context.Background(), r, good, two) {
		samples = max(samples, len(res.Costs))
		// Of the slower one, a sample in each round may be enough.
		if res.Status != measure.OK || len(res.Costs) == 0 || res.Cost() <= 0 {
			t.Errorf("program %d: %s: %s, %d samples", i, res.Status, res.Message, len(res.Costs))
		}
	}
	if samples < 3 {
		t.Errorf("%d samples of the fastest program", samples)
	}
	again, err := r.Remeasure(context.Background(), nil, []measure.BuildResult{two, good})
	if err != nil {
		t.Fatal(err)
	}
	for i, res := range again {
		// Ten rounds of up to six samples: a round ends early where its calls took long, as on a busy machine.
		if res.Status != measure.OK || len(res.Costs) < 10 || len(res.Costs) > 60 {
			t.Errorf("measured again: program %d: %s: %s, %d samples", i, res.Status, res.Message, len(res.Costs))
		}
	}
}

// TestGPUCaches: what is timed is a graph of launches between two events. Before a sample
// that is cold, twice the second-level cache is written; before a warm one a call is made.
func TestGPUCaches(t *testing.T) {
	b := newBench(t)
	for cold, want := range map[bool]string{
		true:  "set 2097152\nrecord 0\ngraph 2\nlaunch 8\nlaunch 8\nrecord 0\nset 2097152\n",
		false: "launch 8\nlaunch 8\nrecord 0\ngraph 2\nlaunch 8\nlaunch 8\nrecord 0\n",
	} {
		path := filepath.Join(t.TempDir(), "trace")
		t.Setenv("FAKE_GPU", "trace="+path)
		cfg := unhurried
		cfg.Cold, cfg.MinSample = cold, time.Nanosecond
		wantStatus(t, b.run(context.Background(), b.gpuRunner(cfg), b.gpuProgram("gpu/twokernels.cu"))[0], measure.OK)
		trace, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(trace), want) || !cold && strings.Contains(string(trace), "set 2097152") {
			t.Errorf("cold %v: %v\n%s", cold, err, trace)
		}
	}
}

// TestGPUGraphs: a graph is made and run before the first event, and calls that do not fit one are launches of several.
func TestGPUGraphs(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "trace")
	t.Setenv("FAKE_GPU", "trace="+path)
	cfg := unhurried
	cfg.Rounds, cfg.Calls, cfg.MinSample = 1, 1, 500*time.Millisecond // of calls that take some 20 us
	wantStatus(t, b.run(context.Background(), b.gpuRunner(cfg), b.gpuProgram("gpu/onethread.cu"))[0], measure.OK)
	trace, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	timing, nodes, inside, most := false, 0, 0, 0
	for line := range strings.Lines(string(trace)) {
		what, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(number)
		switch {
		case what == "record":
			timing, inside = !timing, 0
		case what == "node" && timing:
			t.Fatal("a graph is made between the events")
		case what == "graph" && timing:
			inside++
			most, nodes = max(most, inside), max(nodes, n)
		}
	}
	if nodes != 1024 || most < 2 {
		t.Errorf("%d records; at most %d graphs between two events, of at most %d launches: want several, of 1024",
			strings.Count(string(trace), "record"), most, nodes)
	}
}

// TestGPUFirstLaunch: that a kernel's code is loaded when it is launched first does not
// make a candidate slow.
func TestGPUFirstLaunch(t *testing.T) {
	b := newBench(t)
	t.Setenv("FAKE_GPU", "first=400")
	cfg := unhurried
	cfg.GiveUp = 100 // noise on a busy machine is less, and the first launch of a kernel of microseconds is more
	r := b.gpuRunner(cfg)
	for range 2 { // of the second it is known how long a fast one takes
		res := b.run(context.Background(), r, b.gpuProgram("gpu/good.cu"))[0]
		if wantStatus(t, res, measure.OK); strings.HasPrefix(res.Message, "called") {
			t.Errorf("not timed: %s", res.Message)
		}
	}
}

// TestGPUSpareMemory: a small workspace in the memory of a large one has bands like any
// other, not what is left of that.
func TestGPUSpareMemory(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "trace")
	t.Setenv("FAKE_GPU", "trace="+path)
	large, small := b.gpuProgram("gpu/twokernels.cu"), b.gpuProgram("gpu/twokernels.cu")
	large.Workspaces = []int64{8 << 20}
	for _, res := range b.run(context.Background(), b.gpuRunner(unhurried), large, small) {
		wantStatus(t, res, measure.OK)
	}
	trace, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(trace), "set 8388608\n") || !strings.Contains(string(trace), "set 4000\n") {
		t.Fatalf("%v\n%s", err, trace)
	}
	for line := range strings.Lines(string(trace)) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "set ")
		if n, _ := strconv.Atoi(text); ok && n > 64<<10+16 && n != 8<<20 {
			t.Fatalf("a band of %d bytes", n)
		}
	}
}

// TestGPUFaults runs every program of testdata/gpufaults, between good ones, in one
// batch, as TestFaults does.
func TestGPUFaults(t *testing.T) {
	b := newBench(t)
	files, err := filepath.Glob("testdata/gpufaults/*.cu")
	if err != nil || len(files) < 20 {
		t.Fatal("few programs", err)
	}
	good := b.gpuProgram("gpu/good.cu")
	var batch []measure.BuildResult
	for _, f := range files {
		batch = append(batch, good, b.gpuProgram(strings.TrimPrefix(f, "testdata/")))
	}
	batch = append(batch, good)
	r := b.gpuRunner(run.Config{Rounds: 1, Calls: 2, Spacing: time.Millisecond, Timeout: 2 * time.Second, MinTimeout: 2 * time.Second, GiveUp: 1e6})
	for i, res := range b.run(context.Background(), r, batch...) {
		if i%2 == 0 {
			if res.Status != measure.OK || len(res.Costs) == 0 {
				t.Errorf("good program %d: %s: %s", i, res.Status, res.Message)
			}
			continue
		}
		t.Run(filepath.Base(files[i/2]), func(t *testing.T) {
			status, says := wanted(t, files[i/2])
			t.Logf("%s: %s", res.Status, res.Message)
			wantStatus(t, res, status, says...)
			if len(res.Costs) != 0 {
				t.Errorf("a bad program has costs: %v", res.Costs)
			}
		})
	}
}

// TestGPUKilled: somebody kills the worker in the middle of a call. Nobody is blamed.
func TestGPUKilled(t *testing.T) {
	b := newBench(t)
	r := b.gpuRunner(quick)
	good, slow := b.gpuProgram("gpu/good.cu"), b.gpuProgram("gpu/slow.cu")
	pid, calling := r.WorkerPID(), r.Calling()
	go func() {
		for !calling() {
			time.Sleep(time.Millisecond)
		}
		syscall.Kill(pid, syscall.SIGKILL)
	}()
	for i, res := range b.run(context.Background(), r, slow, good) {
		if res.Status != measure.OK || len(res.Costs) == 0 {
			t.Errorf("program %d: %s: %s", i, res.Status, res.Message)
		}
	}
	if r.WorkerPID() == pid {
		t.Error("the worker was not killed: the test proves nothing")
	}
}

// TestGPULost: a GPU that is gone for good is an error that says so.
func TestGPULost(t *testing.T) {
	b := newBench(t)
	r := b.gpuRunner(quick)
	good, lost := b.gpuProgram("gpu/good.cu"), b.gpuProgram("gpu/good.cu")
	lost.Object = append([]byte("// fake: run 999 lost\n"), lost.Object...)
	_, err := r.Run(context.Background(), make([]measure.Input, 2), []measure.BuildResult{good, lost})
	if err == nil || !strings.Contains(err.Error(), "run: the GPU: driver: cuInit: CUDA_ERROR_UNKNOWN (unknown error)") {
		t.Errorf("got %v", err)
	}
}

// TestGPURefuses: what is wrong before any candidate runs is an error that says what.
func TestGPURefuses(t *testing.T) {
	b := newBench(t)
	fake := drivertest.Driver(t)
	for _, c := range []struct{ lib, gpu, want string }{
		{filepath.Join(t.TempDir(), "libcuda.so.1"), "", "run: the GPU: no GPU is present: the driver's library is not installed"},
		{drivertest.NVRTC(t), "", "is no driver of CUDA 11.4 or later"},
		{fake, "count=0", "no GPU is present: the driver finds none"},
		{fake, "memory=800000", "the tensors of this workload take 0 MiB of the GPU's memory, of which 0 of 0 MiB are free"},
		{fake, "fail=cuDevicePrimaryCtxRetain:46", "cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE"},
		{fake, "fail=cuMemAlloc:2", "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"},
		{fake, "fail=cuEventCreate:719", "cuEventCreate: CUDA_ERROR_LAUNCH_FAILED"},
		{fake, "fail=cuMemcpyHtoD:54321", "cuMemcpyHtoD: code 54321"},
	} {
		t.Setenv("FAKE_CUDA", c.lib)
		t.Setenv("FAKE_GPU", c.gpu)
		if _, err := b.tryGPU(quick); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.gpu, err, c.want)
		}
	}
	t.Setenv("FAKE_CUDA", fake)
	t.Setenv("FAKE_GPU", "")
	alone, err := run.New(run.Config{Command: gpuCommand()})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	err = alone.SetTask(context.Background(), run.Reference{DAG: scaledSum(), Program: b.object("reference.ll"), Runtime: b.runtime, Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "it is the gpu worker") {
		t.Errorf("no command for the reference: got %v", err)
	}
	cfg := quick
	cfg.Device = 3
	if _, err := b.tryGPU(cfg); err == nil || !strings.Contains(err.Error(), "there is no GPU 3: the driver finds 1") {
		t.Errorf("GPU 3: got %v", err)
	}
}
