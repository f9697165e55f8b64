package model

import (
	_ "embed"
	"slices"
)

// runtime/runtime.ll is made of runtime.c by runtime.sh, which needs clang; building bundles
// does not. TestRuntimeInStep holds that the two are in step.
//
//go:generate runtime/runtime.sh
//go:embed runtime/runtime.ll
var runtimeIR string

// runtime/plans.ll is what programs of several plans have beside it.
//
//go:embed runtime/plans.ll
var plansIR string

// runtime/state.ll is in the place of plans.ll in programs with a state.
//
//go:embed runtime/state.ll
var stateIR string

// levelsIR is what runtime.sh makes of runtime/levels.c, which libraries with several levels have.
//
//go:embed runtime/levels.ll
var levelsIR string

// Those for aarch64.
//
//go:embed runtime/runtime_aarch64.ll
var runtimeArm string

//go:embed runtime/levels_aarch64.ll
var levelsArm string

// targetAttributes are those of plans.ll and state.ll, which say nothing that is true of x86-64 only but for them.
const targetAttributes = `"target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" ` +
	`"tune-cpu"="generic"`

// opens are the functions that levels.c has before those of the run-time.
var opens = []string{"open", "open_memory", "open_read"}

// placeholder begins the names of the functions of kernels, steps and run-time in what is
// emitted; the name of the program takes its place in the object. So the text, and what is
// compiled of it, is the same for all programs.
const placeholder = "wmtune_"

// api lists the functions that a bundle shows, without the name of the program. watch is in no header.
var api = []string{"open", "run", "close", "error", "profile", "steps", "flush_denormals", "denormals", "bytes",
	"open_memory", "open_read", "watch"}

// plansAPI takes the place of api where a run is told extents.
var plansAPI = []string{"open", "run_dims", "close", "error", "profile_dims", "steps", "flush_denormals", "denormals",
	"bytes_dims", "memory", "open_memory", "open_read", "watch"}

// stateAPI are the functions that programs with a state show, too. state is in no header.
var stateAPI = []string{"reset", "length", "truncate", "fork", "state"}

// api lists the functions that a program shows.
func (p *Program) api() []string {
	list := api
	if len(p.Plans) > 0 {
		list = plansAPI
	}
	if p.State != nil {
		list = slices.Concat(list, stateAPI)
	}
	if len(p.Levels) > 0 {
		list = append(slices.Clone(list), "level")
	}
	return list
}
