package machine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// compileTimeout bounds one compilation. What is unrolled most takes NVRTC ten seconds,
// and several times that on a busy machine.
const compileTimeout = 2 * time.Minute

// A GPUCompiler makes machine code of programs for a GPU that need not be here.
type GPUCompiler struct {
	gpu      target.Target
	limits   nvrtc.Limits
	compiler *nvrtc.Compiler // nil if there is none
}

func newGPUCompiler(gpu target.Target) (GPUCompiler, error) {
	limits, err := nvrtc.LimitsOf(gpu.Arch)
	return GPUCompiler{gpu: gpu, limits: limits}, err
}

// OpenGPUCompilers opens the compilers of CUDA C for GPUs that need not be here; nvrtc.IsMissing tells the error
// that there is none.
func OpenGPUCompilers(ctx context.Context, gpus []target.Target, opt Options) ([]*GPUCompiler, error) {
	var list []*GPUCompiler
	for _, gpu := range gpus {
		c, err := newGPUCompiler(gpu)
		if err != nil {
			return nil, err
		}
		if c.compiler, err = OpenNVRTC(ctx, opt, gpu.Arch, 0); err != nil {
			return nil, err
		}
		list = append(list, &c)
	}
	return list, nil
}

// OpenNVRTC opens the compiler of CUDA C for an architecture, "" for any, and for the driver of a version, 0 for any;
// nvrtc.IsMissing tells the error that there is none.
func OpenNVRTC(ctx context.Context, opt Options, arch string, driver int) (*nvrtc.Compiler, error) {
	command, err := opt.workerCommand("nvrtc")
	if err != nil {
		return nil, err
	}
	return nvrtc.New(ctx, nvrtc.Config{
		Command: command, Library: opt.Libraries.NVRTC, Arch: arch, Driver: driver, Nice: buildNice,
		Timeout: compileTimeout,
	})
}

// Target returns the GPU that is compiled for.
func (g *GPUCompiler) Target() target.Target { return g.gpu }

// A deviceCode is a program for a GPU.
type deviceCode struct {
	cubin      []byte // nil without a compiler
	rolled     bool   // of cuda.EmitRolled
	usage      string // what the kernels take of the GPU
	launches   []measure.Launch
	workspaces []int64
}

// compile makes CUDA C of a lowered program, and machine code of that, if there is a
// compiler. A program that spills is tried again with no more unrolled than its tile: most
// that spill do so for the loads that unrolled loops have under way (docs/results/gpu-2026-11-23.md). An error
// about the program is a *RejectedError.
func (g *GPUCompiler) compile(ctx context.Context, f *tir.Func) (deviceCode, error) {
	code, err := g.compileAs(ctx, f, cuda.Emit)
	var rejected *RejectedError
	if !errors.As(err, &rejected) || !rejected.Spills {
		return code, err
	}
	rolled, again := g.compileAs(ctx, f, cuda.EmitRolled)
	switch {
	case errors.As(again, &rejected):
		return code, err // why it was rejected at first
	case again != nil:
		return deviceCode{}, again
	}
	rolled.rolled = true
	rolled.usage += "; unrolled for registers only: else it spills"
	return rolled, nil
}

func (g *GPUCompiler) compileAs(ctx context.Context, f *tir.Func, emit cuda.Emitter) (deviceCode, error) {
	kernels, out, err := g.translate(ctx, f, emit, nvrtc.Options{})
	if err != nil {
		return deviceCode{}, err
	}
	if g.compiler == nil {
		return deviceCode{usage: "not compiled"}, nil
	}
	code := deviceCode{cubin: out.Cubin}
	code.launches, code.workspaces = cuda.Launches(f, kernels)
	code.usage, err = g.fits(kernels, out.Kernels)
	return code, err
}

