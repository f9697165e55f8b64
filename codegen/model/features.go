package model

import (
	"slices"

	"github.com/wmtune/wmtune/tir/target"
)

// features are LLVM's names of the instruction sets that NAME_open looks for: index i is
// bit i. runtime/processor.h has the same list. They are those that LLVM uses of its own accord, and those of the
// intrinsics that codegen/llvm emits; what only other intrinsics need, such as aes, is not asked for.
var features = []string{
	"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "movbe", "avx", "fma", "f16c", "avx2", "bmi", "bmi2",
	"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512vnni", "avx512bf16", "avx512fp16", "avxvnni",
	"lzcnt", "sse4a", "xop", "fma4", "tbm", "gfni", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq",
	"avx512ifma", "avxifma", "avxvnniint8", "avxvnniint16", "avxneconvert",
	"amx-tile", "amx-int8", "amx-bf16",
}

// armFeatures are those of aarch64.
var armFeatures = []string{"neon", "dotprod", "fullfp16", "i8mm", "bf16", "lse", "rdm"}

// Features returns those of x86-64, or of aarch64.
func Features(arm bool) []string {
	if arm {
		return slices.Clone(armFeatures)
	}
	return slices.Clone(features)
}

// featureBits returns which of the features of its architecture a target has.
func featureBits(t target.Target) uint64 {
	var set uint64
	for i, name := range Features(t.Triple() != "") {
		if slices.Contains(t.Features, name) {
			set |= 1 << i
		}
	}
	return set
}
