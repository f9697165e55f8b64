package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
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
		!strings.HasPrefix(r.Confidence, "none: ") || !strings.Contains(r.ResourceUsage, " registers, ") || r.Target != "cuda -arch=sm_86" || r.Layout != "keep" {
		t.Errorf("result %+v", r)
	}
	if !strings.Contains(said, "are compiled, and checked on the processor, but not timed") || !strings.Contains(said, " correct, not timed") {
		t.Errorf("said\n%s", said)
	}
	source, err := os.ReadFile(filepath.Join(dir, "kernel.cu"))
	if err != nil || !strings.Contains(string(source), "__global__") || !strings.Contains(string(source), "// "+r.ResourceUsage) {
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
	if !strings.Contains(said, "checked on the processor, and neither compiled nor timed") || !strings.HasPrefix(r.NoShared, "kernel.cubin: ") || r.ResourceUsage != "not compiled" {
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
		"llvm -arch=sm_86": `has the option "-arch=sm_86": want this machine's CPU, or another`,
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

// TestCompiledLater: candidates that were checked where there was no compiler are compiled when
// they are handed over where there is one, and the result says so.
func TestCompiledLater(t *testing.T) {
	t.Setenv(nvrtcVariable, filepath.Join(t.TempDir(), "libnvrtc.so"))
	dir := filepath.Join(t.TempDir(), "out")
	searched(t, gpuSearch(dir, "--trials", "3")...)
	t.Setenv(nvrtcVariable, drivertest.NVRTC(t))
	r, _ := searched(t, gpuSearch(dir, "--trials", "3")...)
	source, err := os.ReadFile(filepath.Join(dir, "kernel.cu"))
	if err != nil || r.NoShared != "" || !strings.Contains(r.ResourceUsage, " 32 registers") || !strings.Contains(string(source), fmt.Sprintf("// %s\n", r.ResourceUsage)) {
		t.Errorf("%v, %+v\n%s", err, r, source)
	}
}
