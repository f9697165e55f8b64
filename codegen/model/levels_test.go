package model_test

import (
	"bytes"
	"debug/elf"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// levels returns a program of two levels, whose kernels have the same text but for one.
func levels(t *testing.T, name string) (*model.Program, []byte) {
	on := host(buildtest.NeedLLVM(t, build.Config{}))
	p, w := scaled(name)
	minus := zip("sub", tir.Sub, 8, 100)
	low := target.Target{Kind: target.LLVM, CPU: "x86-64", Hardware: on.Hardware}
	p.Levels = []model.Level{
		{Name: "low", Target: low, Kernels: p.Kernels, Steps: p.Steps},
		{Name: "high", Target: on, Kernels: []*tir.Func{zip("mul", tir.Mul, 8, 100), minus}, Steps: p.Steps},
	}
	return p, w
}

// TestEqualKernels: levels share kernels whose texts are equal. A run computes what the chosen level does.
func TestEqualKernels(t *testing.T) {
	p, w := levels(t, "two")
	bundle := needBundle(t, p, model.Options{})
	f, err := elf.NewFile(bytes.NewReader(bundle.Object))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	kernels := 0
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "two_kernel_") && !strings.Contains(s.Name, ".") {
			kernels++
		}
	}
	if kernels != 3 {
		t.Errorf("%d kernels, want 3: two of both levels, and one of the higher level alone", kernels)
	}
	for level, want := range map[string]string{"": "", "low": "", "high": "", "none": "lacks instructions"} {
		l, err := load(t, bundle, save(t, "two.weights", w), func(cfg *model.LoadConfig) { cfg.Level = level })
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("level %q: %v", level, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		x := fill(l.Input(0))
		if err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if y := floats(l.Output(0)); level == "low" {
			wantScaled(t, x, y)
		} else if y[9] != x[9]*5-x[9] {
			t.Errorf("level %q: %g of %g: the higher level subtracts", level, y[9], x[9])
		}
	}
}
