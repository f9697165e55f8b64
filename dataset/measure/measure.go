// Package measure is the vocabulary of measuring: what is built and run, and
// what came back. It must not know how programs are built or run.
package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// An Input is a program to measure, as bytes that can cross a wire: JSON carries it.
type Input struct {
	Workload string        // text of the compute DAG, as compute.Parse reads it
	Steps    string        // in AutoScheduler's form, as schedule.ParseSteps reads them
	Target   target.Target // that the program is for
	Layout   target.Layout // of constant operands
}

// NewInput returns the input of a concrete state.
func NewInput(s *schedule.State, t target.Target, l target.Layout) Input {
	return Input{Workload: s.DAG.Text(), Steps: string(schedule.FormatSteps(s.Steps)), Target: t, Layout: l}
}

// A Status says how a measurement ended. The zero value is no status.
type Status uint8

// The statuses of a measurement. Only OK carries costs.
const (
	NoStatus     Status = iota
	OK                  // built, correct and timed
	LowerError          // the state has no program; the message names the pass
	BuildError          // the compiler refused the program
	BuildTimeout        // the compiler did not finish
	BuildCrash          // the build worker ended while compiling
	LoadError           // the object could not be linked or loaded
	RunTimeout          // the program did not finish
	Crash               // the program ended the run worker: a signal, an exit, an error of the GPU
	OutOfMemory         // the program asked for more memory than it may have
	WrongAnswer         // the results differ from the reference
	Unmeasured          // built, not run
)

var statuses = [...]string{
	NoStatus: "none", OK: "ok", LowerError: "lower error", BuildError: "build error", BuildTimeout: "build timeout",
	BuildCrash: "build crash", LoadError: "load error", RunTimeout: "run timeout", Crash: "crash",
	OutOfMemory: "out of memory", WrongAnswer: "wrong answer", Unmeasured: "unmeasured",
}

func (s Status) String() string {
	if int(s) >= len(statuses) {
		return fmt.Sprintf("status(%d)", uint8(s))
	}
	return statuses[s]
}

// Statuses lists every status that a record can have.
func Statuses() []Status {
	var list []Status
	for s := OK; int(s) < len(statuses); s++ {
		list = append(list, s)
	}
	return list
}

// ParseStatus returns the status with the given text.
func ParseStatus(text string) (Status, error) {
	for _, s := range Statuses() {
		if s.String() == text {
			return s, nil
		}
	}
	return NoStatus, fmt.Errorf("measure: unknown status %q", text)
}

// A BuildResult is an artifact that a runner takes, or why there is none. As an Input it
// can cross a wire.
type BuildResult struct {
	Status  Status // OK, or one of the build's statuses
	Message string
	Object  []byte  // ELF relocatable; for a GPU a cubin
	Symbol  string  // of the entry point in Object, if that is no cubin
	Packs   []Pack  // of constant operands, ahead of all calls
	TF32    bool    // some products' operands are rounded to tf32: the results may be farther off
	Growth  float64 // how many times larger rounding errors may be than those of the definition; 0 means 1
	Seconds float64 // lowering included

	Launches   []Launch // of the kernels in a cubin, one after the other
	Workspaces []int64  // bytes of memory that they need beside the tensors

	Host []HostProgram // of a GPU's program, to be checked without the GPU: in each order of threads
}

// A HostProgram is a program of a GPU, compiled for the processor that checks it.
type HostProgram struct {
	Object []byte // ELF relocatable
	Symbol string
	Part   bool // it computes some blocks only
}

// A Launch is one kernel of a GPU's program, on a grid of blocks of threads, along x,
// y and z.
type Launch struct {
	Kernel      string
	Grid, Block [3]int64
	Args        []int // numbers of tensors; behind these, of workspaces
}

// A Pack says that a parameter is not laid out as the caller's tensor is, but made
// from it by a function in the object.
type Pack struct {
	Param  int
	Symbol string  // of the function
	Name   string  // of the tensor
	Shape  []int64 // of the parameter
	Bytes  int64   // of the parameter
}

// PacksText says how operands are packed: "w[4,64,16]", with spaces between
// several.
func PacksText(list []Pack) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Name + strings.ReplaceAll(fmt.Sprint(p.Shape), " ", ",")
	}
	return strings.Join(texts, " ")
}

// A Result is what running a built program gave.
type Result struct {
	Status  Status
	Message string
	Costs   []float64 // seconds per call, all samples; empty unless Status is OK
	Seconds float64   // spent on this program, checking included
	Unix    int64     // seconds; when it was measured
}

// maxCost is what AutoScheduler's logs hold where there is no time, in seconds
// (upstream: MAX_FLOAT of python/tvm/auto_scheduler/measure.py).
const maxCost = 1e10

// minCost is a picosecond, below which no clock reads.
const minCost = 1e-12

// IsTime reports whether a sample can rank programs: a number of seconds between a
// picosecond and 1e10 s. NaN is none.
func IsTime(seconds float64) bool { return seconds >= minCost && seconds < maxCost }

// Median returns the middle one of values; of an even number, the mean of the two middle ones; 0 without any.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	return (v[(n-1)/2] + v[n/2]) / 2
}

// Cost returns the smallest sample, which ranks programs, or 0 if there is
// none.
func (r Result) Cost() float64 {
	if len(r.Costs) == 0 {
		return 0
	}
	best := r.Costs[0]
	for _, c := range r.Costs[1:] {
		best = min(best, c)
	}
	return best
}
