package llvm

import _ "embed"

//go:embed runtime/runtime.ll
var runtimeIR string

//go:embed runtime/runtime_aarch64.ll
var runtimeArm string

// RuntimeIR returns the run-time that kernels may call, as LLVM IR text for
// x86-64 Linux: wmtune_parallel_for over a thread pool, wmtune_alloc and
// wmtune_free. It is compiled once and linked beside each kernel. runtime/runtime.c is its
// source, and says how it works.
func RuntimeIR() string { return runtimeIR }

// RuntimeFor returns the run-time for an architecture, as target.Target.Triple names it.
func RuntimeFor(triple string) string {
	if triple == "" {
		return runtimeIR
	}
	return runtimeArm
}
