// Package model turns a program, kernels in sequence over an arena and a weights
// file, into a library without a run-time: an object, a shared library, a C header
// and examples. It also loads such libraries in a worker process, runs and times them.
// A single kernel it exports in the same forms, or as CUDA C with a launcher.
//
// The package must not know graphs, nor how kernels were found: a program or a kernel is
// all that it gets.
package model

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Program is a whole model in the form that is compiled: steps over memory whose
// layout is fixed.
type Program struct {
	Name            string // C identifier; every exported symbol starts with Name + "_"
	Inputs, Outputs []Port

	Arena       int64    // bytes of the memory for intermediate values
	Weights     int64    // bytes of the weights file; 0: there is none
	WeightsHash [32]byte // sha256 of the weights file

	Kernels []*tir.Func // distinct, ready for the target (tir/lower); their Packs are not compiled
	Steps   []Step

	// Dims are names of dimensions whose extents a run is told. A program that has them has plans in the place of Steps,
	// and what follows from extents is in Inputs and Outputs as it is at the largest; see plans.go.
	// Sums are other names in Port.Dims, whose extents follow from those of Dims.
	Dims  []string
	Sums  []Sum
	Plans []Plan // a run takes the first that serves its extents: the cheapest stand first

	// State, if not nil, is what a context keeps. A program that has one has plans; see state.go.
	State *State

	// Levels are variants of Kernels and Steps for several processors, of which NAME_open chooses the last that the
	// processor can run. If there are any, Kernels, Steps and Plans are those of one of them.
	Levels []Level
}

// A Level is a program for one of several processors. Its steps differ in which kernels they call and where the weights
// of these lie, and in nothing else.
type Level struct {
	Name    string // as WMTUNE_LEVEL and NAME_level call it
	Target  target.Target
	Kernels []*tir.Func
	Steps   []Step
	Plans   []Plan
}

// levels returns the program for each of its processors, by its own steps if that is t alone.
func (p *Program) levels(t target.Target) []Level {
	if len(p.Levels) > 0 {
		return p.Levels
	}
	return []Level{{Target: t, Kernels: p.Kernels, Steps: p.Steps, Plans: p.Plans}}
}

// A Port is an input or an output.
type Port struct {
	Name  string
	Type  tir.DType
	Shape []int64 // of a bounded output the largest shape

	// Bounded says that the true shape of an output is known only after a run: the
	// program stores it to the place OutputShape. The elements lie as those of a dense
	// array of the true shape, at the start of the output's memory.
	Bounded bool

	// Dims names, of a program that has Dims, the dimension or the sum that each extent is; "": it is no dimension's.
	Dims []string
}

// Elements returns the number of elements.
func (p Port) Elements() int64 {
	n := int64(1)
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Bytes returns the size in memory.
func (p Port) Bytes() int64 { return p.Elements() * int64(p.Type.Bytes()) }

// A Space is one of the memories that places are in.
type Space uint8

// The spaces. Those of inputs, outputs and shapes have one memory for each port.
const (
	None        Space = iota // no place
	Arena                    // intermediate values
	Weights                  // the weights file; read only
	Input                    // read only
	Output                   // may be read again after it was written
	OutputShape              // of a bounded output: one int64 per dimension
)

// A Place is an address: so many bytes into a space. The zero Place is none.
type Place struct {
	Space  Space
	Index  int   // of the port, in Input, Output and OutputShape
	Offset int64 // bytes
}

// A Step is one of Call, If, Loop, Check and Copy.
type Step interface{ isStep() }

// A Call calls a kernel. Places of arguments are multiples of 64 bytes. An output that overlaps another argument is an
// error: kernels rely on it that no two pointers lead to the same memory. A kernel that changes what it finds has that
// as an output only, which it reads first.
type Call struct {
	Kernel int     // in Program.Kernels
	Args   []Place // of each parameter of the kernel

	Label string  // for people: what the kernel computes
	Node  string  // of the model
	FLOPs float64 // of one call
	Bytes float64 // that one call must move

	// Threads is how many threads may share the parallel loops of the call; 0 means
	// all, 1 that the calling thread works alone.
	Threads int
}

// An If runs Then if the bool at Cond is true, else Else.
type If struct {
	Cond       Place // one byte, 0 or 1
	Then, Else []Step
}

// A Loop is
//
//	for i = 0; (no Trip or i < *Trip) && (no Cond or *Cond); i++ { *Counter = i; Body }
type Loop struct {
	Trip    Place // int64, read once, before the first iteration; or none
	Cond    Place // bool; or none
	Counter Place // int64; or none
	Body    []Step
}

// A Check ends the run if the int32 at Error is not 0. The code that NAME_run then
// returns is above 0; NAME_error gives the message for it.
type Check struct {
	Error   Place
	Message string
}

// A Copy copies bytes. The two places may overlap.
type Copy struct {
	From, To Place
	Bytes    int64
}

func (Call) isStep()  {}
func (If) isStep()    {}
func (Loop) isStep()  {}
func (Check) isStep() {}
func (Copy) isStep()  {}

// Calls returns the calls of the program in the order in which they stand, those in
// bodies of If and Loop included. Index i of it is the step i of NAME_profile.
// Those of plans stand in the order of these.
func (p *Program) Calls() []Call {
	list := calls(nil, p.Steps)
	for _, plan := range p.Plans {
		list = calls(list, plan.Steps)
	}
	return list
}

func calls(list []Call, steps []Step) []Call {
	for _, s := range steps {
		switch s := s.(type) {
		case Call:
			list = append(list, s)
		case If:
			list = calls(calls(list, s.Then), s.Else)
		case Loop:
			list = calls(list, s.Body)
		}
	}
	return list
}
