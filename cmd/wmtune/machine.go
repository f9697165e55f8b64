package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
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

// A machine is this machine as a place to build and run programs: the build
// workers, the run worker and the target that they stand for.
type machine struct {
	target  target.Target
	builder *build.Builder
	runner  *run.Runner
}

// openMachine starts jobs build workers; 0 means one per core.
func openMachine(ctx context.Context, jobs int) (*machine, error) {
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
	m := &machine{}
	if m.builder, err = build.New(ctx, build.Config{Command: command, Workers: jobs, LLVM: os.Getenv(llvmVariable)}); err != nil {
		return nil, err
	}
	info := m.builder.Info()
	if m.target, err = codegen.Host(&info); err != nil {
		m.close()
		return nil, err
	}
	cfg, err := runConfig(m.target.Hardware.Cores)
	if err == nil {
		m.runner, err = run.New(cfg)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

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

func (m *machine) close() {
	if m.runner != nil {
		m.runner.Close()
	}
	m.builder.Close()
}

// setTask makes the runner ready for programs of d: it builds and runs the
// reference that they are compared with. The seed makes the inputs.
func (m *machine) setTask(ctx context.Context, d *compute.DAG, seed uint64) error {
	reference, err := m.builder.Reference(ctx, d, m.target)
	if err != nil {
		return err
	}
	runtime, err := m.builder.Compile(ctx, []byte(llvm.RuntimeIR()), build.Options{})
	if err != nil {
		return fmt.Errorf("compile the kernels' run-time: %w", err)
	}
	return m.runner.SetTask(ctx, run.Task{DAG: d, Reference: reference, Runtime: runtime, Seed: seed})
}

// baseline builds and times one state that candidates are compared with.
func (m *machine) baseline(ctx context.Context, s *schedule.State) (measure.Result, error) {
	built, err := m.builder.Build(ctx, []measure.Input{{State: s, Target: m.target}})
	if err != nil {
		return measure.Result{}, err
	}
	return m.runner.Baseline(ctx, built[0])
}
