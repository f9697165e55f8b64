package target

import "slices"

// HasAsyncCopies reports whether threads of t can copy from global to shared memory
// asynchronously (PTX ISA, "cp.async": from sm_80).
func (t Target) HasAsyncCopies() bool {
	return t.Kind == CUDA && slices.Index(archs, t.Arch) >= slices.Index(archs, "sm_80")
}
