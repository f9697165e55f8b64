package onnx

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// A goldenCase is a network in operators.json (golden.py).
type goldenCase struct {
	Name            string
	Model           []byte
	Inputs, Outputs map[string]goldenTensor
}

type goldenTensor struct {
	Shape  []int     `json:"shape"`
	Floats []float32 `json:"floats,omitempty"`
	Ints   []int64   `json:"ints,omitempty"`
	Type   Type      `json:"type,omitempty"`
}

func (g goldenTensor) tensor() Tensor {
	if g.Floats != nil {
		return FloatTensor(g.Floats, g.Shape...)
	}
	return Tensor{Type: g.Type, Shape: g.Shape, Ints: g.Ints}
}

func golden(t testing.TB) []goldenCase {
	data, err := os.ReadFile("testdata/operators.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []goldenCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// difference says where two tensors differ by more than a tolerance, relative to
// numbers above 1.
func difference(t *testing.T, what string, got, want Tensor, tolerance float64) {
	t.Helper()
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) || got.check() != nil {
		t.Errorf("%s: %s of shape %v, want %s of %v", what, got.Type, got.Shape, want.Type, want.Shape)
		return
	}
	if !slices.Equal(got.Ints, want.Ints) {
		t.Errorf("%s: %v, want %v", what, got.Ints, want.Ints)
	}
	for i, v := range got.Floats {
		w := float64(want.Floats[i])
		if !(math.Abs(float64(v)-w) <= tolerance*max(1, math.Abs(w))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, w)
			return
		}
	}
}

// Every operator computes what onnxruntime computes, in each way to use it; inputs
// stay as they are.
func TestOperators(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range golden(t) {
		p, err := Load(c.Model)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for _, call := range p.network.calls {
			tried[call.op.name] = true
		}
		inputs, before := map[string]Tensor{}, map[string]Tensor{}
		for name, in := range c.Inputs {
			inputs[name] = in.tensor()
			before[name] = Tensor{Type: inputs[name].Type, Shape: slices.Clone(in.Shape), Floats: slices.Clone(in.Floats),
				Ints: slices.Clone(in.Ints)}
		}
		for _, run := range []func(map[string]Tensor) (map[string]Tensor, error){p.Reference, p.Run, p.Run} {
			out, err := run(inputs)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				break
			}
			for name, want := range c.Outputs {
				difference(t, c.Name+": "+name, out[name], want.tensor(), 2e-6)
			}
		}
		for name, want := range before {
			difference(t, c.Name+": afterwards, "+name, inputs[name], want, 0)
		}
	}
	for _, o := range operators {
		if !tried[o.name] {
			t.Errorf("%s is tried by no network of operators.json", o.name)
		}
	}
}
