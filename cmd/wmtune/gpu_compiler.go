package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// nvrtcVariable names the environment variable with the path of NVRTC or of its
// folder; without it the usual names are tried.
const nvrtcVariable = "WMTUNE_NVRTC"

// compileTimeout bounds one compilation. What is unrolled most takes NVRTC ten seconds,
// and several times that on a busy machine.
const compileTimeout = 2 * time.Minute

// A gpuCompiler makes machine code of programs for a GPU that need not be here.
type gpuCompiler struct {
	gpu      target.Target
	limits   nvrtc.Limits
	compiler *nvrtc.Compiler // nil if there is none
}

// openCompiler opens the compiler of CUDA C; nvrtc.IsMissing tells its error that there
// is none.
func openCompiler(ctx context.Context) (*nvrtc.Compiler, error) {
	command, err := workerCommand("nvrtc")
	if err != nil {
		return nil, err
	}
	return nvrtc.New(ctx, nvrtc.Config{
		Command: command, Library: os.Getenv(nvrtcVariable), Nice: buildNice, Timeout: compileTimeout,
	})
}

func (g *gpuCompiler) lowered(s *schedule.State) (*tir.Func, error) {
	return lower.Lower(s, lower.Config{Target: g.gpu, Layout: target.Keep})
}

// A deviceCode is a program for a GPU.
type deviceCode struct {
	cubin      []byte // nil without a compiler
	rolled     bool   // of cuda.EmitRolled
	takes      string // what the kernels take of the GPU
	launches   []measure.Launch
	workspaces []int64
}

// A refusedError says why a program is none for the GPU.
type refusedError struct {
	status measure.Status
	why    string
	spills bool // it compiles, and does not fit its registers
}

func (e *refusedError) Error() string { return e.status.String() + ": " + e.why }

// compile makes CUDA C of a lowered program, and machine code of that, if there is a
// compiler. A program that spills is tried again with no more unrolled than its tile: most
// that spill do so for the loads that unrolled loops have under way (docs/gpu.md). An error
// about the program is a *refusedError.
func (g *gpuCompiler) compile(ctx context.Context, f *tir.Func) (deviceCode, error) {
	code, err := g.compileAs(ctx, f, cuda.Emit)
	var refused *refusedError
	if !errors.As(err, &refused) || !refused.spills {
		return code, err
	}
	rolled, again := g.compileAs(ctx, f, cuda.EmitRolled)
	switch {
	case errors.As(again, &refused):
		return code, err // why it was refused at first
	case again != nil:
		return deviceCode{}, again
	}
	rolled.rolled = true
	rolled.takes += "; unrolled for registers only: else it spills"
	return rolled, nil
}

// An emitter writes a program as CUDA C: cuda.Emit or cuda.EmitRolled.
type emitter func(w io.Writer, f *tir.Func, t target.Target) error

func (g *gpuCompiler) compileAs(ctx context.Context, f *tir.Func, emit emitter) (deviceCode, error) {
	kernels, out, err := g.translate(ctx, f, emit, nvrtc.Options{})
	if err != nil {
		return deviceCode{}, err
	}
	if g.compiler == nil {
		return deviceCode{takes: "not compiled"}, nil
	}
	code := deviceCode{cubin: out.Cubin}
	code.launches, code.workspaces = launchesOf(f, kernels)
	code.takes, err = g.fits(kernels, out.Kernels)
	return code, err
}

// translate makes CUDA C of a lowered program, and has it compiled for the GPU, if there
// is a compiler, whether or not the kernels fit. An error about the program is a *refusedError.
func (g *gpuCompiler) translate(ctx context.Context, f *tir.Func, emit emitter, opt nvrtc.Options) ([]cuda.Kernel, nvrtc.Output, error) {
	kernels, err := cuda.Kernels(f)
	if err != nil {
		return nil, nvrtc.Output{}, &refusedError{status: measure.BuildError, why: err.Error()}
	}
	var text strings.Builder
	if err := emit(&text, f, g.gpu); err != nil {
		return nil, nvrtc.Output{}, &refusedError{status: measure.BuildError, why: err.Error()}
	}
	if g.compiler == nil {
		return kernels, nvrtc.Output{}, nil
	}
	opt.Arch = g.gpu.Arch
	out, err := g.compiler.Compile(ctx, text.String(), opt)
	var against *nvrtc.CompileError
	if errors.As(err, &against) {
		err = &refusedError{status: against.Status, why: against.Why}
	}
	return kernels, out, err
}

// fits says what each kernel takes. The error is a *refusedError about one that cannot
// be launched, or that spills though it has all registers that a thread of its block can
// have. One that spills with fewer is not refused: the compiler chose so, to have more
// threads at once, and of the fastest programs of the RTX 2080 Ti logs two do.
func (g *gpuCompiler) fits(kernels []cuda.Kernel, usages []nvrtc.Usage) (string, error) {
	usage := byKernel(usages)
	var list []string
	for _, k := range kernels {
		u, ok := usage[k.Name]
		if !ok {
			panic("BUG: the compiler was given kernel " + k.Name + ", and does not know it")
		}
		occupancy, err := g.limits.Occupancy(u, int(k.Block.Count()))
		if err != nil {
			return "", &refusedError{status: measure.LoadError, why: err.Error()}
		}
		spilled := ""
		switch most := g.limits.MostRegisters(int(k.Block.Count())); {
		case u.Spills() && u.Registers+nvrtc.RegisterStep > most:
			return "", &refusedError{measure.BuildError, fmt.Sprintf("kernel %s spills: %d bytes written, %d read back, with %d registers",
				k.Name, u.SpillStores, u.SpillLoads, u.Registers), true}
		case u.Spills():
			spilled = fmt.Sprintf(", %d bytes spilled though %d registers could be had", u.SpillStores, most)
		}
		list = append(list, fmt.Sprintf("%s: %d blocks of %d threads, %d registers, %d bytes shared, %d local, occupancy %.2f%s",
			k.Name, k.Grid.Count(), k.Block.Count(), u.Registers, u.SharedBytes, u.StackBytes, occupancy, spilled))
	}
	return strings.Join(list, "; "), nil
}

func byKernel(list []nvrtc.Usage) map[string]nvrtc.Usage {
	m := map[string]nvrtc.Usage{}
	for _, u := range list {
		m[u.Kernel] = u
	}
	return m
}
