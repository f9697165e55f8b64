package build_test

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
)

// TestProcessor: LLVM knows names, and what processors have.
func TestProcessor(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	x86 := []string{"avx", "avx2", "avx512f", "avx512vnni", "fma", "sse4.2"}
	arm := []string{"dotprod", "fullfp16", "i8mm", "neon"}
	const intel, arm64 = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
	for _, c := range []struct {
		q    build.Question
		want []string
	}{
		{build.Question{Triple: intel, CPU: "x86-64-v2", Features: x86}, []string{"sse4.2"}},
		{build.Question{Triple: intel, CPU: "haswell", Features: x86}, []string{"avx", "avx2", "fma", "sse4.2"}},
		{build.Question{Triple: intel, CPU: "x86-64-v4", Features: x86}, []string{"avx", "avx2", "avx512f", "fma", "sse4.2"}},
		{build.Question{Triple: intel, CPU: "cascadelake", Features: x86}, x86},
		{build.Question{Triple: arm64, CPU: "cortex-a53", Features: arm}, []string{"neon"}},
		{build.Question{Triple: arm64, CPU: "neoverse-n1", Features: arm}, []string{"dotprod", "fullfp16", "neon"}},
		{build.Question{Triple: intel, CPU: "haswel", Features: x86}, nil},
	} {
		p, err := b.Processor(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Features, c.want) || (p.Features == nil) != (c.want == nil) {
			t.Errorf("%s has %v, want %v", c.q.CPU, p.Features, c.want)
		}
		if len(p.Names) < 50 {
			t.Errorf("LLVM knows %d names: %v", len(p.Names), p.Names)
		}
	}
}
