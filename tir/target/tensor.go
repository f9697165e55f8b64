package target

import "slices"

// HasTensorCores reports whether t multiplies tiles of float16 and of bfloat16 with sums in
// float32 as tir.MMA does (PTX ISA, "mma": .m16n8k16 from sm_80).
func (t Target) HasTensorCores() bool {
	return t.Kind == CUDA && slices.Index(archs, t.Arch) >= slices.Index(archs, "sm_80")
}
