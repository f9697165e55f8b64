// Package machine opens what builds, checks, times and exports the programs of one
// target: the worker processes, the compiler and the runner behind one type. A program
// that imports it calls WorkerMain first in its main function.
//
// It must not know how candidates are searched or scored.
package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tir/target"
)

// A Machine builds, checks and times the programs of a target. CPU, GPU and Accelerator are the
// implementations. Its methods may be called by one goroutine at a time, but for those of
// Builder, which may run while the runner does.
type Machine interface {
	Target() target.Target
	Builder() Builder
	Runner() Runner

	// SetTask makes the runner ready for programs of d: it builds and runs the
	// reference that they are compared with. The seed makes the inputs. A GPU has the timing
	// measure.Repeated only.
	SetTask(ctx context.Context, d *compute.DAG, seed uint64, timing measure.Timing) error

	// Baseline builds and times one program that candidates are compared with.
	Baseline(ctx context.Context, in measure.Input) (measure.Result, error)

	// Check builds programs of the task and compares their results with the
	// reference; it times none where the machine can leave that out.
	Check(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, []measure.Result, error)

	// Export compiles a lowered program into the files that other programs use.
	// IsRejected tells an error about the program.
	Export(ctx context.Context, f *tir.Func, opt ExportOptions) (Export, error)

	// CannotTime says why programs are not timed here; "" if they are.
	CannotTime() string

	// Conditions says how the machine was while programs were timed, where that is
	// known; "" if it is not.
	Conditions() string

	Close()
}

// A Builder compiles programs. Results align with inputs; what is wrong with a program
// is in its result. An error means that nothing can be built.
type Builder interface {
	Build(context.Context, []measure.Input) ([]measure.BuildResult, error)
}

// A Runner checks and times what was built. Results align with inputs. An error means
// that nothing can be run.
type Runner interface {
	Run(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error)

	// Modes are the other ways in which it measures.
	Modes() measure.Modes
}

// Options say how a machine is opened. The zero value is this program's own workers,
// one build worker per core, and libraries where the system has them.
type Options struct {
	Workers int // build workers at once; 0 means one per core

	// WorkerCommand starts a worker; the kind of worker is appended to it. Without it
	// this program is started again, which must call WorkerMain first in main.
	WorkerCommand []string

	// Arm64 is the path of wmtune for linux/arm64, whose workers run programs for aarch64 under an emulator; "" is this
	// program's path with -arm64 behind it.
	Arm64 string

	Libraries Libraries
	Timing    run.Config         // how programs are timed; Command, Reference, Cores and Device are filled in
	Progress  func(phase string) // told how far a large batch is; nil: nobody listens

	// Emulator is the command before that of workers. It runs this program, which is for another processor; programs are
	// checked then, and not timed. nil: none.
	Emulator []string
}

// Libraries are the paths of what is loaded at run time; "" means to look for it where
// systems have it.
type Libraries struct {
	LLVM    string // libLLVM 19
	NVRTC   string // the compiler of CUDA C, or its folder
	CUDA    string // the driver of GPUs
	XGBoost string // which Diagnose looks for, and nothing else here
}

// workerCommand is the command that starts a worker of a kind.
func (o *Options) workerCommand(kind ...string) ([]string, error) {
	command := o.WorkerCommand
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program, to start its workers: %w", err)
		}
		command = []string{self, "worker"}
	}
	return slices.Concat(o.Emulator, command, kind), nil
}

// Worker returns the command that starts a worker of a kind, for a program that opens no machine.
func (o *Options) Worker(kind ...string) ([]string, error) { return o.workerCommand(kind...) }

// A row is a kind of target.
type row struct {
	kind    target.Kind
	help    string // for lists of targets
	layouts []target.Layout
	valid   func(text string) error // says what is wrong with a target's text
	open    func(ctx context.Context, text string, opt Options) (Machine, error)
}

// rows is the table of the kinds of targets.
func rows() []row {
	return []row{
		{
			target.LLVM, helpCPU, []target.Layout{target.Rewrite, target.Keep}, validCPU, openLevel,
		},
		{
			target.CUDA, `the GPU of this machine, or another: "cuda -arch=sm_86", "cuda -model=a10"`,
			[]target.Layout{target.Keep}, validGPU, openGPU,
		},
		{
			target.VDLA, "a simulated accelerator", []target.Layout{target.Keep}, validAccelerator,
			func(_ context.Context, _ string, opt Options) (Machine, error) { return OpenAccelerator(opt) },
		},
	}
}

// Open opens the machine of a target's text: "llvm", "cuda", or "cuda -arch=sm_86" for
// a GPU that need not be here.
func Open(ctx context.Context, text string, opt Options) (Machine, error) {
	kind, err := Valid(text)
	if err != nil {
		return nil, err
	}
	r, err := rowOf(kind)
	if err != nil {
		return nil, err
	}
	return r.open(ctx, text, opt)
}

// Valid returns the kind of target of a text that Open takes, or says what is wrong
// with the text.
func Valid(text string) (target.Kind, error) {
	r, err := rowOf(kindOf(text))
	if err == nil {
		err = r.valid(text)
	}
	return r.kind, err
}

// Layouts returns the weight layouts of a kind of target, the default first. There are
// none for an unknown kind.
func Layouts(kind target.Kind) []target.Layout {
	r, _ := rowOf(kind)
	return r.layouts
}

// LayoutFor returns l if a kind of target has that weight layout, else the kind's default. If the kind has not what
// somebody asked for, that is an error.
func LayoutFor(kind target.Kind, l target.Layout, asked bool) (target.Layout, error) {
	switch layouts := Layouts(kind); {
	case len(layouts) == 0 || slices.Contains(layouts, l):
		return l, nil
	case asked:
		return l, fmt.Errorf("--layout %s: for %s weights keep the layout that they have", l, kind)
	default:
		return layouts[0], nil
	}
}

func rowOf(kind target.Kind) (row, error) {
	var known []string
	for _, r := range rows() {
		if r.kind == kind {
			return r, nil
		}
		known = append(known, string(r.kind))
	}
	known = append(known, append(psABI, "aarch64-linux")...)
	return row{}, fmt.Errorf("this version generates no code for target %q; known: %s%s", kind, strings.Join(known, ", "),
		spell.Hint(string(kind), known))
}

// Help lists the kinds of targets in a line.
func Help() string {
	var list []string
	for _, r := range rows() {
		list = append(list, fmt.Sprintf("%s (%s)", r.kind, r.help))
	}
	return strings.Join(list, ", ")
}

// ExportOptions describe an export.
type ExportOptions = model.KernelOptions

// An Export is what a machine makes of a program for others to use.
type Export struct {
	Files         []model.File
	Missing       string // which file could not be made, and why; "" if all could
	ResourceUsage string // of a GPU, by kernel; "" on a processor
}

// A RejectedError says why a program is none for its target: another program may do.
type RejectedError struct {
	Status measure.Status
	Why    string
	Spills bool // it compiles, and does not fit its registers
}

func (e *RejectedError) Error() string { return e.Status.String() + ": " + e.Why }

// IsRejected tells an error about a program, such as that it spills or takes too long
// to compile, from one of the machine.
func IsRejected(err error) bool {
	var rejected *RejectedError
	var against *build.CompileError
	return errors.As(err, &rejected) || errors.As(err, &against)
}
