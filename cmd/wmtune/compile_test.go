package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/tir"
)

// cnn is a small network with the open dimension batch.
const cnn = "../../graph/onnx/testdata/torchscript.onnx"

// inProcess carries out a command line that starts no workers.
func inProcess(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = dispatch(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

// compileCNN compiles cnn for a batch of 2 into a folder, and returns that.
func compileCNN(t *testing.T, args ...string) (dir string, r compile.Result) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "bundle")
	args = append([]string{"compile", cnn, "--dim", "batch=2", "--name", "cnn", "--out", dir, "--json", "--database",
		t.TempDir()}, args...) // a flag that is given again counts
	code, stdout, stderr := wmtune(t, args...)
	if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	return dir, r
}

// floats returns an array of random-looking float32.
func floats(shape ...int64) *graph.Const {
	x := graph.NewTensor(tir.F32, shape...)
	for i := range x.F {
		x.F[i] = float64((i*7)%11)/5 - 1
	}
	return x.Const()
}

func writeArrays(t *testing.T, name string, list ...npy.Named) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := npy.Write(path, list); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRun: a bundle runs for inputs by name, by place and alone, and says what is wrong with others.
func TestRun(t *testing.T) {
	dir, r := compileCNN(t)
	if r.Arena == 0 || len(r.Calls) != r.Groups || len(r.Spans) == 0 || r.MaxError > 1e-5 || r.Out != dir {
		t.Errorf("result %+v", r)
	}
	x := floats(2, 3, 8, 8)
	out := filepath.Join(t.TempDir(), "out.npz")
	var first []byte
	for _, in := range []string{
		writeArrays(t, "a.npz", npy.Named{Name: "x", Const: x}), writeArrays(t, "b.npz", npy.Named{Name: "in0", Const: x}),
		writeArrays(t, "c.npy", npy.Named{Const: x}), writeArrays(t, "y.npy", npy.Named{Const: x}),
	} {
		code, stdout, stderr := wmtune(t, "run", dir, "--input", in, "--output", out, "--repeat", "3", "--json")
		var got map[string]any
		if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		if us, _ := got["min_us"].(float64); us <= 0 || got["median_us"].(float64) < us || got["repeat"] != 3.0 {
			t.Errorf("%s", stdout)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Errorf("%s: other outputs", in)
		}
	}
	y := readArray(t, out, "y")
	if len(y.Shape) != 4 || math.Abs(sumOf(y)-2*4*8) > 1e-3 { // softmax over the last axis
		t.Errorf("y has the shape %v and the sum %v", y.Shape, sumOf(y))
	}
	both := writeArrays(t, "both.npz", npy.Named{Name: "x", Const: x}, npy.Named{Name: "out0", Const: y})
	if code, stdout, stderr := wmtune(t, "run", dir, "--input", both); code != 0 || !strings.Contains(stdout,
		"difference from the file's outputs is 0 ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	before, err := os.ReadFile(both)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(both), "link.npz")
	if err := os.Symlink(both, link); err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{both, link} {
		code, stdout, stderr := wmtune(t, "run", dir, "--input", both, "--output", same)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, same+" holds the inputs") {
			t.Errorf("the inputs' file for the outputs: exit code %d\n%s%s", code, stdout, stderr)
		}
		if after, err := os.ReadFile(both); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the inputs were replaced: %v", err)
		}
	}
	if code, stdout, stderr := wmtune(t, "run", dir, "--threads", "1", "--flush-denormals", "--seed", "7"); code != 0 ||
		!strings.Contains(stdout, "y: float32[2 4 8 5]\n20 runs: fastest") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	half := &graph.Const{Type: tir.F16, Shape: []int64{2, 3, 8, 8}, Data: make([]byte, 2*2*3*8*8)}
	for _, c := range []struct {
		in   string
		want string
	}{
		{writeArrays(t, "a.npz", npy.Named{Name: "z", Const: x}, npy.Named{Name: "u", Const: x}),
			"there is no input called z; there is no input called u; input x is missing: want an array x or in0, float32[2 3 8 8]"},
		{writeArrays(t, "one.npz", npy.Named{Name: "z", Const: x}), "there is no input called z; input x is missing"},
		{writeArrays(t, "b.npz", npy.Named{Name: "x", Const: floats(1, 3, 8, 8)}),
			"input x is float32[1 3 8 8]: want float32[2 3 8 8]"},
		{writeArrays(t, "c.npz", npy.Named{Name: "x", Const: half}), "input x is float16[2 3 8 8]: want float32[2 3 8 8]"},
		{filepath.Join(dir, "cnn.h"), "neither a .npz nor a .npy"},
		{filepath.Join(dir, "nothing.npz"), "no such file"},
	} {
		if code, _, stderr := wmtune(t, "run", dir, "--input", c.in); code != exitFailed || !strings.Contains(stderr,
			c.want) {
			t.Errorf("exit code %d: %s, want %q", code, stderr, c.want)
		}
	}
	weights := filepath.Join(dir, "cnn.weights")
	data, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := os.WriteFile(weights, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := wmtune(t, "run", dir); code != exitFailed || !strings.Contains(stderr,
		"weights") || !strings.Contains(stderr, "cnn") {
		t.Errorf("other weights: exit code %d: %s", code, stderr)
	}
	if err := os.Remove(weights); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := wmtune(t, "run", dir); code != exitFailed || !strings.Contains(stderr, "cnn.weights") {
		t.Errorf("no weights: exit code %d: %s", code, stderr)
	}
}

