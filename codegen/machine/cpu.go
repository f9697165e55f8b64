package machine

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// callTimeout bounds one call of a program when no fast one is known: the untuned loop
// nest of the largest workloads takes tens of seconds.
const callTimeout = 90 * time.Second

// buildNice keeps build workers out of the way of the kernel that is timed while
// they build the next ones.
const buildNice = 10

// A CPU is this machine's processor, or another one (For): its build workers, its run worker and the target
// that they stand for.
type CPU struct {
	host  target.Target
	opt   Options
	build *build.Builder
	runs  *run.Runner

	borrows bool // build is another CPU's

	others   []*CPU // of ForAll
	native   *CPU   // this machine's; nil if m is it
	level    string // of a processor that is not this machine's: what LLVM calls it
	untimed  string // why programs are not timed; "" if they are
	emulated bool   // programs run under an emulator
}

// OpenCPU starts the build workers of this machine's processor.
func OpenCPU(ctx context.Context, opt Options) (*CPU, error) {
	command, err := opt.workerCommand("build")
	if err != nil {
		return nil, err
	}
	cores, err := run.UsableCores()
	if err != nil {
		return nil, err
	}
	if opt.Workers == 0 {
		opt.Workers = len(cores)
	}
	m := &CPU{opt: opt}
	if len(opt.Emulator) > 0 {
		m.emulated, m.untimed = true, "wmtune runs under an emulator: candidates are checked, and not timed"
	}
	m.build, err = build.New(ctx, build.Config{Command: command, Workers: opt.Workers, LLVM: opt.Libraries.LLVM,
		Nice: buildNice})
	if err != nil {
		return nil, err
	}
	info := m.build.Info()
	if m.host, err = codegen.Host(&info); err != nil {
		m.Close()
		return nil, err
	}
	cfg, err := opt.runConfig(m.host.Hardware.Cores)
	if err == nil {
		m.runs, err = run.New(cfg)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// WithCores returns the same processor as if the process might use n of its cores: what is compiled for it is made for
// that many threads. Programs are timed on no more cores than there are. It uses the build workers of m, so it must be
// closed before m.
func (m *CPU) WithCores(n int) (*CPU, error) {
	c := *m
	c.host.Hardware.Cores, c.borrows, c.runs, c.others = n, true, nil, nil
	cfg, err := c.opt.runConfig(n)
	if err != nil {
		return nil, err
	}
	c.runs, err = run.New(cfg)
	return &c, err
}

// runConfig says how programs are run on that many cores.
func (o *Options) runConfig(cores int) (run.Config, error) {
	cfg := o.Timing
	var err error
	if cfg.Command, err = o.workerCommand("run"); err != nil {
		return cfg, err
	}
	list, err := run.UsableCores()
	if err != nil {
		return cfg, err
	}
	cfg.Cores = list[:min(len(list), cores)]
	if cfg.Timeout == 0 {
		cfg.Timeout = callTimeout
	}
	return cfg, nil
}

// Target returns this processor as a target.
func (m *CPU) Target() target.Target { return m.host }

// Builder returns what compiles programs through LLVM.
func (m *CPU) Builder() Builder { return m.build }

// Runner returns what checks and times programs on this processor.
func (m *CPU) Runner() Runner {
	if m.untimed != "" {
		return checkingRunner{m}
	}
	return m.runs
}

// CannotTime returns "" for this machine's processor: programs are timed.
func (m *CPU) CannotTime() string { return m.untimed }

// Conditions returns "": they are not known.
func (m *CPU) Conditions() string { return "" }

// Info describes the compiler.
func (m *CPU) Info() build.Info { return m.build.Info() }

// Close ends the workers.
func (m *CPU) Close() {
	for _, c := range m.others {
		c.Close()
	}
	if m.runs != nil {
		m.runs.Close()
	}
	if !m.borrows {
		m.build.Close()
	}
}

// SetTask implements Machine. If times are measure.Deployed, constant operands come from memory, not from the caches.
func (m *CPU) SetTask(ctx context.Context, d *compute.DAG, seed uint64, timing measure.Timing) error {
	t, err := m.task(ctx, d, seed)
	if err != nil {
		return err
	}
	if timing == measure.Deployed {
		t.Footprint = evicting
		if size := LastLevelCache(); size > 0 {
			t.Footprint = 2 * size
		}
	}
	return m.runs.SetTask(ctx, t)
}

// evicting is how many bytes of copies of weights evict each other where the system does not say how large the
// last-level cache is.
const evicting = 64 << 20

// mostCached bounds what LastLevelCache returns: other cores use a large cache, too. (A core whose processor has one of
// 480 MB read 64 MB over and over at 30 GB/s, 128 MB at 21, 256 MB at 18, and memory at 16.)
const mostCached = 128 << 20

// LastLevelCache returns how many bytes stay in the largest cache of this machine's processor; 0 if that is not known.
func LastLevelCache() int64 { return lastLevel(os.DirFS("/")) }

func lastLevel(root fs.FS) int64 {
	size := int64(0)
	for _, c := range codegen.Caches(root) {
		size = max(size, c.Bytes)
	}
	return min(size, mostCached)
}

// task builds what programs of d are compared with.
func (m *CPU) task(ctx context.Context, d *compute.DAG, seed uint64) (run.Reference, error) {
	if _, err := run.Fits(d, m.opt.Timing.Memory); err != nil { // before anything is compiled for such shapes
		return run.Reference{}, err
	}
	reference, err := m.build.Reference(ctx, d, m.host)
	if err != nil {
		return run.Reference{}, err
	}
	runtime, err := m.build.Runtime(ctx, m.options())
	if err != nil {
		return run.Reference{}, err
	}
	return run.Reference{DAG: d, Program: reference, Runtime: runtime, Seed: seed}, nil
}

// Baseline implements Machine.
func (m *CPU) Baseline(ctx context.Context, in measure.Input) (measure.Result, error) {
	if m.untimed != "" {
		return measure.Result{Status: measure.Unmeasured, Message: m.untimed}, nil
	}
	built, err := m.build.Build(ctx, []measure.Input{in})
	if err != nil {
		return measure.Result{}, err
	}
	return m.runs.Baseline(ctx, built[0])
}

// Check implements Machine. Programs of a GPU are checked on this processor: with the
// thread loops split at the barriers, in two orders of threads, and some blocks
// interpreted to find races.
func (m *CPU) Check(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, []measure.Result, error) {
	if len(inputs) > 0 && inputs[0].Target.Kind == target.CUDA {
		built, err := buildForHost(ctx, m, inputs)
		if err != nil {
			return nil, nil, err
		}
		results, err := runOnHost(ctx, m, built)
		return built, results, err
	}
	built, err := m.build.Build(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	results, err := m.runs.Check(ctx, built)
	return built, results, err
}

// options are those of code that is no program's: of the run-time, and of what Peaks measures.
func (m *CPU) options() build.Options {
	if m.emulated || m.host.Triple() != "" {
		return build.For(m.host)
	}
	return build.Options{}
}

// Restart has the runner forget the candidates of an earlier search of the task.
func (m *CPU) Restart() { m.runs.Restart() }

// Remeasure times what was built in turns, as finalists of a search are.
func (m *CPU) Remeasure(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	return m.runs.Remeasure(ctx, inputs, built)
}

// Turns checks a program of the task, which is then timed round by round beside
// contenders that are not ours.
func (m *CPU) Turns(ctx context.Context, built measure.BuildResult) (*run.Turns, error) {
	return m.runs.Turns(ctx, built)
}

// Peaks measures what this machine can do in vectors of at most so many bytes: arithmetic, bandwidth and noise. It
// takes a few seconds and 400 MB.
func (m *CPU) Peaks(ctx context.Context, vectorBytes int) (run.Facts, error) {
	compile := func(ctx context.Context, ir string) ([]byte, error) {
		return m.build.Compile(ctx, []byte(ir), m.options())
	}
	runtimeObject, err := m.build.Runtime(ctx, m.options())
	if err != nil {
		return run.Facts{}, err
	}
	cfg, err := m.opt.runConfig(m.host.Hardware.Cores)
	if err != nil {
		return run.Facts{}, err
	}
	return run.MeasureMachine(ctx, cfg, runtimeObject, min(vectorBytes, m.host.Hardware.VectorBytes), compile)
}

// Export implements Machine.
func (m *CPU) Export(ctx context.Context, f *tir.Func, opt ExportOptions) (Export, error) {
	files, err := model.ExportKernel(ctx, m.build, f, m.host, opt)
	return Export{Files: files}, err
}

// Compiler returns what compiles LLVM IR text for this processor.
func (m *CPU) Compiler() *build.Builder { return m.build }

// WorkerCommand returns the command that starts a worker of a kind.
func (m *CPU) WorkerCommand(kind ...string) ([]string, error) { return m.opt.workerCommand(kind...) }
