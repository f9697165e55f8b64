package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// cudaTarget is a GPU, through CUDA C. None has to be there.
var cudaTarget = targetKind{
	kind: target.CUDA,
	help: `the GPU that is here, or another: "cuda -arch=sm_86", "cuda -model=a10"`,
	spaces: []spaceRow{
		{"wmtune", search.Space{Sketch: sketch.CUDATensor, Annotate: annotate.GPU, Mutators: evolve.GPU}},
		{"autoscheduler", search.Space{Sketch: sketch.CUDA, Annotate: annotate.AutoSchedulerGPU, Mutators: evolve.AutoSchedulerGPU}},
	},
	forms: []codeForm{{"cuda", "//", cudaText}},
	valid: func(text string) error {
		_, _, err := target.ParseGPU(text)
		return err
	},
	open: func(ctx context.Context, text string, jobs int) (machine, error) {
		return openGraphics(ctx, text, jobs)
	},
}

// A graphics is a GPU that candidates are compiled for. If it is not here, what they
// compute is checked on this machine's processor.
type graphics struct {
	gpuCompiler
	missing error // why there is no compiler
	host    *processor
	device  *run.Runner // nil if candidates cannot be timed
	absent  string      // why the GPU is not here; "" if it is
	jobs    int
	phase   func(text string) // told how far a batch is; nil if nobody listens
}

// tell says how far a batch is.
func (g *graphics) tell(format string, args ...any) {
	if g.phase != nil {
		g.phase(fmt.Sprintf(format, args...))
	}
}

// counter returns what to call after each of n programs.
func (g *graphics) counter(doing string, n int) func() {
	var done atomic.Int64
	return func() { g.tell("%s %d of %d", doing, done.Add(1), n) }
}

// openGraphics opens the GPU of a target's text, or the first that is here.
func openGraphics(ctx context.Context, text string, jobs int) (*graphics, error) {
	gpu, named, err := target.ParseGPU(text)
	if err == nil && !named {
		gpu, err = presentGPU()
	}
	if errors.Is(err, driver.ErrNone) {
		err = fmt.Errorf(`%w: name the one to tune for, such as --target "cuda -arch=sm_86"`, err)
	}
	if err != nil {
		return nil, err
	}
	g := &graphics{gpuCompiler: gpuCompiler{gpu: gpu}, jobs: jobs}
	if g.limits, err = nvrtc.LimitsOf(gpu.Arch); err != nil {
		return nil, err
	}
	g.compiler, err = openCompiler(ctx)
	if nvrtc.IsMissing(err) {
		g.compiler, g.missing = nil, err
	} else if err != nil {
		return nil, err
	}
	if g.host, err = openProcessor(ctx, jobs); err != nil {
		return nil, fmt.Errorf("programs for %s are checked on this machine's processor: %w", gpu, err)
	}
	if g.jobs == 0 {
		g.jobs = g.host.host.Hardware.Cores
	}
	if err := g.openDevice(); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// presentGPU returns the target of the first GPU that is here.
func presentGPU() (target.Target, error) {
	list, err := gpusHere()
	if err != nil {
		return target.Target{}, err
	}
	return target.GPU(list[0].Arch)
}

func (g *graphics) target() target.Target   { return g.gpu }
func (g *graphics) builder() search.Builder { return g }
func (g *graphics) runner() search.Runner {
	if g.device != nil {
		return timedGraphics{g}
	}
	return g
}

func (g *graphics) close() {
	if g.device != nil {
		g.device.Close()
	}
	g.host.close()
}

func (g *graphics) cannotTime() string {
	switch {
	case g.device != nil:
		return ""
	case g.compiler == nil:
		return fmt.Sprintf("candidates for %s are checked on the processor, and neither compiled nor timed: %v", g.gpu, g.missing)
	}
	return fmt.Sprintf("candidates for %s are compiled, and checked on the processor, but not timed (%s): the kernel handed over is the scorer's choice", g.gpu, g.absent)
}

func (g *graphics) conditions() string {
	if g.device == nil {
		return ""
	}
	if text := g.device.Clocks().String(); text != "" {
		return "the GPU's clock while timing: " + text
	}
	return ""
}

func (g *graphics) setTask(ctx context.Context, d *compute.DAG, seed uint64) error {
	if g.device == nil {
		return g.host.setTask(ctx, d, seed)
	}
	t, err := g.host.task(ctx, d, seed)
	if err != nil {
		return err
	}
	return g.device.SetTask(ctx, t)
}

// baseline times nothing: the untuned loop nest would run in one thread of the GPU.
func (g *graphics) baseline(context.Context, *schedule.State) (measure.Result, error) {
	why := g.cannotTime()
	if why == "" {
		why = "on a GPU it would run in one thread"
	}
	return measure.Result{Status: measure.Unmeasured, Message: why}, nil
}

// Build compiles candidates, several at once. A candidate whose kernels do not fit
// their registers is a build error, one that cannot be launched a load error. The
// message of one that is good says what its kernels take.
func (g *graphics) Build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	results := make([]measure.BuildResult, len(inputs))
	errs := make([]error, len(inputs))
	built := g.counter("compiling", len(inputs))
	parallel(ctx, len(inputs), g.jobs, func(i int) {
		start := time.Now()
		f, err := g.lowered(inputs[i].State)
		if err != nil {
			results[i].Status, results[i].Message = measure.LowerError, err.Error()
		} else {
			results[i], errs[i] = g.build(ctx, f)
		}
		results[i].Seconds = time.Since(start).Seconds()
		built()
	})
	return results, errors.Join(append(errs, ctx.Err())...)
}