func readArray(t *testing.T, path, name string) *graph.Const {
	t.Helper()
	f, err := npy.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, a := range f.Arrays {
		if a.Name == name {
			c, err := a.Data()
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("%s has no array %s", path, name)
	return nil
}

func sumOf(c *graph.Const) (sum float64) {
	x := c.Tensor()
	for i := range x.Len() {
		sum += x.At(i)
	}
	return sum
}

// TestRunInterrupted: Ctrl-C ends a run, with the exit code for it, and its worker.
func TestRunInterrupted(t *testing.T) {
	dir, _ := compileCNN(t)
	out := filepath.Join(t.TempDir(), "out.npz")
	p := startProcess(t, "run", dir, "--repeat", "1000000", "--output", out)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(out); err == nil { // it is timed from here on
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing is written\n%s", p.stderr.String())
		}
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	code := p.wait(t)
	if code != exitInterrupted || p.stdout.Len() > 0 || !strings.Contains(p.stderr.String(), "interrupted") {
		t.Errorf("exit code %d\n%s%s", code, p.stdout.String(), p.stderr.String())
	}
}

// TestNoBundle: what is no bundle is a sentence.
func TestNoBundle(t *testing.T) {
	empty := t.TempDir()
	other := filepath.Join(empty, "a.json")
	if err := os.WriteFile(other, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"run nothing", "no such file or directory; 'wmtune compile MODEL.onnx' makes one"},
		{"profile nothing", "no such file or directory; 'wmtune compile MODEL.onnx' makes one"},
		{"run " + empty, "holds 0 bundles"},
		{"run " + other, "not a bundle's description"},
		{"run", "takes one bundle, not 0"},
		{"run a b", `unexpected argument "b"`},
		{"run a --repeat 0", "--repeat 0: must be from 1 to 1000000"},
		{"run a --threads -1", "--threads -1: must not be negative"},
	} {
		code, _, stderr := inProcess(t, strings.Fields(c.args)...)
		if code == exitOK || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d: %s, want %q", c.args, code, stderr, c.want)
		}
	}
}