// translate makes CUDA C of a lowered program, and has it compiled for the GPU, if there
// is a compiler, whether or not the kernels fit. An error about the program is a *RejectedError.
func (g *GPUCompiler) translate(
	ctx context.Context, f *tir.Func, emit cuda.Emitter, opt nvrtc.Options,
) ([]cuda.Kernel, nvrtc.Output, error) {
	kernels, err := cuda.Kernels(f)
	if err != nil {
		return nil, nvrtc.Output{}, &RejectedError{Status: measure.BuildError, Why: err.Error()}
	}
	var text strings.Builder
	if err := emit(&text, f, g.gpu); err != nil {
		return nil, nvrtc.Output{}, &RejectedError{Status: measure.BuildError, Why: err.Error()}
	}
	if g.compiler == nil {
		return kernels, nvrtc.Output{}, nil
	}
	opt.Arch = g.gpu.Arch
	out, err := g.compiler.Compile(ctx, text.String(), opt)
	var against *nvrtc.CompileError
	if errors.As(err, &against) {
		err = &RejectedError{Status: against.Status, Why: against.Why}
	}
	return kernels, out, err
}

// fits says what each kernel takes. The error is a *RejectedError about one that cannot
// be launched, or that spills though it has all registers that a thread of its block can
// have. One that spills with fewer is not rejected: the compiler chose so, to have more
// threads at once, and of the fastest programs of the RTX 2080 Ti logs two do.
func (g *GPUCompiler) fits(kernels []cuda.Kernel, usages []nvrtc.Usage) (string, error) {
	usage := byKernel(usages)
	var list []string
	for _, k := range kernels {
		u, ok := usage[k.Name]
		if !ok {
			panic("BUG: the compiler was given kernel " + k.Name + ", and does not know it")
		}
		occupancy, err := g.limits.Occupancy(u, int(k.Block.Count()))
		if err != nil {
			return "", &RejectedError{Status: measure.LoadError, Why: err.Error()}
		}
		if err := launchable(k); err != nil {
			return "", &RejectedError{Status: measure.LoadError, Why: err.Error()}
		}
		spilled := ""
		switch most := g.limits.MostRegisters(int(k.Block.Count())); {
		case u.Spills() && u.Registers+nvrtc.RegisterStep > most:
			return "", &RejectedError{measure.BuildError,
				fmt.Sprintf("kernel %s spills: %d bytes written, %d read back, with %d registers",
					k.Name, u.SpillStores, u.SpillLoads, u.Registers), true}
		case u.Spills():
			spilled = fmt.Sprintf(", %d bytes spilled though %d registers could be had", u.SpillStores, most)
		}
		list = append(list, fmt.Sprintf("%s: %d blocks of %d threads, %d registers, %d bytes shared, "+
			"%d local, occupancy %.2f%s",
			k.Name, k.Grid.Count(), k.Block.Count(), u.Registers, u.SharedBytes, u.StackBytes, occupancy, spilled))
	}
	return strings.Join(list, "; "), nil
}

// launchable returns an error if k has more blocks, or threads along z, than a launch can have (CUDA C++ Programming
// Guide, "Technical specifications per compute capability"). Occupancy bounds the product of all threads.
func launchable(k cuda.Kernel) error {
	for _, d := range []struct {
		what    string
		n, most int64
	}{
		{"blocks along x", k.Grid.X, 1<<31 - 1}, {"blocks along y", k.Grid.Y, 1<<16 - 1},
		{"blocks along z", k.Grid.Z, 1<<16 - 1}, {"threads along z", k.Block.Z, 64},
	} {
		if d.n > d.most {
			return fmt.Errorf("kernel %s: %d %s: a launch has at most %d", k.Name, d.n, d.what, d.most)
		}
	}
	return nil
}

func byKernel(list []nvrtc.Usage) map[string]nvrtc.Usage {
	m := map[string]nvrtc.Usage{}
	for _, u := range list {
		m[u.Kernel] = u
	}
	return m
}

// Compiles has the compiler look at a lowered program. An error about the program is a
// *RejectedError.
func (g *GPUCompiler) Compiles(ctx context.Context, f *tir.Func) error {
	_, err := g.compile(ctx, f)
	return err
}