// build compiles a lowered program.
func (g *graphics) build(ctx context.Context, f *tir.Func) (measure.BuildResult, error) {
	code, err := g.compile(ctx, f)
	var refused *refusedError
	if errors.As(err, &refused) {
		return measure.BuildResult{Status: refused.status, Message: refused.why}, nil
	}
	return measure.BuildResult{
		Status: measure.OK, Message: code.takes, Object: code.cubin, Launches: code.launches, Workspaces: code.workspaces,
		TF32: f.Rounds(),
	}, err
}

// Run checks what candidates compute. A correct one is unmeasured, and its message is
// that of its build.
func (g *graphics) Run(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	fns := make([]*tir.Func, len(inputs))
	for i, in := range inputs {
		var err error
		if fns[i], err = g.lowered(in.State); err != nil {
			panic("BUG: a candidate was built that does not lower: " + err.Error())
		}
	}
	results, err := checkBlocks(ctx, fns, g.counter("checking", len(fns)))
	if err != nil {
		return nil, err
	}
	g.tell("running %d on the processor", len(fns))
	if err := runOnHost(ctx, g.host, fns, results); err != nil {
		return nil, err
	}
	for i := range results {
		results[i].Unix = time.Now().Unix()
		if results[i].Status == measure.OK {
			results[i].Status, results[i].Message = measure.Unmeasured, builds[i].Message
		}
	}
	return results, nil
}

func (g *graphics) export(ctx context.Context, f *tir.Func, note string) (exported, error) {
	code, err := g.compile(ctx, f)
	if err != nil {
		return exported{}, err
	}
	s, err := cuda.Export(f, g.gpu, cuda.ExportOptions{Name: kernelName, Note: note + "\n" + code.takes, Rolled: code.rolled})
	if err != nil {
		return exported{}, err
	}
	e := exported{takes: code.takes, files: []build.File{
		{Name: "kernel.cu", Data: s.Kernel}, {Name: "kernel_launch.c", Data: s.Launcher}, {Name: "kernel_launch.h", Data: s.Header},
	}}
	if code.cubin == nil {
		e.lacks = "kernel.cubin: " + g.missing.Error()
		return e, nil
	}
	e.files = append(e.files, build.File{Name: "kernel.cubin", Data: code.cubin})
	return e, nil
}

func cudaText(_ context.Context, _ *programs, f *tir.Func, t target.Target) (string, error) {
	var text strings.Builder
	err := cuda.Emit(&text, f, t)
	return text.String(), err
}
