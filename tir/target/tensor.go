package target

import "slices"

// HasTensorCores reports whether t multiplies tiles of float16, of bfloat16 and of float32
// rounded to tf32 with sums in float32 as tir.MMA does (PTX ISA, "mma": .m16n8k16, and
// .m16n8k8 of .tf32, from sm_80).
func (t Target) HasTensorCores() bool {
	return t.Kind == CUDA && slices.Index(archs, t.Arch) >= slices.Index(archs, "sm_80")
}
