package transition

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/nn/onnx"
	"github.com/wmtune/wmtune/tir/target"
)

func written(t testing.TB, m *Model) []byte {
	t.Helper()
	data, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A model that was written and read is the same model.
func TestLoad(t *testing.T) {
	data := written(t, untrained())
	m, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if again := written(t, m); !bytes.Equal(again, data) {
		t.Error("read and written again there are other bytes")
	}
	d, states := population(t, 2, 30)
	start := Start(nil, d, target.Generic(32, 2))
	_, want := rolledOut(t, untrained(), untrained().NewRoller(start, d), states)
	if _, got := rolledOut(t, m, m.NewRoller(start, d), states); !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
}

// What cannot be used is refused in a sentence.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(m *Model)
	}{
		{"weight embed.weight_0 is NaN at 5", func(m *Model) { m.rollout[embedWeight][5] = float32(math.NaN()) }},
		{"weight residual.bias_0 is +Inf at 1",
			func(m *Model) { m.rollout[residualBias][1] = float32(math.Inf(1)) }},
		{"does not fit the others", func(m *Model) { m.head[0].bias = make([]float32, 4) }},
	} {
		m := untrained()
		c.change(m)
		if _, err := Load(written(t, m)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	for _, c := range [][3]string{
		{"wmtune.transition", "9", `a network of version "9"`},
		{"wmtune.actions", "action-v9", `action vectors "action-v9"`},
		{"wmtune.form", "fred", `form "fred"`},
		{"wmtune.form", "gated", "this program has one of form free: train it again"},
		{"wmtune.members", "3", `"3" networks`},
		{"wmtune.layers", "1", "weight value0.weight_0 has the shape [20 16]"},
	} {
		m := untrained()
		meta := m.meta()
		meta[c[0]] = c[1]
		data, err := m.bytes(meta)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(data); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s %s: error %v, want %q", c[0], c[1], err, c[2])
		}
	}
	data := written(t, untrained())
	for cut := 0; cut < len(data); cut += 1 + len(data)/50 {
		if _, err := Load(data[:cut]); err == nil {
			t.Errorf("the first %d of %d bytes are a model", cut, len(data))
		}
	}
}

// Weights of one row are matrices in a file.
func TestFileNarrow(t *testing.T) {
	p, err := onnx.Load(written(t, untrainedOf(sizes{start: StartSize, embed: 1, latent: 1, hidden: 1})))
	if err != nil {
		t.Fatal(err)
	}
	for name, dims := range map[string]int{"normal.weight_0": 2, "residual.weight_0": 2, "start.bias_0": 1} {
		if shape, _, ok := p.Weight(name); !ok || len(shape) != dims {
			t.Errorf("%s has shape %v", name, shape)
		}
	}
}

// A rollout for other programs to repeat.
type repeated struct {
	Start   []float32   `json:"start"`
	Actions [][]float32 `json:"actions"`
	State   []float32   `json:"state"`
	Value   float32     `json:"value"`
}

// rolloutsOf rolls random candidates out and says what their actions were.
func rolloutsOf(t *testing.T, m *Model, n int) []repeated {
	t.Helper()
	d, states := population(t, 5, n)
	start := Start(uniform(rand.New(rand.NewPCG(1, 2)), EncodedSize), d, target.Generic(32, 2))
	latents, values := rolledOut(t, m, m.NewRoller(start, d), states)
	var list []repeated
	for i, s := range states {
		v, err := Vectors(d, s.Steps)
		if err != nil {
			t.Fatal(err)
		}
		r := repeated{Start: start, State: latents[i], Value: values[i]}
		for k := range s.Steps {
			r.Actions = append(r.Actions, v[k*Size:][:Size])
		}
		list = append(list, r)
	}
	return list
}

// onnxruntime rolls candidates out as we do.
func TestONNXRuntime(t *testing.T) {
	python := os.Getenv("WMTUNE_PYTHON")
	have := python != "" && exec.Command(python, "-c", "import onnxruntime").Run() == nil
	switch {
	case have:
	case os.Getenv("CI") != "":
		t.Fatal("WMTUNE_PYTHON must name a Python that has onnxruntime (make test makes one)")
	default:
		t.Skip("SKIPPED: nobody checks that onnxruntime reads our networks: set WMTUNE_PYTHON to a Python that has it (pip " +
			"install onnxruntime)")
	}
	dir := t.TempDir()
	m := untrained()
	list, err := json.Marshal(rolloutsOf(t, m, 100))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"transition.onnx": written(t, m), "rollouts.json": list} {
		if err := os.WriteFile(dir+"/"+name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, "testdata/rollouts.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", python, err, out)
	}
	t.Logf("%s", out)
}
