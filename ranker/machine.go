package ranker

import (
	"slices"

	"github.com/wmtune/wmtune/tir/target"
)

// A machine is what features need to know of a CPU.
type machine struct {
	cores, vector, registers, line float64 // bytes, where they are some
	cache                          [3]float64
}

// sizes are the caches of a family of processors: of a core's own, first and
// second level, and its share of the third.
type sizes struct {
	names []string
	bytes [3]float64
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// families are the processors whose caches are known, by LLVM's names for them.
// Targets do not hold sizes of caches; orders of magnitude will do here.
var families = []sizes{
	{[]string{"znver1", "znver2", "znver3"}, [3]float64{32 * kib, 512 * kib, 4 * mib}},
	{[]string{"znver4", "znver5"}, [3]float64{32 * kib, 1 * mib, 4 * mib}},
	{[]string{"skylake-avx512", "cascadelake", "cooperlake", "x86-64-v4"}, [3]float64{32 * kib, 1 * mib, 1.375 * mib}},
	{[]string{"icelake-server", "icelake-client", "tigerlake", "rocketlake"}, [3]float64{48 * kib, 1.25 * mib, 1.5 * mib}},
	{[]string{"sapphirerapids", "emeraldrapids", "graniterapids"}, [3]float64{48 * kib, 2 * mib, 1.875 * mib}},
	{[]string{"haswell", "core-avx2", "broadwell", "skylake"}, [3]float64{32 * kib, 256 * kib, 2 * mib}},
	{[]string{"neoverse-n1"}, [3]float64{64 * kib, 1 * mib, 1 * mib}},
}

var otherCaches = [3]float64{32 * kib, 512 * kib, 2 * mib}

// machineOf returns what is known of a target, and the ordinary for what is not.
func machineOf(t target.Target) machine {
	h := t.Hardware
	or := func(n, otherwise int) float64 {
		if n > 0 {
			return float64(n)
		}
		return float64(otherwise)
	}
	m := machine{cores: or(h.Cores, 1), vector: or(h.VectorBytes, 32), line: or(h.CacheLineBytes, 64), cache: otherCaches}
	m.registers = or(h.VectorRegisters, 16)
	for _, f := range families {
		if slices.Contains(f.names, t.CPU) {
			m.cache = f.bytes
		}
	}
	m.cache[2] *= m.cores
	return m
}
