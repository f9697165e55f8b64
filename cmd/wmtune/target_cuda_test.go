package main

import (
	"errors"
	"github.com/wmtune/wmtune/dataset/workload"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// gpuSearch are arguments of a short search for a GPU into dir.
func gpuSearch(dir string, more ...string) []string {
	return append([]string{"search", "--workload", smallSpec, "--target", "cuda -arch=sm_86", "--scorer", "random", "--out", dir}, more...)
}

// TestSearchGPU searches for a GPU that is not there, with a compiler for it.
func TestSearchGPU(t *testing.T) {
	nvrtctest.Need(t)
	dir := filepath.Join(t.TempDir(), "out")
	r, said := searched(t, gpuSearch(dir, "--trials", "4", "--jobs", "1")...)
	if r.Status["unmeasured"] == 0 || r.Trials != 4 || r.BestUS != nil || !r.Unmeasured || r.Rivals != r.Status["unmeasured"] ||
		!strings.HasPrefix(r.Confidence, "none: ") || !strings.Contains(r.Takes, " registers, ") || r.Target != "cuda -arch=sm_86" || r.Layout != "keep" {
		t.Errorf("result %+v", r)
	}
	if !strings.Contains(said, "are compiled, and checked on the processor, but not timed") || !strings.Contains(said, " correct, not timed") {
		t.Errorf("said\n%s", said)
	}
	source, err := os.ReadFile(filepath.Join(dir, "kernel.cu"))
	if err != nil || !strings.Contains(string(source), "__global__") || !strings.Contains(string(source), "// "+r.Takes) {
		t.Errorf("%v\n%s", err, source)
	}
	if cubin, err := os.ReadFile(filepath.Join(dir, "kernel.cubin")); err != nil || !strings.HasPrefix(string(cubin), "\x7fELF") {
		t.Errorf("kernel.cubin: %v", err)
	}
	if want := "kernel.cu kernel_launch.c kernel_launch.h kernel.cubin"; strings.Join(r.Files, " ") != want {
		t.Errorf("files %v, want %s", r.Files, want)
	}
	records, _, err := dataset.ReadLog(r.Log)
	if err != nil || len(records) != 4 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, rec := range records {
		if rec.Timed() || rec.Status == measure.Unmeasured && !strings.Contains(rec.Message, "occupancy") {
			t.Errorf("record %+v", rec)
		}
	}

	if want := bestByRandom(t, records); r.Steps != want {
		t.Errorf("chosen %s, want that of the highest score, %s", r.Steps, want)
	}

	// Any number of workers gives the same candidates, and the same choice.
	other, _ := searched(t, gpuSearch(filepath.Join(t.TempDir(), "out"), "--trials", "4", "--jobs", "2")...)
	again, _, err := dataset.ReadLog(other.Log)
	if err != nil || other.Steps != r.Steps {
		t.Errorf("two workers choose %s, one %s, %v", other.Steps, r.Steps, err)
	}
	for i := range again {
		if a, b := schedule.FormatSteps(again[i].Steps), schedule.FormatSteps(records[i].Steps); string(a) != string(b) {
			t.Errorf("candidate %d: two workers make\n%s\none\n%s", i, a, b)
		}
	}

	// The log is whole already; then it is continued.
	same, said := searched(t, gpuSearch(dir, "--trials", "4")...)
	if !strings.Contains(said, "holds 4 trials already") || same.Steps != r.Steps || !same.Unmeasured {
		t.Errorf("again: %+v\n%s", same, said)
	}
	more, _ := searched(t, gpuSearch(dir, "--trials", "6")...)
	if more.Trials != 6 || more.NewTrials != 2 || more.Rivals < r.Rivals {
		t.Errorf("continued: %+v", more)
	}
	code, stdout, stderr := wmtune(t, "show", r.Log, "--all", "--as", "cuda")
	if code != 0 || strings.Count(stdout, "__global__") < 6 {
		t.Errorf("show: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = wmtune(t, "replay", r.Log)
	if code != 0 {
		t.Errorf("replay: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// bestByRandom returns the steps of the checked record of smallSpec that --scorer random
// scores highest.
func bestByRandom(t *testing.T, records []dataset.Record) string {
	t.Helper()
	w, err := workload.Find(smallSpec)
	if err != nil {
		t.Fatal(err)
	}
	best, steps := math.Inf(-1), ""
	for _, r := range records {
		s, err := schedule.Replay(w.DAG, r.Steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			t.Fatal(err)
		}
		scores, err := search.Random{}.Score(t.Context(), nil, []*schedule.State{s})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == measure.Unmeasured && scores[0] > best {
			best, steps = scores[0], string(schedule.FormatSteps(r.Steps))
		}
	}
	return steps
}

// TestSearchGPUWithoutCompiler: the source comes out, and says that nothing has compiled
// it.
func TestSearchGPUWithoutCompiler(t *testing.T) {
	t.Setenv(nvrtcVariable, filepath.Join(t.TempDir(), "libnvrtc.so"))
	dir := filepath.Join(t.TempDir(), "out")
	r, said := searched(t, gpuSearch(dir, "--trials", "3")...)
	if !strings.Contains(said, "checked on the processor, and neither compiled nor timed") || !strings.HasPrefix(r.NoShared, "kernel.cubin: ") || r.Takes != "not compiled" {
		t.Errorf("result %+v\n%s", r, said)
	}
	source, err := os.ReadFile(filepath.Join(dir, "kernel.cu"))
	if err != nil || !strings.Contains(string(source), "// not compiled\n") {
		t.Errorf("%v\n%s", err, source)
	}
	if _, err := os.Stat(filepath.Join(dir, "kernel.cubin")); err == nil {
		t.Error("there is a kernel.cubin")
	}
}

func TestSearchGPUUsage(t *testing.T) {
	for text, want := range map[string]string{
		"cuda -arch=sm_61": `no GPU "sm_61" is known; known: sm_70`,
		"cuda sm_86":       "known: -arch=ARCH, -model=MODEL",
		"llvm -arch=sm_86": "takes no options",
		"metal":            "known: llvm, cuda",
	} {
		code, _, stderr := wmtune(t, "search", "--workload", smallSpec, "--target", text, "--out", t.TempDir())
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s", text, code, stderr)
		}
	}
	code, _, stderr := wmtune(t, gpuSearch(t.TempDir(), "--layout", "rewrite")...)
	if code != exitUsage || !strings.Contains(stderr, "for cuda weights keep the layout that they have") {
		t.Errorf("--layout rewrite: exit code %d\n%s", code, stderr)
	}
}

// A kernel that spills with all registers that it can have, or that asks for more than a
// block has, is refused.
func TestFits(t *testing.T) {
	limits, err := nvrtc.LimitsOf("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	g := &gpuCompiler{limits: limits}
	kernel := cuda.Kernel{Name: "k", Grid: cuda.Dim{X: 7, Y: 1, Z: 1}, Block: cuda.Dim{X: 256, Y: 2, Z: 1}}
	for _, c := range []struct {
		usage nvrtc.Usage
		want  string
	}{
		{nvrtc.Usage{Registers: 32, SharedBytes: 1024}, "k: 7 blocks of 512 threads, 32 registers, 1024 bytes shared, 0 local, occupancy 1.00"},
		{nvrtc.Usage{Registers: 80, SpillStores: 8, SpillLoads: 4, StackBytes: 8},
			"k: 7 blocks of 512 threads, 80 registers, 0 bytes shared, 8 local, occupancy 0.33, 8 bytes spilled though 128 registers could be had"},
		{nvrtc.Usage{Registers: 128, SpillStores: 8, SpillLoads: 16}, "build error: kernel k spills: 8 bytes written, 16 read back, with 128 registers"},
		{nvrtc.Usage{Registers: 200}, "load error: kernel k: 512 threads of 200 registers"},
		{nvrtc.Usage{Registers: 32, SharedBytes: 50 << 10}, "load error: kernel k: 51200 bytes of shared memory"},
	} {
		c.usage.Kernel = "k"
		takes, err := g.fits([]cuda.Kernel{kernel}, []nvrtc.Usage{c.usage})
		var refused *refusedError
		if err == nil && takes != c.want || err != nil && (!errors.As(err, &refused) || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q, %v, want %s", takes, err, c.want)
		}
	}
}

// TestCompileRolled: a program that spills because its sum is unrolled is compiled again
// with no more unrolled than registers need, and handed over so; one that does not is not.
func TestCompileRolled(t *testing.T) {
	nvrtctest.Need(t)
	compiler, err := openCompiler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Find("dense:m=1,n=1000,k=2048,epilogue=bias")
	if err != nil {
		t.Fatal(err)
	}
	gpu, err := target.GPU("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	g := &graphics{gpuCompiler: gpuCompiler{gpu: gpu, compiler: compiler}}
	if g.limits, err = nvrtc.LimitsOf(gpu.Arch); err != nil {
		t.Fatal(err)
	}
	const note = "unrolled for registers only: else it spills"
	for unroll, rolled := range map[string]bool{"0": false, "1024": true} {
		steps, err := schedule.ParseSteps([]byte(`[["SP", 4, 1, 1000, [8], 1], ["AN", 4, 2, 6], ["FSP", 2, 2, 0, 1], ["AN", 2, 3, 6], ["CA", 2, 4, 1],
			["FU", 4, [0, 1]], ["AN", 4, 0, 5], ["PR", 2, 0, "auto_unroll_max_step$` + unroll + `"]]`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(w.DAG, steps)
		if err != nil {
			t.Fatal(err)
		}
		f, err := g.lowered(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.compileAs(t.Context(), f, cuda.Emit); (err != nil) != rolled {
			t.Fatalf("unrolled by %s: %v: the test proves nothing", unroll, err)
		}
		code, err := g.compile(t.Context(), f)
		if err != nil || code.rolled != rolled || strings.Contains(code.takes, note) != rolled || len(code.cubin) == 0 {
			t.Errorf("unrolled by %s: %v, rolled %v: %s", unroll, err, code.rolled, code.takes)
		}
		made, err := g.export(t.Context(), f, "note")
		if err != nil || strings.Contains(string(made.files[0].Data), "#pragma unroll 1\n") != rolled {
			t.Errorf("unrolled by %s: %v\n%s", unroll, err, made.files[0].Data)
		}
	}
}

// TestGPUPhases: a batch for a GPU says how far it is, program by program. On a GPU that is here,
// where it takes longest, it says at last that it measures.
func TestGPUPhases(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	fakeGPU(t)
	t.Run("absent", func(t *testing.T) {
		last := []string{"checking 1 of 2", "checking 2 of 2", "running 2 on the processor"}
		testGPUPhases(t, "cuda -arch=sm_75", measure.Unmeasured, last)
	})
	t.Run("here", func(t *testing.T) {
		last := []string{"checking 1 of 2", "checking 2 of 2", "measuring 2", "checking 1 of 2", "checking 2 of 2", "measuring the 2 best again, in turns"}
		testGPUPhases(t, "cuda -arch=sm_86", measure.OK, last)
	})
}

// testGPUPhases measures a batch of two, as finalists, too, if the GPU is here.
func testGPUPhases(t *testing.T, on string, status measure.Status, want []string) {
	g, err := openGraphics(t.Context(), on, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	w, err := workload.Find(hostKernels[0].workload)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(hostKernels[0].steps))
	if err != nil {
		t.Fatal(err)
	}
	state, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.setTask(t.Context(), w.DAG, 1); err != nil {
		t.Fatal(err)
	}
	var said []string
	var mu sync.Mutex
	g.phase = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	}
	batch := []measure.Input{{State: state, Target: g.target()}, {State: state, Target: g.target()}}
	built, err := g.Build(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	results, err := g.runner().Run(t.Context(), batch, built)
	if err != nil || results[1].Status != status {
		t.Fatalf("%+v, %v", results, err)
	}
	if f, ok := g.runner().(search.Remeasurer); ok {
		if _, err := f.Remeasure(t.Context(), batch, built); err != nil {
			t.Fatal(err)
		}
	}
	want = append([]string{"compiling 1 of 2", "compiling 2 of 2"}, want...)
	for i := 1; i < min(len(said), len(want)); i++ {
		if said[i-1] == want[i] && said[i] == want[i-1] { // the second of two may be told of first
			said[i-1], said[i] = said[i], said[i-1]
		}
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}
