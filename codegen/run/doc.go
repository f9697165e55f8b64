// Package run loads compiled candidates, checks their results and times them.
//
// A Runner lives in the tuner and owns one worker process at a time; Worker is
// what runs in it: it links an object with its own relocator, places tensors
// between guard pages, compares every output element with a float64 reference,
// and only then calls the kernel against the clock. A candidate that crashes,
// hangs or writes where it may not ends a worker, not the tuner, and the innocent
// ones of its batch are run again. How checking works and what its tolerances
// are is written in docs/design/checking.md. GPUWorker is Worker for candidates that run on
// a GPU: the same check, tolerance and rounds.
//
// The package must not know how objects are made (codegen/build), which
// candidates are worth running (search), or LLVM.
package run
