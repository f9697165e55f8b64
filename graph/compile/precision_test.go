package compile

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
)

// TestPrecision: a bundle of rounded weights is verified with the rounded graph, states how far it is from the model,
// has smaller weights, and is refused beyond --max-error.
func TestPrecision(t *testing.T) {
	b := needBundles(t)
	g := graphtest.MustParse(`
		input x: float32[3, 96]
		const w: float32[96, 64]
		y = MatMul(x, w)
		output y`, 18)
	bytes, slow := map[string]int64{}, ""
	if checkPrecision("bf16", b.machine.Target()) != nil {
		slow = "no instruction that multiplies bfloat16 faster than float32"
	}
	for _, c := range []struct {
		name        string
		limit       float64
		least, most float64
		refused     string
	}{
		{"", 0, 0, 1e-5, ""}, {"bf16", 0, 1e-4, 1e-2, slow},
		{"bf16", 1e-5, 0, 0, cmp.Or(slow, "--max-error allows 1e-05")},
		{"int8w", 0, 1e-4, 2e-2, ""}, {"int4w", 0.5, 5e-3, 0.4, ""},
		{"int8w-int8a", 0, 1e-4, 4e-2, ""}, {"int4w-int8a", 0, 5e-3, 0.4, ""},
		{"int4w", 1e-3, 5e-3, 0.4, "--max-error allows 0.001: choose another --precision than int4w"},
	} {
		m, err := New(t.Context(), g, pass.Options{Precision: c.name, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), b.machine, m, Options{Name: "m", MaxError: c.limit, Passes: pass.Options{Precision: c.name}})
		if c.refused != "" {
			if !strings.Contains(fmt.Sprint(err), c.refused) {
				t.Errorf("%s: %v does not say %q", c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if e := r.PrecisionError; e < c.least || e > c.most || r.MaxError > 1e-5 {
			t.Errorf("%s: the result differs by %g from the model, and by %g from the rounded one", c.name, e, r.MaxError)
		}
		bytes[r.Precision] = r.Weights
	}
	if w := bytes["float32"]; bytes["bf16"] > w/2+64 || bytes["int8w"] > w/3 || bytes["int4w"] > w/5 {
		t.Errorf("weights of %v bytes", bytes)
	}
}

// TestPrecisionRefused: what a processor multiplies no faster than float32 is refused before any work.
func TestPrecisionRefused(t *testing.T) {
	wide := target.Hardware{VectorBytes: 64}
	for cpu, p := range map[string]target.Target{
		"x86-64-v3":      {Features: []string{"avx2"}, Hardware: target.Hardware{VectorBytes: 32}},
		"znver3":         {Features: []string{"avx2", "fma"}, Hardware: wide},
		"sapphirerapids": {Features: []string{"avx512bf16", "avx512f"}, Hardware: wide},
		"znver4":         {Features: []string{"avx512bf16", "avx512f"}, Hardware: wide},
		"graniterapids":  {Features: []string{"avx512f", "avx512fp16"}, Hardware: wide},
	} {
		p.Kind, p.CPU = target.LLVM, cpu
		for _, exact := range []string{"", "float32", "int8w"} {
			if err := checkPrecision(exact, p); err != nil {
				t.Errorf("%s: %q: %v", cpu, exact, err)
			}
		}
		for name, has := range map[string]string{"bf16": "znver4", "f16": "graniterapids"} {
			of, _ := pass.PrecisionOf(name)
			err, says := checkPrecision(name, p), fmt.Sprintf("%s has no instruction that multiplies %s faster", cpu, of.Type)
			if strings.Contains(fmt.Sprint(err), says) == (cpu == has) {
				t.Errorf("%s: %v", cpu, err)
			}
		}
	}
}
