// Package nvrtc compiles CUDA C to machine code of a GPU with NVIDIA's NVRTC,
// a library that is loaded without cgo and needs neither a GPU nor a driver. It
// says what registers and memory the kernels take, and how many blocks fit on a
// multiprocessor.
//
// The package must not know of search or of how the text came about, and runs
// nothing that it compiled. In a tuner it is used through worker processes (New):
// a crash or a hang of the compiler ends one of these.
package nvrtc
