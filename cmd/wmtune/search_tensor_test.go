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
// right, one of them is handed over, and newer GPUs run it. AutoScheduler's space has none.
func TestSearchTensorCores(t *testing.T) {
	compiler := nvrtctest.Need(t)
	for _, c := range []struct {
		space, dtype, instruction string
	}{{"wmtune", "f16", "f32.f16.f16.f32"}, {"wmtune", "bf16", "f32.bf16.bf16.f32"}, {"autoscheduler", "f16", ""}} {
		dir := filepath.Join(t.TempDir(), "out")
		r, _ := searched(t, "search", "--workload", "matmul:m=64,n=64,k=64,epilogue=bias+relu,dtype="+c.dtype, "--target", "cuda -arch=sm_80",
			"--space", c.space, "--scorer", "random", "--trials", "6", "--out", dir)
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
		if c.instruction == "" {
			if tensorized > 0 || strings.Contains(string(source), "mma.sync") {
				t.Errorf("%s: %d of %d candidates have tiles for tensor cores\n%s", c.space, tensorized, len(records), source)
			}
			continue
		}
		if tensorized < 3 || !strings.Contains(string(source), "mma.sync.aligned.m16n8k16.row.col."+c.instruction) {
			t.Errorf("%s: %d of %d candidates have tiles for tensor cores\n%s", c.dtype, tensorized, len(records), source)
		}
		for _, arch := range []string{"sm_86", "sm_90"} {
			if out, err := compiler.Compile(t.Context(), string(source), nvrtc.Options{Arch: arch, PTX: true}); err != nil || !strings.Contains(string(out.PTX), "mma.sync.aligned.m16n8k16.row.col."+c.instruction) {
				t.Errorf("%s for %s: %v", c.dtype, arch, err)
			}
		}
	}
}
