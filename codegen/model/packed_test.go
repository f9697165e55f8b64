package model_test

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// dense is a lowered y = relu(x . w), whose weights are packed.
func dense(t *testing.T, processor target.Target) *tir.Func {
	t.Helper()
	dag, err := compute.Parse("input x: float32[67, 60]\ninput w: float32[60, 96]\n" +
		"d(i: 67, j: 96) = sum(k: 60) x[i, k]*w[k, j]\n    layout_free w\ny(i: 67, j: 96) = max(d[i, j], 0)\noutput y")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(
		`[["SP", 2, 1, 96, [16], 1], ["RE", 2, [1, 0, 3, 2]], ["AN", 2, 0, 3], ["AN", 2, 3, 2]]`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(dag, steps)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: processor, Layout: target.Rewrite})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPacked packs weights by a program, from one file to another, and hands the file to the
// program whose kernel reads packed weights: what compiling a model does.
func TestPacked(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{Workers: 2})
	fn := dense(t, host(b))
	pack := fn.Pack(1)
	if pack == nil {
		t.Fatalf("no weights are packed:\n%s", fn)
	}
	port := func(b *tir.Buffer) model.Port { return model.Port{Name: b.Name, Type: b.Type, Shape: b.Shape} }
	flat := func(b *tir.Buffer) model.Port {
		return model.Port{Name: "packed", Type: tir.U8, Shape: []int64{b.Bytes()}}
	}
	in, out := model.Place{Space: model.Input}, model.Place{Space: model.Output}
	packer := &model.Program{Name: "packer", Inputs: []model.Port{port(pack.Params[0])},
		Outputs: []model.Port{flat(pack.Params[1])}, Kernels: []*tir.Func{pack},
		Steps: []model.Step{model.Call{Args: []model.Place{in, out}}}}

	plain := make([]float32, 60*96)
	for i := range plain {
		plain[i] = float32(i%11) - 5
	}
	const before = 4096 + 64 // of other weights
	from, to := save(t, "plain", asBytes(plain)), save(t, "dense.weights", make([]byte, before+pack.Params[1].Bytes()))
	l, err := load(t, needBundle(t, packer, model.Options{}), "", func(c *model.LoadConfig) {
		c.InputFiles = map[int]model.FilePart{0: {Path: from}}
		c.OutputFiles = map[int]model.FilePart{0: {Path: to, Offset: before}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Close()

	p := &model.Program{Name: "dense", Inputs: []model.Port{port(fn.Params[0])}, Outputs: []model.Port{port(fn.Params[2])},
		Weights: before + pack.Params[1].Bytes(), WeightsHash: hashOf(t, to), Kernels: []*tir.Func{fn},
		Steps: []model.Step{model.Call{Args: []model.Place{in, {Space: model.Weights, Offset: before}, out}}}}
	if l, err = load(t, needBundle(t, p, model.Options{}), to, nil); err != nil {
		t.Fatal(err)
	}
	x := fill(l.Input(0))
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	y := floats(l.Output(0))
	for i := range 67 {
		for j := range 96 {
			sum := float32(0)
			for k := range 60 {
				sum += x[60*i+k] * plain[96*k+j]
			}
			if got := y[96*i+j]; got != max(sum, 0) { // whole numbers: any order gives the same sum
				t.Fatalf("y[%d, %d] = %g, want %g", i, j, got, max(sum, 0))
			}
		}
	}
}

func hashOf(t *testing.T, path string) [32]byte {
	t.Helper()
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return [32]byte(h.Sum(nil))
}
