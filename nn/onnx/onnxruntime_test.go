package onnx

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/network.json, by onnxruntime (WMTUNE_PYTHON)")

// pythonVariable names the environment variable with the Python interpreter that has
// onnxruntime; make test makes one.
const pythonVariable = "WMTUNE_PYTHON"

// small is the network of network.json, and smallInputs what it is given.
var small = transformer{layers: 2, heads: 2, width: 16, inner: 24, vocabulary: 20, length: 12}

func smallInputs() map[string]Tensor { return small.inputs(3, 9) }

// asJSON is how golden files and run.py have tensors.
func asJSON(list map[string]Tensor) map[string]goldenTensor {
	out := map[string]goldenTensor{}
	for name, t := range list {
		out[name] = goldenTensor{Shape: t.Shape, Floats: t.Floats, Ints: t.Ints, Type: t.Type}
	}
	return out
}

// A networkFile is network.json: what onnxruntime computed for a network, and the
// SHA-256 of that.
type networkFile struct {
	Model   string
	Outputs map[string]goldenTensor
}

// compareAll compares both ways to run a network with what onnxruntime computes.
func compareAll(t *testing.T, data []byte, inputs map[string]Tensor, want map[string]goldenTensor) {
	t.Helper()
	p, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	fused, err := p.run(p.plan, new(memory), inputs)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := p.Reference(inputs)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != len(p.file.outputs) {
		t.Fatalf("%d outputs, want %d", len(p.file.outputs), len(want))
	}
	for name, w := range want {
		difference(t, name+", layers", fused[name], w.tensor(), 1e-5)
		difference(t, name+", nodes", nodes[name], w.tensor(), 1e-5)
	}
}

// A transformer that Builder wrote computes what onnxruntime made of the same bytes.
func TestNetwork(t *testing.T) {
	text, err := os.ReadFile("testdata/network.json")
	if err != nil {
		t.Fatal(err)
	}
	var file networkFile
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	data := small.build(t)
	if got := hash(data); got != file.Model {
		t.Fatalf("the network has the hash %s, network.json is of %s: run make golden with WMTUNE_PYTHON", got, file.Model)
	}
	compareAll(t, data, smallInputs(), file.Outputs)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The same, with the onnxruntime that is there, for a network of the shape of shipped
// ones too.
func TestOnnxruntime(t *testing.T) {
	python := os.Getenv(pythonVariable)
	have := python != "" && exec.Command(python, "-c", "import onnxruntime").Run() == nil
	switch {
	case have:
	case os.Getenv("CI") != "":
		t.Fatalf("%s must name a Python that has onnxruntime (make test makes one)", pythonVariable)
	default:
		t.Skipf("SKIPPED: nobody checks that onnxruntime computes what we do: set %s to a Python that has it (pip install "+
			"onnxruntime)", pythonVariable)
	}
	outputs := runPython(t, python, small.build(t), smallInputs())
	compareAll(t, small.build(t), smallInputs(), outputs)
	if *update {
		text, err := json.Marshal(networkFile{Model: hash(small.build(t)), Outputs: outputs})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/network.json", append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	large := transformer{layers: 2, heads: 4, width: 128, inner: 512, vocabulary: 500, length: 256}
	data, inputs := large.build(t), large.inputs(2, 100)
	compareAll(t, data, inputs, runPython(t, python, data, inputs))
}

func runPython(t *testing.T, python string, data []byte, inputs map[string]Tensor) map[string]goldenTensor {
	t.Helper()
	dir := t.TempDir()
	text, err := json.Marshal(asJSON(inputs))
	if err != nil {
		t.Fatal(err)
	}
	model, feeds := filepath.Join(dir, "model.onnx"), filepath.Join(dir, "inputs.json")
	for path, b := range map[string][]byte{model: data, feeds: text} {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/run.py", model, feeds)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", python, err)
	}
	var outputs map[string]goldenTensor
	if err := json.Unmarshal(out, &outputs); err != nil {
		t.Fatal(err)
	}
	return outputs
}
