package compile

import (
	"fmt"
	"testing"
)

// TestLimits: no kernel exceeds a limit; data that fit into caches are not bound by memory.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		what             string
		flops, bytes, us float64
		memory, caches   float64 // GB/s of the machine
		cached           bool
		share            float64
		bound            string
	}{
		{"arithmetic", 50e6, 1e6, 1000, 10, 40, false, 0.5, "arithmetic"},
		{"memory", 1e6, 8e6, 1000, 10, 40, false, 0.8, "memory"},
		{"the same, in caches", 1e6, 8e6, 1000, 10, 40, true, 0.2, "caches"},
		{"faster than memory", 1e6, 20e6, 1000, 10, 40, false, 0.5, "caches"},
		{"a busy machine", 1e6, 20e6, 1000, 1, 2, false, 1, "caches"},
		{"beyond arithmetic", 300e6, 1e6, 1000, 10, 40, false, 1, "arithmetic"},
		{"no operations", 0, 5e6, 1000, 10, 40, false, 0.5, "memory"},
		{"limits unknown", 1e6, 1e6, 1000, 0, 0, false, 0, ""},
	} {
		k := KernelProfile{FLOPs: c.flops, Bytes: c.bytes, US: c.us}
		p := Profile{PeakFLOPS: 100, PeakBytes: c.memory, PeakCache: c.caches, KernelsUS: c.us, cached: c.cached}
		if c.memory == 0 {
			p.PeakFLOPS = 0
		}
		k.limits(&p, "", "")
		if k.Share != c.share || k.Bound != c.bound {
			t.Errorf("%s: %g of %s, want %g of %s", c.what, k.Share, k.Bound, c.share, c.bound)
		}
	}
}

// TestLimitsOfInstructions: a kernel is measured by the peak of the fastest instruction that multiplies in it.
func TestLimitsOfInstructions(t *testing.T) {
	const loop = "vectorize j in 16:\n  tensorize k in 4 by %s:\n"
	for _, c := range []struct {
		target, program, by string
		peak, share         float64
	}{
		{"llvm -mcpu=znver5 -mattr=avx2 -cores=2", "vectorize j in 16:\n", "", 100, 0.5},
		{"llvm -mcpu=znver5 -mattr=avx2 -cores=2", fmt.Sprintf(loop, "vpdpbusd.512"), "vpdpbusd.512", 400, 0.125},
		{"llvm -mcpu=znver5 -mattr=avx2 -cores=2", fmt.Sprintf(loop+loop, "vpdpbusd.512", "vpmaddwd.512"), "vpdpbusd.512", 400, 0.125},
		{"llvm -mcpu=znver5 -mattr=avx2 -cores=2", fmt.Sprintf(loop, "vdpbf16ps.512"), "vdpbf16ps.512", 200, 0.25},
		{"llvm -mcpu=sapphirerapids -mattr=avx2 -cores=2", fmt.Sprintf(loop, "vdpbf16ps.512"), "", 100, 0.5}, // is slow there
	} {
		k, p := KernelProfile{FLOPs: 50e6, Bytes: 1, US: 1000}, Profile{PeakFLOPS: 100, PeakBytes: 10, PeakCache: 40, KernelsUS: 1000}
		k.limits(&p, c.program, optionOf(c.target, "-mcpu="))
		if k.Instruction != c.by || k.Peak != c.peak || k.Share != c.share {
			t.Errorf("%s on %s: by %q, %g of %g, want %q, %g of %g", c.program, c.target, k.Instruction, k.Share, k.Peak, c.by, c.share, c.peak)
		}
	}
}

// TestVectorBytes: arithmetic is measured in vectors that the bundle's processor has.
func TestVectorBytes(t *testing.T) {
	for text, want := range map[string]int{
		"llvm -mcpu=x86-64-v3 -mattr=sse4.2,avx,avx2,fma,f16c -cores=2":  32,
		"llvm -mcpu=x86-64-v2 -mattr=sse4.2 -cores=2":                    16,
		"llvm -mcpu=znver5 -mattr=sse4.2,avx,avx2,fma,avx512f -cores=16": 64,
		"llvm -mcpu=generic -mattr= -cores=1":                            16,
	} {
		b := &Bundle{Result: &Result{Target: text}}
		if got := b.VectorBytes(); got != want {
			t.Errorf("%s: %d bytes, want %d", text, got, want)
		}
	}
}
