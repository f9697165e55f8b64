package compile

import "testing"

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
		k.limits(&p)
		if k.Share != c.share || k.Bound != c.bound {
			t.Errorf("%s: %g of %s, want %g of %s", c.what, k.Share, k.Bound, c.share, c.bound)
		}
	}
}
