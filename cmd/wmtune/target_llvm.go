package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/llvm"
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

// callTimeout bounds one call of a program when no fast one is known: the
// untuned loop nest of the largest workloads takes tens of seconds.
const callTimeout = 90 * time.Second

// llvmVariable names the environment variable with the path of libLLVM; without
// it the usual names are tried.
const llvmVariable = "WMTUNE_LLVM"

// llvmTarget is this machine's processor, through LLVM.
var llvmTarget = targetKind{
	kind: target.LLVM,
	help: "this machine's CPU",
	spaces: []spaceRow{
		{"wmtune", search.Space{Sketch: sketch.CPU, Annotate: annotate.CPU, Mutators: evolve.CPU}},
		{"autoscheduler", search.Space{Sketch: sketch.CPU, Annotate: annotate.AutoScheduler, Mutators: evolve.CPU}},
	},
	forms: []codeForm{{"llvm", ";", llvmText}, {"asm", "#", asmText}},
	packs: true,
	valid: func(text string) error {
		if text != string(target.LLVM) {
			return fmt.Errorf("%q: %s is this machine's processor, and takes no options", text, target.LLVM)
		}
		return nil
	},
	open: func(ctx context.Context, _ string, jobs int) (machine, error) { return openProcessor(ctx, jobs) },
}

// buildNice keeps build workers out of the way of the kernel that is timed while
// they build the next ones.
const buildNice = 10

// A processor is this machine's: the build workers, the run worker and the target
// that they stand for.
type processor struct {
	host  target.Target
	build *build.Builder
	runs  *run.Runner
	flops float64 // of the task that is set
}

// openProcessor starts jobs build workers; 0 means one per core.
func openProcessor(ctx context.Context, jobs int) (*processor, error) {
	command, err := workerCommand("build")
	if err != nil {
		return nil, err
	}
	cores, err := run.UsableCores()
	if err != nil {
		return nil, err
	}
	if jobs == 0 {
		jobs = len(cores)
	}
	m := &processor{}
	if m.build, err = build.New(ctx, build.Config{Command: command, Workers: jobs, LLVM: os.Getenv(llvmVariable), Nice: buildNice}); err != nil {
		return nil, err
	}
	info := m.build.Info()
	if m.host, err = codegen.Host(&info); err != nil {
		m.close()
		return nil, err
	}
	cfg, err := runConfig(m.host.Hardware.Cores)
	if err == nil {
		m.runs, err = run.New(cfg)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *processor) target() target.Target   { return m.host }
func (m *processor) builder() search.Builder { return m.build }
func (m *processor) runner() search.Runner   { return m.runs }
func (m *processor) cannotTime() string      { return "" }
func (m *processor) conditions() string      { return "" }

// workerCommand is the command that starts a worker of this program.
func workerCommand(kind string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start its workers: %w", err)
	}
	return []string{self, "worker", kind}, nil
}

// runConfig says how programs are run on that many cores.
func runConfig(cores int) (run.Config, error) {
	command, err := workerCommand("run")
	if err != nil {
		return run.Config{}, err
	}
	list, err := run.UsableCores()
	if err != nil {
		return run.Config{}, err
	}
	return run.Config{Command: command, Cores: list[:min(len(list), cores)], Timeout: callTimeout}, nil
}

func (m *processor) close() {
	if m.runs != nil {
		m.runs.Close()
	}
	m.build.Close()
}

func (m *processor) setTask(ctx context.Context, d *compute.DAG, seed uint64) error {
	t, err := m.task(ctx, d, seed)
	if err != nil {
		return err
	}
	m.flops = d.FLOPs()
	return m.runs.SetTask(ctx, t)
}

// task builds what programs of d are compared with.
func (m *processor) task(ctx context.Context, d *compute.DAG, seed uint64) (run.Task, error) {
	reference, err := m.build.Reference(ctx, d, m.host)
	if err != nil {
		return run.Task{}, err
	}
	runtime, err := m.build.Runtime(ctx)
	if err != nil {
		return run.Task{}, err
	}
	return run.Task{DAG: d, Reference: reference, Runtime: runtime, Seed: seed}, nil
}

func (m *processor) baseline(ctx context.Context, s *schedule.State) (measure.Result, error) {
	built, err := m.build.Build(ctx, []measure.Input{{State: s, Target: m.host}})
	if err != nil {
		return measure.Result{}, err
	}
	return m.runs.Baseline(ctx, built[0])
}

func (m *processor) export(ctx context.Context, f *tir.Func, note string) (exported, error) {
	lib, err := m.build.Library(ctx, f, m.host, build.LibraryOptions{Name: kernelName, Note: note})
	if err != nil {
		return exported{}, err
	}
	e := exported{files: lib.Files()}
	if lib.NoShared != "" {
		e.lacks = "kernel.so: " + lib.NoShared
	}
	return e, nil
}

// kernelName is the C function's name in exported kernels.
const kernelName = "kernel"

func llvmText(_ context.Context, _ *programs, f *tir.Func, t target.Target) (string, error) {
	var text strings.Builder
	err := llvm.Emit(&text, f, t)
	return text.String(), err
}

// asmText compiles for the machine that the record names, which need not be this
// one.
func asmText(ctx context.Context, p *programs, f *tir.Func, t target.Target) (string, error) {
	ir, err := llvmText(ctx, p, f, t)
	if err != nil {
		return "", err
	}
	if p.builder == nil {
		command, err := workerCommand("build")
		if err != nil {
			return "", err
		}
		if p.builder, err = build.New(ctx, build.Config{Command: command, LLVM: os.Getenv(llvmVariable)}); err != nil {
			return "", err
		}
	}
	asm, err := p.builder.Compile(ctx, []byte(ir), build.Options{Form: build.Assembly, CPU: t.CPU, Features: t.Features})
	return string(asm), err
}
