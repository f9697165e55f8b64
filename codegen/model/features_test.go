package model

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/tir/target"
)

// processorTool compiles testdata/pool.c, whose arguments ask for what the run-time finds out
// about the processor.
func processorTool(t *testing.T) func(args ...string) string {
	t.Helper()
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	exe := filepath.Join(t.TempDir(), "pool")
	cmd := exec.Command(cc, "-std=c11", "-Wno-unknown-pragmas", "testdata/pool.c", "-o", exe, "-lpthread")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(args ...string) string {
		out, err := exec.Command(exe, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

// TestFeatures: the run-time finds the features of this processor that LLVM finds.
func TestFeatures(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	want := fmt.Sprintf("%x", featureBits(target.Target{Features: b.Info().Features}))
	if got := processorTool(t)("features"); got != want {
		t.Errorf("the run-time finds %s, LLVM %s: %v of %v", got, want, features, b.Info().Features)
	}
	if featureBits(target.Target{Features: []string{"sse3", "adx", "avx"}}) != 1|1<<6 {
		t.Error("bits of features")
	}
}

// TestQuota reads files as control groups have them.
func TestQuota(t *testing.T) {
	ask := processorTool(t)
	path := filepath.Join(t.TempDir(), "cpu.max")
	for text, want := range map[string]string{
		"150000 100000\n": "150000 100000", "max 100000\n": "-1 -7", "-1\n": "-1 -7", "200000\n": "200000 -7", "": "-1 -7",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := ask("number", path); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := ask("number", path+".missing"); got != "-1 -7" {
		t.Errorf("a missing file: %s", got)
	}
}