// TestProfile: every call is in the profile, and the page is whole and loads nothing.
func TestProfile(t *testing.T) {
	dir, r := compileCNN(t, "--embed-weights")
	page := filepath.Join(t.TempDir(), "p.html")
	code, stdout, stderr := wmtune(t, "profile", dir, "--json", "--html", page)
	var p compile.Profile
	if err := json.Unmarshal([]byte(stdout), &p); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	calls, sum := 0, 0.0
	for i, k := range p.Kernels {
		calls += k.Count
		sum += k.US
		if k.US <= 0 || i > 0 && k.US > p.Kernels[i-1].US || k.Share <= 0 || k.Bound == "" {
			t.Errorf("kernel %+v", k)
		}
	}
	if calls != r.Groups || p.Runs < 1 || math.Abs(sum-p.KernelsUS) > 1e-6*sum || p.MinUS <= 0 || p.PeakFLOPS <= 0 {
		t.Errorf("%d calls of %d, profile %+v", calls, r.Groups, p)
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, k := range r.Kernels {
		if !strings.Contains(text, "<span>"+k.Name+"</span>") {
			t.Errorf("kernel %s is not in the page", k.Name)
		}
	}
	if n := strings.Count(text, "<pre>func "); n != len(r.Kernels) {
		t.Errorf("%d programs for %d kernels", n, len(r.Kernels))
	}
	if n := strings.Count(text, "<rect "); n != len(r.Spans) {
		t.Errorf("%d rectangles for %d values", n, len(r.Spans))
	}
	if found := regexp.MustCompile(`(?i)https?:|src=|@import|url\(|<script|<link`).FindString(text); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
	code, stdout, stderr = wmtune(t, "profile", dir)
	if code != 0 || !strings.Contains(stdout, "between kernels") || !strings.Contains(stdout, "limits of this machine") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestProfilePlan: the plan of a bundle is that of the model for as many threads, and runs nothing.
func TestProfilePlan(t *testing.T) {
	base := t.TempDir()
	dir, r := compileCNN(t, "--threads", "3", "--database", base)
	if !strings.HasSuffix(r.Target, " -cores=3") {
		t.Errorf("a bundle for 3 threads: %s", r.Target)
	}
	page := filepath.Join(t.TempDir(), "p.html")
	if err := os.Remove(filepath.Join(dir, "cnn.so")); err != nil {
		t.Fatal(err)
	}
	var bundle, model compile.IdlePlan
	for of, args := range map[*compile.IdlePlan][]string{
		&bundle: {dir, "--threads", "1,3,64", "--html", page},
		&model:  {cnn, "--threads", "3", "--dim", "batch=2", "--database", base},
	} {
		code, stdout, stderr := wmtune(t, append([]string{"profile", "--plan", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(stdout), of); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
	}
	if len(bundle.Idle) != 3 || bundle.Idle[0] != 0 || bundle.Idle[1] >= bundle.Idle[2] || bundle.Idle[2] >= 1 ||
		bundle.Compiled || !model.Compiled || len(bundle.Kernels) != len(r.Kernels) {
		t.Errorf("plan of the bundle: %+v", bundle)
	}
	if len(model.Idle) != 1 || model.Idle[0] != bundle.Idle[1] || model.Cycles[0] != bundle.Cycles[1] {
		t.Errorf("plan of the model %+v, of the bundle %+v", model, bundle)
	}
	data, err := os.ReadFile(page)
	if n := strings.Count(string(data), "<pre>func "); err != nil || n != len(r.Kernels) {
		t.Errorf("%d programs for %d kernels, %v", n, len(r.Kernels), err)
	}
	code, stdout, stderr := inProcess(t, "profile", dir, "--plan")
	if code != 0 || !strings.Contains(stdout, "64 threads") || !strings.Contains(stdout, "nothing was run") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for args, want := range map[string]string{
		"--threads 1,2": "several numbers need --plan", "--plan --threads 0": "wants numbers from 1 on",
		"--plan --threads 300": "must be from 0 to 256", "--database none": "needs --plan", "--plan --dim batch=2": "is a bundle",
	} {
		code, _, stderr := inProcess(t, append([]string{"profile", dir}, strings.Fields(args)...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
	if code, _, stderr := inProcess(t, "profile", dir, "--dim", "batch=2"); code != exitFailed ||
		!strings.Contains(stderr, "is for one shape") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestPlans: a bundle of several plans says what each needs, and run and profile take the plan of the extents.
func TestPlans(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cnn")
	code, stdout, stderr := wmtune(t, "compile", cnn, "--dim", "batch=1", "--dim", "3", "--out", out, "--database", "none")
	for _, want := range []string{"plan     one run", "batch=1  ", "batch=3  ", "all plans: weights "} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Fatalf("exit code %d, want %s:\n%s%s", code, want, stdout, stderr)
		}
	}
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{0, []string{"run", out, "--repeat", "1"}, "float32[3 "}, {0, []string{"run", out, "--repeat", "1", "--dim", "batch=1"}, "float32[1 "},
		{exitFailed, []string{"run", out, "--dim", "batch=2"}, "no plan serves batch=2: there are batch=1; batch=3"},
		{exitUsage, []string{"run", out, "--dim", "batch=1,3"}, "want one extent here"},
		{0, []string{"profile", out, "--dim", "batch=1"}, "plan for batch=1"},
		{0, []string{"show", cnn, "--as", "tasks", "--dim", "batch=1,3"}, "/Softmax                    batch=1"},
		{0, []string{"show", cnn, "--as", "plan", "--dim", "batch=1,3"}, "plan for batch=3: arena of "},
		{exitUsage, []string{"compile", cnn, "--dim", "batch=1,1"}, "the extent 1 is there twice"},
	} {
		if code, stdout, stderr := inProcess(t, c.args...); code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: exit code %d, want %s:\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}

// A message is a protocol buffer under way.
type message []byte

func (m message) num(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) bytes(field protowire.Number, list ...string) message {
	for _, s := range list {
		m = protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
	}
	return m
}

// onnxNode returns a node; inputs and outputs are lists of names.
func onnxNode(op, inputs, outputs string) string {
	m := message(nil).bytes(1, strings.Fields(inputs)...).bytes(2, strings.Fields(outputs)...)
	return string(m.bytes(3, "n_"+strings.Fields(outputs)[0]).bytes(4, op))
}

// onnxValue describes an input or output; the type is ONNX's number of it.
func onnxValue(name string, typ int64, shape ...int64) string {
	dims := message(nil)
	for _, d := range shape {
		dims = dims.bytes(1, string(message(nil).num(1, d)))
	}
	tensor := message(nil).num(1, typ).bytes(2, string(dims))
	return string(message(nil).bytes(1, name).bytes(2, string(message(nil).bytes(1, string(tensor)))))
}

// onnxWeight is a float32 initializer of ones.
func onnxWeight(name string, shape ...int64) string {
	m := message(nil)
	for _, d := range shape {
		m = m.num(1, d)
	}
	var data []byte
	for range graph.Elems(shape) {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(1))
	}
	return string(m.num(2, 1).bytes(8, name).bytes(9, string(data)))
}

// writeModel writes a model of operator set 18.
func writeModel(t *testing.T, nodes, weights, inputs, outputs []string) string {
	t.Helper()
	g := message(nil).bytes(1, nodes...).bytes(2, "g").bytes(5, weights...).bytes(11, inputs...).bytes(12, outputs...)
	m := message(nil).num(1, 8).bytes(7, string(g)).bytes(8, string(message(nil).num(2, 18)))
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, m, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRunIndices: random inputs of a bundle are indices where the model indexes, and an output whose shape depends on
// data has its true shape.
func TestRunIndices(t *testing.T) {
	path := writeModel(t, []string{onnxNode("Gather", "w i", "y"), onnxNode("NonZero", "i", "z")},
		[]string{onnxWeight("w", 9, 4)}, []string{onnxValue("i", 7, 40)}, []string{onnxValue("y", 1, 40, 4),
			onnxValue("z", 7, 1, -1)})
	dir := filepath.Join(t.TempDir(), "b")
	if code, stdout, stderr := wmtune(t, "compile", path, "--out", dir, "--database", "none"); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	r, _, err := compile.Describe(dir)
	if err != nil || r.Inputs[0].Below != 9 || !r.Outputs[1].Bounded {
		t.Fatalf("%+v, %v", r, err)
	}
	for range 3 {
		if code, stdout, stderr := wmtune(t, "run", dir, "--seed", "5"); code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
	}
	indices := graph.NewTensor(tir.I64, 40)
	indices.I[3], indices.I[30] = 8, 1
	out := filepath.Join(t.TempDir(), "o.npz")
	in := writeArrays(t, "i.npy", npy.Named{Const: indices.Const()})
	if code, stdout, stderr := wmtune(t, "run", dir, "--input", in, "--output",
		out); code != 0 || !strings.Contains(stdout, "z: int64[1 2]") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if z := readArray(t, out, "z").Tensor(); z.Len() != 2 || z.I[0] != 3 || z.I[1] != 30 {
		t.Errorf("z is %v", z)
	}
	indices.I[3] = 9
	in = writeArrays(t, "i.npy", npy.Named{Const: indices.Const()})
	if code, _, stderr := wmtune(t, "run", dir, "--input", in); code != exitFailed || !strings.Contains(stderr,
		"n_y: an index is out of range") {
		t.Errorf("an index out of range: exit code %d: %s", code, stderr)
	}
}

// TestModelErrors: what is wrong with a model or its flags is one sentence, before anything is started.
func TestModelErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(cnn)
	if err != nil {
		t.Fatal(err)
	}
	x, y := onnxValue("x", 1, 4), onnxValue("y", 1, 4)
	strange := writeModel(t, []string{onnxNode("Foo", "x", "a"), onnxNode("Foo", "a", "b"), onnxNode("Bar", "b", "y")},
		nil, []string{x}, []string{y})
	big := writeModel(t, []string{onnxNode("Add", "x w", "y")}, []string{onnxWeight("w", 300, 1000)},
		[]string{onnxValue("x", 1, 1000)},
		[]string{onnxValue("y", 1, 300, 1000)})
	foreign := filepath.Join(dir, "foreign")
	if err := os.Mkdir(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	file("foreign/thesis.txt", "all my work")
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		code int
		args []string
		want []string
	}{
		{exitFailed, []string{"nothing.onnx"}, []string{"nothing.onnx", "no such file"}},
		{exitFailed, []string{file("text.onnx", "this is no model, but a text of some length")},
			[]string{"text.onnx", "ONNX"}},
		{exitFailed, []string{file("empty.onnx", "")}, []string{"empty.onnx"}},
		{exitFailed, []string{file("torn.onnx", string(whole[:len(whole)/2]))}, []string{"torn.onnx"}},
		{exitFailed, []string{strange}, []string{"not supported", "Foo", "2 of the nodes: n_a, n_b", "Bar", "n_y"}},
		{exitFailed, []string{cnn}, []string{"open", "--dim batch=1", "batch: dimension 0 of x"}},
		{exitFailed, []string{cnn, "--dim", "batch=2,seq=3"}, []string{"--dim seq",
			"no input has an open dimension of that name"}},
		{exitFailed, []string{cnn, "--dim", "seq=3"}, []string{"with --dim batch=1", "--dim seq: no input"}},
		{exitUsage, []string{cnn, "--dim", "batch=2", "--scorer", "nope"},
			[]string{`unknown scorer "nope": known are world`}},
		{exitFailed, []string{cnn, "--dim", "batch=2", "--input", filepath.Join(dir, "no.npz")},
			[]string{"inputs: ", "no.npz"}},
		{exitFailed, []string{cnn, "--dim", "batch=2", "--input", pipe},
			[]string{"inputs: ", pipe + ": it is a pipe, not a regular file"}},
		{exitFailed, []string{pipe}, []string{pipe + ": it is a pipe, not a regular file"}},
		{exitFailed, []string{dir}, []string{dir + ": it is a folder, not a regular file"}},
		{exitFailed, []string{"/dev/zero"}, []string{"/dev/zero: it is a device, not a regular file"}},
		{exitFailed, []string{cnn, "--dim", "batch=2", "--out", filepath.Join(dir, "text.onnx", "b")},
			[]string{"folder for the bundle: " + filepath.Join(dir, "text.onnx", "b"), "choose another with --out"}},
		{exitUsage, []string{cnn, "--dim", "batch"}, []string{`--dim "batch": want NAME=N`}},
		{exitUsage, []string{cnn, "--dim", "batch=-1"}, []string{`--dim "batch=-1": want NAME=N`}},
		{exitUsage, []string{cnn, "--dim", "batch=1,batch=2"}, []string{"once for each name"}},
		{exitUsage, []string{cnn, "--dim", "batch=2", "--name", "2d"}, []string{"--name", `"2d" cannot name a library`}},
		{exitUsage, []string{cnn, "--dim", "batch=2", "--name", "int"}, []string{"it is a word of C"}},
		{exitUsage, []string{cnn, "--trials", "-1"}, []string{"must not be negative"}},
		{exitUsage, []string{}, []string{"takes one model, not 0"}},
		{exitUsage, []string{cnn, "--dim", "batch=2", "--skip-pass", "nope"}, []string{`no pass is called "nope"`}},
		{exitFailed, []string{cnn, "--dim", "batch=2", "--out", foreign},
			[]string{"thesis.txt", "choose another folder with --out"}},
		{exitFailed, []string{big, "--memory", "1MB"}, []string{"the reference, which the bundle is verified with, needs",
			"1 MB may be used", "float32[300, 1000]", "--memory"}},
	} {
		args := append([]string{"compile"}, c.args...)
		if !strings.Contains(strings.Join(args, " "), "--out") {
			args = append(args, "--out", out)
		}
		code, stdout, stderr := inProcess(t, append(args, "--database", "none")...)
		for _, want := range c.want {
			if code != c.code || !strings.Contains(stderr, want) || stdout != "" {
				t.Errorf("%v: exit code %d: %s, want %q", c.args, code, stderr, want)
				break
			}
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%v: it left a folder", c.args)
		}
	}
}

// TestRunErrors: what is wrong with a bundle or its flags is one sentence, and nothing is made.
func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	bundle, nowhere := filepath.Join(dir, "b"), filepath.Join(dir, "no", "o.npz")
	killed := filepath.Join(dir, ".wmtune.b.1") // what a killed compilation leaves
	if err := os.Mkdir(killed, 0o777); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := wmtune(t, "compile", cnn, "--dim", "batch=2", "--name", "b", "--out", bundle, "--database", "none")
	if code != 0 {
		t.Fatal(stderr)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("beside the bundle: %v, %v", list, err)
	}
	pipe, tampered := filepath.Join(dir, "pipe"), filepath.Join(dir, "tampered", "b.json")
	about, err := os.ReadFile(filepath.Join(bundle, "b.json"))
	for _, err := range []error{err, unix.Mkfifo(pipe, 0o600), os.Mkdir(filepath.Dir(tampered), 0o700),
		os.WriteFile(tampered, bytes.Replace(about, []byte(`"name": "b"`), []byte(`"name": "../b/b"`), 1), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	piped := filepath.Join(dir, "piped") // a bundle whose weights are a pipe
	if err := os.CopyFS(piped, os.DirFS(bundle)); err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(piped, "b.weights")
	for _, err := range []error{os.Remove(weights), unix.Mkfifo(weights, 0o600),
		unix.Mkfifo(filepath.Join(piped, "a.json"), 0o600)} { // the last is none of the bundle's
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"run " + cnn, "is a model; 'wmtune compile " + cnn + "' makes a bundle of it"},
		{"run " + filepath.Join(dir, "nothing"), "'wmtune compile MODEL.onnx' makes one"},
		{"run " + bundle + " --output " + nowhere, nowhere + " cannot be written: there is no folder"},
		{"run " + bundle + " --input " + pipe, pipe + ": it is a pipe, not a regular file"},
		{"run " + bundle + " --input " + dir, dir + ": it is a folder, not a regular file"},
		{"run " + bundle + " --input /dev/zero", "/dev/zero: it is a device, not a regular file"},
		{"run " + piped, weights + ": it is a pipe, not a regular file"},
		{"run " + tampered, `the name "../b/b" cannot be a library's: compile the model again`},
		{"profile " + filepath.Dir(tampered), `the name "../b/b" cannot be a library's: compile the model again`},
		{"run " + bundle + " --output o.txt", "o.txt: name a file that ends in .npz"},
		{"profile " + bundle + " --html " + nowhere, "--html: " + nowhere + " cannot be written"},
		{"database --database " + filepath.Join(dir, "no"), "makes it"},
		{"database verify --database " + filepath.Join(dir, "no"), "makes it"},
	} {
		code, stdout, stderr := wmtune(t, strings.Fields(c.args)...)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d: %s%s, want %q", c.args, code, stdout, stderr, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "no")); err == nil {
			t.Fatalf("%s: it made a folder", c.args)
		}
	}
}

// TestNoCache: a cache that cannot be made, or that others can write to, costs the cache and one sentence.
func TestNoCache(t *testing.T) {
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "b")
	for i, c := range []struct {
		home, database, want string
	}{
		{"/proc/none", "", "record database: mkdir /proc/none"},
		{"", "", "no folder for caches is known, so nothing is kept"},
		{"/proc/none", shared, "its kernels and choices are not used, since other users can write to " + shared + ":"},
	} {
		t.Setenv("HOME", c.home)
		t.Setenv("XDG_CACHE_HOME", "")
		args := []string{"compile", cnn, "--dim", "batch=2", "--name", "b", "--out", dir, "--trials", fmt.Sprint(i)}
		if c.database != "" {
			args = append(args, "--database", c.database)
		}
		if code, _, stderr := wmtune(t, args...); code != 0 || strings.Count(stderr, c.want) != 1 {
			t.Errorf("exit code %d: %s, want %q once", code, stderr, c.want)
		}
	}
	t.Setenv("HOME", "/proc/none")
	if code, _, stderr := wmtune(t, "database"); code != exitUsage || !strings.Contains(stderr, "mkdir /proc/none") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := wmtune(t, "compile", cnn, "--database", "/proc/none"); code != exitFailed ||
		!strings.Contains(stderr, "choose another folder with --database") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	entries, err := os.ReadDir(shared)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "log-") {
			t.Errorf("%s was kept", e.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// TestCompileInterrupted: Ctrl-C ends a compilation and leaves no folder; the same command goes on.
func TestCompileInterrupted(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "b")
	args := []string{"compile", cnn, "--dim", "batch=256", "--out", out, "--database", filepath.Join(parent, "db"),
		"--trials", "100000"}
	p := startProcess(t, args...)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if logs, _ := filepath.Glob(filepath.Join(parent, "db", "log-*")); len(logs) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing is measured\n%s", p.stderr.String())
		}
	}
	if err := p.cmd.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != exitInterrupted || !strings.Contains(p.stderr.String(),
		"run the same command again to go on") {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
	if !strings.Contains(p.stderr.String(), "wmtune finishes and keeps the current measurements") {
		t.Errorf("stderr: %s", p.stderr.String())
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("it left %v, %v", entries, err)
	}
}

// TestCompileKilled: a compilation that was killed while it was tuning goes on where it was.
func TestCompileKilled(t *testing.T) {
	db := t.TempDir()
	args := []string{"compile", cnn, "--dim", "batch=64", "--out", filepath.Join(t.TempDir(), "b"), "--database", db,
		"--scorer", "random", "--trials", "16", "--json"}
	p := startProcess(t, args...)
	measured := func() (n int) {
		logs, _ := filepath.Glob(filepath.Join(db, "log-*"))
		for _, path := range logs {
			if list, _, err := dataset.ReadLog(path); err == nil {
				n += len(list)
			}
		}
		return n
	}
	for deadline := time.Now().Add(2 * time.Minute); measured() == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is measured\n%s", p.stderr.String())
		}
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait(t)
	before := measured()
	code, stdout, stderr := wmtune(t, args...)
	var r compile.Result
	if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil || before == 0 || r.Trials != 16 ||
		r.Tuning.New != 16-before {
		t.Errorf("exit code %d, %v, %d trials before\n%s%s", code, err, before, stdout, stderr)
	}
}

// TestCompileTrials: as many candidates of all tasks together are measured as --trials says, once, in the record
// database, and the fastest of each task is taken.
func TestCompileTrials(t *testing.T) {
	db := t.TempDir()
	for i, want := range []compile.Source{compile.Tuned, compile.FromDatabase} {
		out := filepath.Join(t.TempDir(), "b")
		code, stdout, stderr := wmtune(t, "compile", cnn, "--dim", "batch=64", "--out", out, "--database", db, "--trials",
			"10", "--require-tuned", "--json")
		var r compile.Result
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil || r.Tuning == nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		tuned := 0
		for _, k := range r.Kernels {
			if k.Source == want {
				tuned++
			}
		}
		if tuned != len(r.Tuning.Tasks) || r.Trials != 10 || r.Tuning.New != 10*(1-i) || r.Tuning.ToUS <= 0 ||
			r.Tuning.Reason != "trials spent" || r.UntunedUS == nil || *r.UntunedUS <= 0 {
			t.Errorf("%d trials, %d kernels %s: %+v", r.Trials, tuned, want, r.Tuning)
		}
	}
	code, stdout, stderr := wmtune(t, "compile", cnn, "--dim", "batch=64", "--out", filepath.Join(t.TempDir(), "b"),
		"--database", t.TempDir(), "--scorer", "random", "--require-tuned")
	if code != exitNothing || !strings.Contains(stderr, "tasks have no measured record: transpose_conv") ||
		!strings.Contains(stderr, "measure them with --trials or --time") {
		t.Errorf("--require-tuned: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = inProcess(t, "database", "--database", db)
	contents := regexp.MustCompile(`[1-9] tuning logs?, [1-9] chosen schedules?, [1-9]\d* compiled kernels`)
	if code != 0 || !contents.MatchString(stdout) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr = inProcess(t, "database", "verify", "--database", db); code != 0 ||
		!regexp.MustCompile(`\d+ records in [1-9] tuning logs?`).MatchString(stdout) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	logs, _ := filepath.Glob(filepath.Join(db, "log-*"))
	info, err := os.Stat(logs[0])
	if err == nil {
		err = os.Truncate(logs[0], info.Size()-3)
	}
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = inProcess(t, "database", "verify", "--database", db)
	if code != exitFailed || !strings.Contains(stdout, logs[0]) || !strings.Contains(stdout, "is not whole") ||
		!strings.Contains(stderr, "damage in 1 place") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr = inProcess(t, "database", "clean", "--database", db); code != 0 || !strings.Contains(stdout,
		"removed 0 files") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr = inProcess(t, "database", "clean", "--database", db, "--older",
		"0h"); code != 0 || strings.Contains(stdout, "removed 0 files") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, _ = inProcess(t, "database", "--database", db, "--json"); code != 0 || !strings.Contains(stdout,
		`"bytes":0,"logs":0,"choices":0,"objects":0`) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for _, args := range []string{"database nope", "database clean --older x", "database --database none"} {
		if code, _, stderr := inProcess(t, strings.Fields(args)...); code != exitUsage {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestCompileDiskFull: a full disk is an error, and leaves nothing behind.
func TestCompileDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=24k"); err != nil {
		buildtest.Lack(t, "this user cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(disk, unix.MNT_DETACH) })
	code, stdout, stderr := wmtune(t, "compile", cnn, "--dim", "batch=2", "--out", filepath.Join(disk, "b"),
		"--database", "none")
	if code != exitFailed || !strings.Contains(stderr, "space") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if entries, err := os.ReadDir(disk); err != nil || len(entries) > 0 {
		t.Errorf("it left %v, %v", entries, err)
	}
}

// TestShowModel: a model's graph, tasks and memory are printed, and its tasks are workloads that search reads.
func TestShowModel(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
		code int
	}{
		{[]string{"show", cnn, "--as", "graph"}, []string{"graph main_graph\n  input x: float32[batch, 3, 8, 8]\n",
			" = Softmax("}, 0},
		{[]string{"show", cnn, "--as", "graph", "--dim", "batch=2", "--after", "channels-last"},
			[]string{"input x: float32[2, 3, 8, 8]", "wmtune."}, 0},
		{[]string{"show", cnn, "--as", "tasks", "--dim", "batch=2"}, []string{"task ", "weight", "conv", "groups of"}, 0},
		{[]string{"show", cnn, "--as", "tasks", "--dim", "batch=2", "--json"}, []string{`"weight":1`, `"groups":[`}, 0},
		{[]string{"show", cnn, "--as", "plan", "--dim", "batch=2"}, []string{"offset", "arena of "}, 0},
		{[]string{"show", cnn, "--as", "plan", "--dim", "batch=2", "--json"}, []string{`"arena_bytes":`, `"offset":0`}, 0},
		{[]string{"show", cnn, "--as", "tasks"}, []string{"--dim batch=1"}, exitFailed},
		{[]string{"show", cnn, "--as", "graph", "--dim", "batch=2", "--after", "x"},
			[]string{`no graph pass "x" runs`, "channels-last"}, exitFailed},
		{[]string{"show", cnn}, []string{"graph main_graph\n"}, 0},
		{[]string{"show", cnn, "--best"}, []string{"--best is for logs, not for models"}, exitUsage},
		{[]string{"show", cnn, "--as", "plan", "--after", "x"}, []string{"--after needs --as graph"}, exitUsage},
		{[]string{"show", cnn, "--as", "graph", "--json"}, []string{"--json needs"}, exitUsage},
		{[]string{"show", "a.arrow", "--dim", "batch=2"}, []string{"--dim is for models"}, exitUsage},
		{[]string{"workloads", "--model", cnn}, []string{"--dim batch=1"}, exitFailed},
		{[]string{"workloads", "paper22", "--model", cnn}, []string{"not both"}, exitUsage},
		{[]string{"workloads", "--out-dir", "x"}, []string{"need --model"}, exitUsage},
	} {
		code, stdout, stderr := inProcess(t, c.args...)
		for _, want := range c.want {
			if code != c.code || !strings.Contains(stdout+stderr, want) {
				t.Errorf("%v: exit code %d, want %q\n%s%s", c.args, code, want, stdout, stderr)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "tasks")
	code, stdout, stderr := inProcess(t, "workloads", "--model", cnn, "--dim", "batch=2", "--out-dir", dir, "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	dec, files := json.NewDecoder(strings.NewReader(stdout)), 0
	for dec.More() {
		var w workload.Listing
		if err := dec.Decode(&w); err != nil {
			t.Fatal(err)
		}
		files++
		s := &searchCommand{file: w.File}
		got, err := s.workload(t.Context())
		if err != nil || got.Key != w.WorkloadKey || got.Name != w.Name || w.Count != 1 {
			t.Errorf("%+v: read again as %q %q, %v", w, got.Name, got.Key, err)
		}
	}
	if files == 0 {
		t.Error("no workload files")
	}
}
