package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestSearchTensorCores searches for a product of float16: candidates that tensor cores compute are
// right, one of them is handed over, and newer GPUs run it. AutoScheduler's space has none, and
// of float32 there are some only if that is allowed.
func TestSearchTensorCores(t *testing.T) {
	compiler := nvrtctest.Need(t)
	for _, c := range []struct {
		space, dtype, instruction string
		flags                     []string
	}{
		{"wmtune", "f16", "m16n8k16.row.col.f32.f16.f16.f32", nil}, {"wmtune", "bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", nil}, {"autoscheduler", "f16", "", nil},
		{"wmtune", "f32", "m16n8k8.row.col.f32.tf32.tf32.f32", []string{"--allow-tf32"}}, {"wmtune", "f32", "", nil},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		r, _ := searched(t, append([]string{"search", "--workload", "matmul:m=64,n=64,k=64,epilogue=bias+relu,dtype=" + c.dtype, "--target", "cuda -arch=sm_80",
			"--space", c.space, "--scorer", "random", "--trials", "6", "--out", dir}, c.flags...)...)
		if r.Status["unmeasured"] != 6 {
			t.Errorf("%s, %s: %v", c.space, c.dtype, r.Status)
		}
		records, _, err := dataset.ReadLog(r.Log)
		if err != nil {
			t.Fatal(err)
		}
		tensorized := 0
		for _, rec := range records {
			if strings.Contains(string(schedule.FormatSteps(rec.Steps)), ", 11]") {
				tensorized++
			}
		}
		source, err := os.ReadFile(filepath.Join(dir, "kernel.cu"))
		if err != nil {
			t.Fatal(err)
		}
		if r.TF32 != (c.flags != nil) {
			t.Errorf("%s, %s: tf32 %v", c.space, c.dtype, r.TF32)
		}
		if c.instruction == "" {
			if tensorized > 0 || strings.Contains(string(source), "mma.sync") {
				t.Errorf("%s: %d of %d candidates have tiles for tensor cores\n%s", c.space, tensorized, len(records), source)
			}
			continue
		}
		if tensorized < 3 || !strings.Contains(string(source), "mma.sync.aligned."+c.instruction) {
			t.Errorf("%s: %d of %d candidates have tiles for tensor cores\n%s", c.dtype, tensorized, len(records), source)
		}
		for _, arch := range []string{"sm_86", "sm_90"} {
			if out, err := compiler.Compile(t.Context(), string(source), nvrtc.Options{Arch: arch, PTX: true}); err != nil || !strings.Contains(string(out.PTX), "mma.sync.aligned."+c.instruction) {
				t.Errorf("%s for %s: %v", c.dtype, arch, err)
			}
		}
	}
}

// TestTF32Log: a log with candidates that round to tf32 is replayed and shown as it is, and a search
// goes on from it only where they are allowed.
func TestTF32Log(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	search := []string{"search", "--workload", "matmul:m=32,n=16,k=32", "--target", "cuda -arch=sm_80", "--scorer", "random", "--out", dir, "--trials"}
	r, _ := searched(t, append(search, "4", "--allow-tf32")...)
	code, _, stderr := wmtune(t, append(search, "5")...)
	if code != exitUsage || !strings.Contains(stderr, "holds candidates that round float32 to tf32: go on with --allow-tf32, or choose another --out") {
		t.Errorf("without the flag: exit code %d\n%s", code, stderr)
	}
	if more, _ := searched(t, append(search, "5", "--allow-tf32")...); more.Trials != 5 {
		t.Errorf("with the flag: %d trials", more.Trials)
	}
	for _, check := range []string{"llvm", "interp"} {
		code, stdout, stderr := wmtune(t, "replay", "--check", check, r.Log)
		if code != 0 || !strings.Contains(stdout, "ok          0           5") {
			t.Errorf("replay --check %s: exit code %d\n%s%s", check, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := wmtune(t, "show", r.Log, "--record", "0", "--as", "cuda"); code != 0 || !strings.Contains(stdout, "mma_tf32(&") {
		t.Errorf("show: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestTF32Note: a search that was allowed to round says so if nothing comes of it.
func TestTF32Note(t *testing.T) {
	for spec, noted := range map[string]bool{
		"matmul:m=32,n=16,k=32": false, "matmul:m=31,n=16,k=32": true, "matmul:m=32,n=16,k=32,dtype=f16": true,
	} {
		_, stderr := searched(t, "search", "--workload", spec, "--target", "cuda -arch=sm_80", "--allow-tf32", "--scorer", "random",
			"--out", filepath.Join(t.TempDir(), "out"), "--trials", "1")
		if got := strings.Contains(stderr, "--allow-tf32 changes nothing"); got != noted {
			t.Errorf("%s:\n%s", spec, stderr)
		}
	}
}

// TestTF32PresentGPU: the GPU that is here, which no flag names, may be one that cannot round.
func TestTF32PresentGPU(t *testing.T) {
	fakeGPU(t)
	t.Setenv("FAKE_GPU", "arch=75")
	dir := filepath.Join(t.TempDir(), "out")
	code, _, stderr := wmtune(t, "search", "--workload", "matmul:m=32,n=16,k=32", "--target", "cuda", "--allow-tf32", "--scorer", "random", "--out", dir, "--trials", "1")
	if code != exitUsage || !strings.Contains(stderr, "cuda -arch=sm_75 has no tensor cores that multiply tf32") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is an output")
	}
}

// TestTF32Tolerance: operands that are computed are rounded where tensor cores multiply them, which the
// check, in a search and of records, allows for.
func TestTF32Tolerance(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "thirds.txt")
	text := "input x: float32[32, 32]\ninput y: float32[32, 16]\nt(i: 32, k: 32) = exp(x[i, k])\nC(i: 32, j: 16) = sum(k: 32) t[i, k] * y[k, j]\noutput C\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r, _ := searched(t, "search", "--workload-file", file, "--target", "cuda -arch=sm_80", "--allow-tf32", "--scorer", "random", "--trials", "6", "--out", filepath.Join(dir, "out"))
	source, err := os.ReadFile(filepath.Join(dir, "out", "kernel.cu"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Status["unmeasured"] != 6 || !strings.Contains(string(source), "mma_tf32(&") {
		t.Errorf("%v\n%s", r.Status, source)
	}
	for _, check := range []string{"llvm", "interp"} {
		code, stdout, stderr := wmtune(t, "replay", "--check", check, r.Log)
		if code != 0 || !strings.Contains(stdout, "ok          0           6") {
			t.Errorf("replay --check %s: exit code %d\n%s%s", check, code, stdout, stderr)
		}
	}
}
