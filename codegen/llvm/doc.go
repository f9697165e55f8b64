// Package llvm emits TensorIR functions as LLVM IR text, with explicit vectors,
// unrolled register tiles and fused multiply-add: nothing is left to LLVM's
// vectoriser. It writes the loops as they are: tir/lower has made vectors of them
// before (its passes widen, lanewise and promote). Mathematical functions are arithmetic of its own
// (docs/design/vector-math.md). Loops fetch packed weights ahead (docs/manual/packed-weights.md), which changes
// nothing of what they compute. The text uses opaque pointers (LLVM 15 and later) and
// names no target; the build worker sets triple and data layout.
//
// The package must not know of libLLVM, of processes or of files: it turns
// values into text. What programs mean is decided by tir/interp, with which it
// shares no code.
package llvm
