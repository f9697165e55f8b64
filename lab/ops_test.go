package main

import (
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
)

// TestOps compiles nodes, times them beside a fake peer, and does not do again what was done.
func TestOps(t *testing.T) {
	python, asked := rivalstest.Python(t)
	dir := t.TempDir()
	args := []string{"ops", "--only", "Relu-1,NonZero-1,If", "--rounds", "1", "--python", python, "--out", dir}
	code, stdout, stderr := lab(t, args...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"Relu-1", "2 rows: geometric mean", "0 below 1.0", "1 row on one core: NonZero-1\n",
		"no row of If: it runs graphs", "  0.2  "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q:\n%s", want, stdout)
		}
	}
	log, err := os.ReadFile(asked)
	if err != nil || strings.Count(string(log), `"prepare"`) != 2 || !strings.Contains(string(log), "Relu-1.npz") {
		t.Errorf("%v, asked:\n%s", err, log)
	}
	if code, again, stderr := lab(t, args...); code != 0 || again != stdout || strings.Contains(stderr, "compiling") {
		t.Errorf("again: exit code %d\n%s%s", code, again, stderr)
	}
	if more, err := os.ReadFile(asked); err != nil || strings.Count(string(more), `"prepare"`) != 2 {
		t.Errorf("%v, asked again:\n%s", err, more)
	}
	if code, _, stderr = lab(t, "ops", "--only", "Fft"); code != 2 || !strings.Contains(stderr, "TopK-2") {
		t.Errorf("an unknown operator: exit code %d, %s", code, stderr)
	}
}
