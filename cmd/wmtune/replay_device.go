package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// A deviceResult is what a GPU's compiler makes of a program.
type deviceResult struct {
	status  measure.Status
	message string
	spills  bool // it compiles, and does not fit its registers: a build error
}

// openCompilers opens those of --compile.
func (r *replaying) openCompilers(ctx context.Context) error {
	if r.archs == "" {
		return nil
	}
	var gpus []target.Target
	for arch := range strings.SplitSeq(r.archs, ",") {
		gpu, err := target.GPU(strings.TrimSpace(arch))
		if err == nil {
			_, err = nvrtc.LimitsOf(gpu.Arch)
		}
		if err != nil {
			return usageError{"--compile: " + err.Error()}
		}
		gpus = append(gpus, gpu)
		r.report.Compiled = append(r.report.Compiled, &replayCompiled{Target: gpu.String(), Status: map[string]int{}, Failed: []replayFailed{}})
	}
	var err error
	if r.gpus, err = machine.OpenGPUCompilers(ctx, gpus, machineOptions(0)); err != nil {
		return fmt.Errorf("--compile: %w", err)
	}
	return nil
}

// compileOnly compiles the program of a GPU's record for each architecture of --compile.
// It is lowered for each: where a copy is asynchronous depends on it.
func (r *replaying) compileOnly(ctx context.Context, p *pending) ([]deviceResult, error) {
	if p.record.Target.Kind != target.CUDA {
		return nil, nil
	}
	var list []deviceResult
	for _, g := range r.gpus {
		f, err := lower.Lower(p.state, lower.Config{Target: g.Target(), Layout: p.record.Layout})
		if err != nil {
			list = append(list, deviceResult{status: measure.LowerError, message: err.Error()})
			continue
		}
		err = g.Compiles(ctx, f)
		var rejected *machine.RejectedError
		switch {
		case err == nil:
			list = append(list, deviceResult{status: measure.OK})
		case errors.As(err, &rejected):
			list = append(list, deviceResult{rejected.Status, rejected.Why, rejected.Spills})
		default:
			return nil, err
		}
	}
	return list, nil
}

// A replayCompiled is what came of the programs of GPUs for one architecture.
type replayCompiled struct {
	Target   string         `json:"target"`
	Programs int            `json:"programs"`
	Status   map[string]int `json:"status"`
	Spilled  int            `json:"spilled"`  // of the build errors: they compile, and do not fit their registers
	Failed   []replayFailed `json:"failures"` // good programs that have no machine code, in the order of the logs
}

// note counts what came of a record's program. That a program spills is what a search
// refuses, and no failure here: whoever measured it may have timed it so.
func (c *replayCompiled) note(p *pending, d deviceResult) {
	c.Programs++
	c.Status[d.status.String()]++
	if d.spills {
		c.Spilled++
	}
	good := p.record.Status == measure.OK || p.record.Status == measure.Unmeasured
	if good && d.status != measure.OK && !d.spills {
		c.Failed = append(c.Failed, replayFailed{
			Log: p.log, Record: p.number, Workload: p.record.Title(), Target: c.Target,
			Logged: p.record.Status.String(), Status: d.status.String(), Message: d.message,
		})
	}
}

func (c *replayCompiled) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d programs: %d fit, %d spill", c.Target, c.Programs, c.Status[measure.OK.String()], c.Spilled)
	for _, s := range measure.Statuses() {
		n := c.Status[s.String()]
		if s == measure.BuildError {
			n -= c.Spilled
		}
		if s != measure.OK && n > 0 {
			fmt.Fprintf(w, ", %d %s", n, s)
		}
	}
	fmt.Fprintln(w)
	printFailed(w, c.Failed, "for "+c.Target+" is")
}
