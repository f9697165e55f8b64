package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tune/bench"
)

// TestBenchModels times a model beside fake peers with two thread counts, writes the table and the bars, and does not
// do again what was done.
func TestBenchModels(t *testing.T) {
	python, asked := fakePython(t)
	dir := t.TempDir()
	page, svg := filepath.Join(dir, "page.md"), filepath.Join(dir, "bars.svg")
	marked := "above\n<!-- bench models -->\nold\n<!-- end of bench models -->\nbelow\n"
	if err := os.WriteFile(page, []byte(marked), 0o666); err != nil {
		t.Fatal(err)
	}
	meta := filepath.Join(dir, "meta.json")
	lines := `{"row": "onnx:x/torchscript.onnx", "trials": 9, "wall_s": 1.5, "tuned_us": 77}` + "\n" +
		`{"row": "onnx:x/torchscript.onnx", "trials": 5, "wall_s": 0.5, "tuned_us": 88}` + "\n"
	if err := os.WriteFile(meta, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"bench", "models", cnn, "--dim", "batch=2", "--rounds", "2", "--peers", "ort,openvino,torch",
		"--torch", "m.py", "--python", python, "--out", dir, "--threads", "1,2",
		"--scorer", "random", "--svg", svg, "--update", page,
		"--times", "1,2", "--metaschedule", meta}
	code, stdout, stderr := wmtune(t, append(args, "--json")...)
	var r rivals.Report
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
	text, err := os.ReadFile(page)
	if err != nil || !strings.HasPrefix(string(text), "above\n<!--") || !strings.HasSuffix(string(text), "-->\nbelow\n") ||
		strings.Contains(string(text), "old\n") || !strings.Contains(string(text), "| torchscript | 2 | ") {
		t.Errorf("%v\n%s", err, text)
	}
	bars, err := os.ReadFile(svg)
	if err != nil || strings.Count(string(bars), "<rect x=") != 8 {
		t.Errorf("%v\n%s", err, bars)
	}
	first, _ := os.ReadFile(asked)
	for _, want := range []string{`ort 0 {"do":"prepare"`, `ort 0,1 {"do":"prepare"`, `"dims":{"batch":2}`} {
		if !strings.Contains(string(first), want) {
			t.Errorf("not asked: %s\n%s", want, first)
		}
	}
	code, _, stderr = wmtune(t, args...)
	second, _ := os.ReadFile(asked)
	if code != 0 || string(second) != string(first) || strings.Contains(stderr, "compiling") {
		t.Errorf("again: exit code %d\n%s\nasked:\n%s", code, stderr, second)
	}
}

// TestBenchModelsBundles: a finished bundle gets the inputs of the file beside the model and is compared with the
// outputs there. It is timed again when it has changed.
func TestBenchModelsBundles(t *testing.T) {
	python, _ := fakePython(t)
	bundle, _ := compileCNN(t)
	model := filepath.Join(t.TempDir(), filepath.Base(bundle)+".onnx")
	data, err := os.ReadFile(cnn)
	if err == nil {
		err = os.WriteFile(model, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, y := floats(2, 3, 8, 8), filepath.Join(t.TempDir(), "y.npz")
	code, stdout, stderr := wmtune(t, "run", bundle, "--output", y, "--input",
		writeArrays(t, "x.npz", npy.Named{Name: "x", Const: x}))
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	beside := strings.TrimSuffix(model, ".onnx") + ".npz"
	arrays := []npy.Named{{Name: "x", Const: x}, {Name: "out0", Const: readArray(t, y, "y")}}
	if err := npy.Write(beside, arrays); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	timed := func() bool {
		t.Helper()
		code, stdout, stderr := wmtune(t, "bench", "models", model, "--bundles", filepath.Dir(bundle), "--dim", "batch=2",
			"--rounds", "1", "--threads", "1", "--peers", "ort", "--python", python, "--out", out, "--json")
		var r rivals.Report
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil || len(r.Rows) != 1 {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		if off, known := r.Rows[0].MaxError[bench.OursName]; !known || off > 1e-5 || r.Rows[0].MaxError["ort"] != 0.25 {
			t.Errorf("differences %v", r.Rows[0].MaxError)
		}
		return strings.Contains(stderr, "bundle, 1 thread: ")
	}
	if !timed() || timed() {
		t.Error("it is not timed once")
	}
	other, _ := compileCNN(t, "--flush-denormals")
	if err := os.RemoveAll(bundle); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(bundle, os.DirFS(other)); err != nil {
		t.Fatal(err)
	}
	if !timed() {
		t.Error("a bundle that has changed is not timed")
	}
}

// TestBenchModelsTimes: the bundle of a time goes on from the one before, and what other lists of times have measured
// does not count.
func TestBenchModelsTimes(t *testing.T) {
	dir := t.TempDir()
	tuned := func(times string, seconds int) *compile.Tuning {
		t.Helper()
		code, _, stderr := wmtune(t, "bench", "models", cnn, "--dim", "batch=64", "--rounds", "1", "--peers", "none", "--out",
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

// TestBenchModelsUsage: bad usage says what is known.
func TestBenchModelsUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no models"},
		{[]string{"absent.onnx"}, "absent.onnx"},
		{[]string{t.TempDir()}, "no .onnx file"},
		{[]string{cnn, cnn}, "the same name"},
		{[]string{cnn, "--threads", "0"}, "from 1 on"},
		{[]string{cnn, "--rounds", "0"}, "at least 1"},
		{[]string{cnn, "--times", "2,1"}, "in order"},
		{[]string{cnn, "--times", "1", "--bundles", "x"}, "no finished bundles"},
		{[]string{cnn, "--peers", "onnx"}, "ort, openvino, torch, inductor"},
		{[]string{cnn, "--dim", "batch"}, "NAME=N"},
		{[]string{cnn, "--scorer", "nope"}, `unknown scorer "nope"`},
	} {
		code, stdout, stderr := wmtune(t, append([]string{"bench", "models"}, c.args...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d\nstdout: %s\nstderr: %s\nwant in it: %s", c.args, code, stdout, stderr, c.want)
		}
	}
}
