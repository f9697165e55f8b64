package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// gpuTimeout bounds one call of a program on a GPU when no fast one is known. While a
// program runs, nothing else does.
const gpuTimeout = 10 * time.Second

// gpuSample is how long a sample takes at least. A GPU's events tell half a microsecond, and the
// first launch of a sample begins a microsecond late.
const gpuSample = 200 * time.Microsecond

func validGPU(text string) error {
	_, _, err := target.ParseGPU(text)
	return err
}

// A GPU compiles candidates for a GPU, which need not be here. Where it is not, what
// they compute is checked on this machine's processor.
type GPU struct {
	GPUCompiler
	missing error // why there is no compiler
	host    *CPU
	device  *run.Runner // nil if candidates cannot be timed
	turn    turn        // at the device
	absent  string      // why the GPU is not here; "" if it is
	opt     Options
	decode  build.Decoder
}

// openGPU opens the GPU of a target's text, or the first that is here.
func openGPU(ctx context.Context, text string, opt Options) (Machine, error) {
	gpu, named, err := target.ParseGPU(text)
	if err == nil && !named {
		gpu, err = presentGPU(opt.Libraries)
	}
	if errors.Is(err, driver.ErrNone) {
		err = fmt.Errorf(`%w: to tune for a GPU that is not here, name it, such as --target "cuda -arch=sm_86"`, err)
	}
	if err != nil {
		return nil, err
	}
	g := &GPU{opt: opt}
	if g.GPUCompiler, err = newGPUCompiler(gpu); err != nil {
		return nil, err
	}
	g.compiler, err = OpenNVRTC(ctx, opt, gpu.Arch, driverOf(gpu, opt.Libraries))
	if nvrtc.IsMissing(err) {
		g.missing = err
	} else if err != nil {
		return nil, err
	}
	if g.host, err = OpenCPU(ctx, opt); err != nil {
		return nil, fmt.Errorf("programs for %s are checked on this machine's processor: %w", gpu, err)
	}
	if g.opt.Workers == 0 {
		g.opt.Workers = g.host.host.Hardware.Cores
	}
	if err := g.openDevice(); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// PresentGPUs lists the GPUs of this machine; driver.ErrNone is the error if there are
// none.
func PresentGPUs(l Libraries) ([]driver.Device, error) { return driver.Devices(l.CUDA) }

// presentGPU returns the target of the first GPU here whose architecture is known.
func presentGPU(l Libraries) (target.Target, error) {
	list, err := PresentGPUs(l)
	if err != nil {
		return target.Target{}, err
	}
	for _, d := range list {
		if gpu, err := target.GPU(d.Arch); err == nil {
			return gpu, nil
		}
	}
	known := target.Architectures()
	return target.Target{}, fmt.Errorf("the GPU here, %s, has architecture %s, which wmtune does not know; "+
		"to compile for one that it knows, name it, such as --target \"cuda -arch=%s\" (known: %s)", list[0].Name,
		list[0].Arch, known[len(known)-1], strings.Join(known, ", "))
}

// driverOf returns the version of the driver if a GPU of that architecture is here, else 0.
func driverOf(gpu target.Target, l Libraries) int {
	d, err := driver.Load(l.CUDA)
	if err != nil {
		return 0
	}
	list, err := d.Devices()
	if err != nil || !slices.ContainsFunc(list, func(d driver.Device) bool { return d.Arch == gpu.Arch }) {
		return 0
	}
	version, err := d.Version()
	if err != nil {
		return 0
	}
	return version
}

// openDevice makes the runner for the GPU of the target, if it is here and there is a
// compiler for it. Where it is not, absent says why.
func (g *GPU) openDevice() error {
	list, err := PresentGPUs(g.opt.Libraries)
	if err != nil {
		g.absent = err.Error()
		return nil
	}
	at := slices.IndexFunc(list, func(d driver.Device) bool { return d.Arch == g.gpu.Arch })
	if at < 0 {
		g.absent = fmt.Sprintf("the GPU here is of %s", list[0].Arch)
		return nil
	}
	if g.compiler == nil {
		return nil
	}
	command, err := g.opt.workerCommand("gpu", g.opt.Libraries.CUDA)
	if err != nil {
		return err
	}
	cfg, err := g.opt.runConfig(g.host.host.Hardware.Cores)
	if err != nil {
		return err
	}
	cfg.Command, cfg.Reference, cfg.Device = command, cfg.Command, at
	if g.opt.Timing.Timeout == 0 {
		cfg.Timeout = gpuTimeout
	}
	if g.opt.Timing.MinSample == 0 {
		cfg.MinSample = gpuSample
	}
	g.turn = turnOf(list[at])
	g.device, err = run.New(cfg)
	return err
}

// Target returns the GPU as a target.
func (g *GPU) Target() target.Target { return g.gpu }

// Builder returns g, which compiles candidates with NVRTC.
func (g *GPU) Builder() Builder { return g }

// Runner returns what checks candidates, and times them if the GPU is here.
func (g *GPU) Runner() Runner {
	if g.device != nil {
		return presentRunner{g}
	}
	return g
}

// Close ends the workers.
func (g *GPU) Close() {
	if g.device != nil {
		g.device.Close()
	}
	g.host.Close()
}

// CannotTime implements Machine.
func (g *GPU) CannotTime() string {
	switch {
	case g.device != nil:
		return ""
	case g.compiler == nil:
		return fmt.Sprintf("candidates for %s are checked on the processor, and neither compiled nor timed: %v",
			g.gpu, g.missing)
	}
	return fmt.Sprintf("candidates for %s are compiled, and checked on the processor, but not timed (%s)", g.gpu,
		g.absent)
}

// Conditions implements Machine.
func (g *GPU) Conditions() string {
	if g.device == nil {
		return ""
	}
	if text := g.device.Clocks().String(); text != "" {
		return "the GPU's clock while timing: " + text
	}
	return ""
}

// SetTask implements Machine.
func (g *GPU) SetTask(ctx context.Context, d *compute.DAG, seed uint64, timing measure.Timing) error {
	if g.device == nil {
		return g.host.SetTask(ctx, d, seed, timing)
	}
	t, err := g.host.task(ctx, d, seed)
	if err != nil {
		return err
	}
	// Without a turn: most of this time the processor computes the reference.
	return g.device.SetTask(ctx, t)
}

// takeTurn waits until no other process times on the GPU.
func (g *GPU) takeTurn(ctx context.Context) (release func(), err error) {
	return g.turn.take(ctx, func() { g.tell("waiting for another process that uses the GPU") })
}

// Baseline times nothing: the untuned loop nest would run in one thread of the GPU.
func (g *GPU) Baseline(context.Context, measure.Input) (measure.Result, error) {
	why := g.CannotTime()
	if why == "" {
		why = "on a GPU it would run in one thread"
	}
	return measure.Result{Status: measure.Unmeasured, Message: why}, nil
}

// Check implements Machine. On a GPU, what is checked is timed, too.
func (g *GPU) Check(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, []measure.Result, error) {
	built, err := g.Build(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	results, err := g.Runner().Run(ctx, inputs, built)
	return built, results, err
}

// tell says how far a batch is.
func (g *GPU) tell(format string, args ...any) {
	if g.opt.Progress != nil {
		g.opt.Progress(fmt.Sprintf(format, args...))
	}
}

// Build compiles candidates, several at once, and interprets some blocks of each, to find
// races. Where the GPU is not here, it also compiles them for the processor that checks
// them. A candidate whose kernels do not fit their registers is a build error, one that
// cannot be launched a load error. The message of one that is good says what its kernels
// take.
func (g *GPU) Build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	results := make([]measure.BuildResult, len(inputs))
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(g.opt.Workers)
	for i, in := range inputs {
		group.Go(func() (err error) {
			start := time.Now()
			results[i], err = g.buildOne(ctx, in)
			results[i].Seconds = time.Since(start).Seconds()
			g.tell("compiling %d of %d", done.Add(1), len(inputs))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}

func (g *GPU) buildOne(ctx context.Context, in measure.Input) (measure.BuildResult, error) {
	if err := ctx.Err(); err != nil {
		return measure.BuildResult{}, err
	}
	in.Layout = target.Keep
	f, d, err := g.decode.Lower(in)
	if err != nil {
		return measure.BuildResult{Status: measure.LowerError, Message: err.Error()}, nil
	}
	code, err := g.compile(ctx, f)
	var rejected *RejectedError
	if errors.As(err, &rejected) {
		return measure.BuildResult{Status: rejected.Status, Message: rejected.Why}, nil
	}
	if err != nil {
		return measure.BuildResult{}, err
	}
	r := measure.BuildResult{
		Status: measure.OK, Message: code.usage, Object: code.cubin, Launches: code.launches, Workspaces: code.workspaces,
		TF32: f.Rounds(),
	}
	if err := checkBlocks(ctx, f, &r); err != nil {
		return r, err
	}
	if g.device == nil {
		err = addHostPrograms(ctx, g.host, f, d.FLOPs(), &r)
	}
	return r, err
}

// Run checks what candidates compute on the processor. A correct one is unmeasured, and
// its message is that of its build.
func (g *GPU) Run(ctx context.Context, _ []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	g.tell("running %d on the processor", len(built))
	results, err := runOnHost(ctx, g.host, built)
	if err != nil {
		return nil, err
	}
	for i := range results {
		if results[i].Status == measure.OK {
			results[i].Status, results[i].Message = measure.Unmeasured, built[i].Message
		}
	}
	return results, nil
}

// Modes says that candidates are measured by Run alone.
func (g *GPU) Modes() measure.Modes { return measure.Modes{} }

// A presentRunner checks and times candidates on a GPU that is here.
type presentRunner struct{ *GPU }

// Run checks candidates and times those that are correct.
func (g presentRunner) Run(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	return g.inTurn(ctx, inputs, built, "measuring %d", g.device.Run)
}

// Modes says that finalists are timed in turns.
func (g presentRunner) Modes() measure.Modes { return measure.Modes{InTurns: g.Remeasure} }

// Remeasure is Run for the finalists, in turns.
func (g presentRunner) Remeasure(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	return g.inTurn(ctx, inputs, built, "measuring the %d best again, in turns", g.device.Remeasure)
}

// inTurn runs candidates when no other process times any on the GPU.
func (g presentRunner) inTurn(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult, says string,
	run func(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error),
) ([]measure.Result, error) {
	release, err := g.takeTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	g.tell(says, len(built))
	results, err := run(ctx, inputs, built)
	return withUsage(results, built), err
}

// withUsage has the messages of good results begin with what their kernels take.
func withUsage(results []measure.Result, built []measure.BuildResult) []measure.Result {
	for i := range results {
		res := &results[i]
		if res.Status != measure.OK {
			continue
		}
		if res.Message != "" {
			res.Message = "; " + res.Message
		}
		res.Message = built[i].Message + res.Message
	}
	return results
}

// Export implements Machine.
func (g *GPU) Export(ctx context.Context, f *tir.Func, opt ExportOptions) (Export, error) {
	code, err := g.compile(ctx, f)
	if err != nil {
		return Export{}, err
	}
	emit := cuda.Emit
	if code.rolled {
		emit = cuda.EmitRolled
	}
	opt.Note += "\n" + code.usage
	e := Export{ResourceUsage: code.usage}
	if e.Files, err = model.ExportCUDA(f, g.gpu, emit, opt); err != nil {
		return Export{}, err
	}
	if code.cubin == nil {
		e.Missing = "kernel.cubin: " + g.missing.Error()
		return e, nil
	}
	e.Files = append(e.Files, model.File{Name: "kernel.cubin", Data: code.cubin})
	return e, nil
}
