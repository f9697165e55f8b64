package main

import (
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
)

// TestSurvey times what is drawn beside fake peers.
func TestSurvey(t *testing.T) {
	python, asked := rivalstest.Python(t)
	dir := t.TempDir()
	code, stdout, stderr := lab(t, "survey", "--rows", "2", "--only", "mean,argmax", "--trials", "3", "--scorer", "random",
		"--rounds", "1", "--peers", "ort,torch", "--python", python, "--out", dir)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"at once", "mean:m=", "2 rows: geometric mean", "2 at least 1.0"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q:\n%s", want, stdout)
		}
	}
	if log, err := os.ReadFile(asked); err != nil || strings.Count(string(log), `"prepare"`) < 2 {
		t.Errorf("%v, asked:\n%s", err, log)
	}
	code, _, stderr = lab(t, "survey", "--only", "fft")
	if code != 2 || !strings.Contains(stderr, "they know") {
		t.Errorf("an unknown operator: exit code %d, %s", code, stderr)
	}
}
