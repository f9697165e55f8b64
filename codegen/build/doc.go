// Package build turns programs into object code. Worker processes, which are
// this binary under a hidden subcommand, load libLLVM without cgo and compile
// LLVM IR text; a crash, a hang or a fatal error of the compiler ends a worker,
// not the tuner.
//
// The package must not know of search, and runs nothing that it built: that is
// codegen/run.
package build
