package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
)

// TestSurvey times what is drawn beside fake peers, and writes a page and a picture.
func TestSurvey(t *testing.T) {
	python, asked := rivalstest.Python(t)
	dir := t.TempDir()
	code, stdout, stderr := lab(t, "survey", "--rows", "2", "--only", "mean,argmax", "--trials", "3", "--scorer", "random",
		"--rounds", "1", "--peers", "ort,torch", "--python", python, "--out", dir, "--results", dir)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	pages, _ := filepath.Glob(filepath.Join(dir, "survey-*"))
	if len(pages) != 2 {
		t.Fatalf("pages %q", pages)
	}
	page, err := os.ReadFile(pages[0])
	for _, want := range []string{"2 workloads drawn at random with seed 0", "| at once |", "2 at least 1.0", ".svg"} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("no %q: %v\n%s", want, err, page)
		}
	}
	drawing, err := os.ReadFile(pages[1])
	if err != nil || strings.Count(string(drawing), "<circle") != 4 {
		t.Errorf("%v\n%s", err, drawing)
	}
	if log, err := os.ReadFile(asked); err != nil || strings.Count(string(log), `"prepare"`) < 2 {
		t.Errorf("%v, asked:\n%s", err, log)
	}
	code, _, stderr = lab(t, "survey", "--only", "fft")
	if code != 2 || !strings.Contains(stderr, "they know") {
		t.Errorf("an unknown operator: exit code %d, %s", code, stderr)
	}
}
