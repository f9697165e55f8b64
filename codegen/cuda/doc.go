// Package cuda emits TensorIR functions as CUDA C text that reads as if written
// by hand: a kernel per nest of thread loops, shared arrays, registers as arrays
// or scalars, vector loads and stores where neighbours are known to be aligned.
// The text needs no header, so that NVRTC compiles it as it is.
//
// The package must not know of NVRTC, of drivers or of files: it turns values
// into text. What programs mean is decided by tir/interp, with which it shares no
// code.
package cuda
