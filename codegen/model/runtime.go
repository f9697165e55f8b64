package model

import (
	_ "embed"
	"strings"
)

// runtime/runtime.ll is made of runtime.c by runtime.sh, which needs clang; building bundles
// does not. TestRuntimeInStep holds that the two are in step.
//
//go:generate runtime/runtime.sh
//go:embed runtime/runtime.ll
var runtimeIR string

// placeholder begins the names of a program's functions in what is emitted; the name of
// the program takes its place.
const placeholder = "wmtune_"

// named gives the functions of LLVM IR text the names of a program.
func named(text, name string) string {
	return strings.ReplaceAll(text, "@"+placeholder, "@"+name+"_")
}

// api lists the functions that a bundle shows, without the name of the program.
var api = []string{"open", "run", "close", "error", "profile", "steps", "flush_denormals"}

// internals lists the functions of the run-time that kernels, in other objects, call.
var internals = []string{"parallel_for", "alloc", "free"}
