package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
	"github.com/wmtune/wmtune/lab/bench"
)

const cnn = "../graph/onnx/testdata/torchscript.onnx"

// TestBenchModels times a model beside fake peers with two thread counts. It does not
// do again what was done.
func TestBenchModels(t *testing.T) {
	python, asked := rivalstest.Python(t)
	dir := t.TempDir()
	meta := filepath.Join(dir, "meta.json")
	lines := `{"row": "onnx:x/torchscript.onnx", "trials": 9, "wall_s": 1.5, "tuned_us": 77}` + "\n" +
		`{"row": "onnx:x/torchscript.onnx", "trials": 5, "wall_s": 0.5, "tuned_us": 88}` + "\n"
	if err := os.WriteFile(meta, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"bench", "models", cnn, "--dim", "batch=2", "--rounds", "2", "--peers", "ort,openvino,torch",
		"--torch", "m.py", "--python", python, "--out", dir, "--threads", "1,2",
		"--scorer", "random", "--times", "1,2", "--metaschedule", meta}
	code, stdout, stderr := lab(t, append(args, "--json")...)
	var r bench.ModelReport
	if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if len(r.Rows) != 2 || r.Rows[0].Threads != 1 || r.Rows[1].Threads != 2 || len(r.Means) != 2 || r.Means[1].Rows != 1 {
		t.Fatalf("report %+v", r)
	}
	c := r.Curves
	if len(c) != 2 || len(c[1].Points) != 2 || c[0].Points[0].TheirsUS != 0 || c[1].Points[0].TheirsUS != 88 ||
		c[1].Points[1].TheirsUS != 77 || c[1].Points[1].OursUS <= 0 || c[1].BestUS != 1e6 {
		t.Errorf("curves %+v", c)
	}
	for _, f := range r.Rows {
		if f.BestPeer != "ort" || f.PeerUS != 1e6 || f.OursUS <= 0 || f.Ratio == nil || f.Ratio.Value < 10 ||
			!strings.Contains(f.Errors["torch"], "RuntimeError: no") {
			t.Errorf("figures %+v", f)
		}
	}
	if !strings.Contains(stderr, python+" -m pip install numpy onnx openvino") {
		t.Errorf("the line that installs openvino is not in\n%s", stderr)
	}
	first, _ := os.ReadFile(asked)
	for _, want := range []string{`ort 0 {"do":"prepare"`, `ort 0,1 {"do":"prepare"`, `"dims":{"batch":2}`} {
		if !strings.Contains(string(first), want) {
			t.Errorf("not asked: %s\n%s", want, first)
		}
	}
	code, _, stderr = lab(t, args...)
	second, _ := os.ReadFile(asked)
	if code != 0 || string(second) != string(first) || strings.Contains(stderr, "compiling") {
		t.Errorf("again: exit code %d\n%s\nasked:\n%s", code, stderr, second)
	}
}

// TestBenchModelsBundles: a finished bundle is timed again when it has changed.
func TestBenchModelsBundles(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "bundles", "torchscript")
	timed := func(more ...string) bool {
		t.Helper()
		code, _, stderr := lab(t, append([]string{"bench", "models", cnn, "--dim", "batch=2", "--rounds", "1", "--threads", "1",
			"--peers", "none", "--out", dir}, more...)...)
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		return strings.Contains(stderr, "torchscript, 1 thread: ")
	}
	for _, scorer := range []string{"world", "random"} {
		timed("--scorer", scorer)
		found, err := filepath.Glob(filepath.Join(dir, "*", "models", "torchscript", "trials0"))
		if err == nil {
			err = errors.Join(os.RemoveAll(made), os.CopyFS(made, os.DirFS(found[0])))
		}
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"--bundles", filepath.Dir(made), "--rounds", "2"}
		if !timed(args...) || timed(args...) {
			t.Errorf("the bundle of %s is not timed once", scorer)
		}
	}
}

// TestBenchModelsTimes: the bundle of a time goes on from the one before, and what other lists of times have measured
// does not count.
func TestBenchModelsTimes(t *testing.T) {
	dir := t.TempDir()
	tuned := func(times string, seconds int) *compile.Tuning {
		t.Helper()
		code, _, stderr := lab(t, "bench", "models", cnn, "--dim", "batch=64", "--rounds", "1", "--peers", "none", "--out",
			dir, "--threads", "1", "--scorer", "random", "--times", times)
		if code != 0 {
			t.Fatalf("--times %s: exit code %d\n%s", times, code, stderr)
		}
		found, _ := filepath.Glob(filepath.Join(dir, "*", "models", "torchscript", fmt.Sprintf("time%ds", seconds)))
		if len(found) != 1 {
			t.Fatalf("--times %s: bundles %v", times, found)
		}
		r, _, err := compile.Describe(found[0])
		if err != nil || r.Tuning == nil || r.Tuning.New == 0 {
			t.Fatalf("--times %s: %v, %+v", times, err, r)
		}
		return r.Tuning
	}
	second := tuned("1,2", 2)
	if first := tuned("1,2", 1); first.Trials != first.New || second.Trials != first.New+second.New {
		t.Errorf("first %+v\nthen %+v", first, second)
	}
	if alone := tuned("2", 2); alone.Trials != alone.New {
		t.Errorf("it begins with what was measured before: %+v", alone)
	}
}
