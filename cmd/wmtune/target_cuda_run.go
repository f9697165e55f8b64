package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// cudaVariable names the environment variable with the path of the driver of GPUs;
// without it the system's is tried.
const cudaVariable = "WMTUNE_CUDA"

// gpusHere lists the GPUs of this machine; driver.ErrNone is the error if there are
// none.
func gpusHere() ([]driver.Device, error) { return driver.Devices(os.Getenv(cudaVariable)) }

// gpuTimeout bounds one call of a program on a GPU when no fast one is known. While a
// program runs, nothing else does.
const gpuTimeout = 10 * time.Second

// openDevice makes the runner for the GPU of the target, if it is here and there is a
// compiler for it. Where it is not, absent says why.
func (g *graphics) openDevice() error {
	list, err := gpusHere()
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
	command, err := workerCommand("gpu")
	if err != nil {
		return err
	}
	cfg, err := runConfig(g.host.host.Hardware.Cores)
	if err != nil {
		return err
	}
	cfg.Command, cfg.Reference, cfg.Device, cfg.Timeout = command, cfg.Command, at, gpuTimeout
	g.device, err = run.New(cfg)
	return err
}

// launchesOf says how the kernels of a program are launched, and the sizes of the
// workspaces that they take.
func launchesOf(f *tir.Func, kernels []cuda.Kernel) (launches []measure.Launch, workspaces []int64) {
	spare := cuda.Workspaces(f, kernels)
	for _, ws := range spare {
		workspaces = append(workspaces, ws.Bytes())
	}
	for _, k := range kernels {
		l := measure.Launch{Kernel: k.Name, Grid: [3]int64{k.Grid.X, k.Grid.Y, k.Grid.Z}, Block: [3]int64{k.Block.X, k.Block.Y, k.Block.Z}}
		for _, b := range k.Args {
			at := slices.Index(f.Params, b)
			if at < 0 {
				at = len(f.Params) + slices.Index(spare, b)
			}
			l.Args = append(l.Args, at)
		}
		launches = append(launches, l)
	}
	return launches, workspaces
}

// A timedGraphics is a GPU that is here: candidates are checked and timed on it.
type timedGraphics struct{ *graphics }

// Run checks candidates and times those that are correct. Some blocks of each are
// interpreted before: a race need not show on the GPU at hand.
func (g timedGraphics) Run(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	return g.measure(ctx, inputs, builds, func(builds []measure.BuildResult) ([]measure.Result, error) {
		g.tell("measuring %d", len(builds))
		return g.device.Run(ctx, inputs, builds)
	})
}

// Remeasure is Run for the finalists, in turns.
func (g timedGraphics) Remeasure(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	return g.measure(ctx, inputs, builds, func(builds []measure.BuildResult) ([]measure.Result, error) {
		g.tell("measuring the %d best again, in turns", len(builds))
		return g.device.Remeasure(ctx, inputs, builds)
	})
}

// measure has candidates measured whose blocks are free of races. The message of one
// that is good says what its kernels take.
func (g timedGraphics) measure(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult, on func([]measure.BuildResult) ([]measure.Result, error)) ([]measure.Result, error) {
	builds = slices.Clone(builds)
	fns := make([]*tir.Func, len(inputs))
	for i, in := range inputs {
		if builds[i].Status != measure.OK {
			continue
		}
		var err error
		if fns[i], err = g.lowered(in.State); err != nil {
			panic("BUG: a candidate was built that does not lower: " + err.Error())
		}
	}
	checked, err := checkBlocks(ctx, fns, g.counter("checking", len(fns)))
	if err != nil {
		return nil, err
	}
	for i, res := range checked {
		if fns[i] != nil && res.Status != measure.OK {
			builds[i].Status, builds[i].Message = res.Status, res.Message
		}
	}
	results, err := on(builds)
	if err != nil {
		return nil, err
	}
	for i := range results {
		res := &results[i]
		res.Seconds += checked[i].Seconds
		res.CheckSeconds += checked[i].Seconds
		if res.Status != measure.OK {
			continue
		}
		if res.Message != "" {
			res.Message = "; " + res.Message
		}
		res.Message = builds[i].Message + res.Message
	}
	return results, nil
}
