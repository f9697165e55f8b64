package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
)

// TestBench times a model beside fake peers with two thread counts. All get the inputs of the file beside the model,
// and are compared with the outputs there.
func TestBench(t *testing.T) {
	python, asked := rivalstest.Python(t)
	model := filepath.Join(t.TempDir(), "cnn.onnx")
	data, err := os.ReadFile(cnn)
	if err == nil {
		err = os.WriteFile(model, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, bundle := t.TempDir(), ""
	bench := func(more ...string) (r rivals.Report, stderr string) {
		t.Helper()
		code, stdout, stderr := wmtune(t, append([]string{"bench", model, "--dim", "batch=2", "--rounds", "2", "--python", python,
			"--out", out, "--database", filepath.Join(out, "database"), "--json"}, more...)...)
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		bundle = filepath.Join(out, "cnn")
		return r, stderr
	}
	r, stderr := bench("--peers", "ort,openvino,torch", "--torch", "m.py", "--threads", "1,2")
	if len(r.Rows) != 2 || r.Rows[0].Threads != 1 || r.Rows[1].Threads != 2 || len(r.Means) != 2 || r.Means[1].Rows != 1 {
		t.Fatalf("report %+v", r)
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
	requests, _ := os.ReadFile(asked)
	for _, want := range []string{`ort 0 {"do":"prepare"`, `ort 0,1 {"do":"prepare"`, `"dims":{"batch":2}`} {
		if !strings.Contains(string(requests), want) {
			t.Errorf("not asked: %s\n%s", want, requests)
		}
	}

	x, y := floats(2, 3, 8, 8), filepath.Join(t.TempDir(), "y.npz")
	code, stdout, stderr := wmtune(t, "run", bundle, "--output", y, "--input",
		writeArrays(t, "x.npz", npy.Named{Name: "x", Const: x}))
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	arrays := []npy.Named{{Name: "x", Const: x}, {Name: "out0", Const: readArray(t, y, "y")}}
	if err := npy.Write(strings.TrimSuffix(model, ".onnx")+".npz", arrays); err != nil {
		t.Fatal(err)
	}
	r, _ = bench("--peers", "ort", "--threads", "1")
	if off, known := r.Rows[0].MaxError[rivals.OursName]; !known || off > 1e-5 || r.Rows[0].MaxError["ort"] != 0.25 {
		t.Errorf("differences %v", r.Rows[0].MaxError)
	}
}

// TestBenchUsage: bad usage says what is known, and what the laboratory took says so.
func TestBenchUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no models"},
		{[]string{"absent.onnx"}, "absent.onnx"},
		{[]string{t.TempDir()}, "no .onnx file"},
		{[]string{cnn, cnn}, "the same name"},
		{[]string{cnn, "--threads", "0"}, "from 1 on"},
		{[]string{cnn, "--threads", "two"}, "want numbers"},
		{[]string{cnn, "--rounds", "0"}, "at least 1"},
		{[]string{cnn, "--peers", "onnx"}, "ort, openvino, torch, inductor"},
		{[]string{cnn, "--peers", "ort,torch"}, "--peers torch needs --torch"},
		{[]string{cnn, "--dim", "batch"}, "NAME=N"},
		{[]string{"kernels", "--trials", "64"},
			"bench kernels is part of the laboratory: run `go run . bench kernels` in lab/ of the repository"},
		{[]string{"models", cnn}, "run `go run . bench models`"},
		{[]string{"noise"}, "bench noise is gone"},
		{[]string{cnn, "--svg", "bars.svg"}, "bench --svg is part of the laboratory: `go run . bench` in lab/"},
		{[]string{cnn, "--repeats=3"}, "bench --repeats is gone"},
		{[]string{cnn, "--nosuch"}, "unknown flag --nosuch"},
	} {
		code, stdout, stderr := wmtune(t, append([]string{"bench"}, c.args...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d\nstdout: %s\nstderr: %s\nwant in it: %s", c.args, code, stdout, stderr, c.want)
		}
	}
}
