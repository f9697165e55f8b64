package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

// A deviceResult is what a GPU's compiler makes of a program.
type deviceResult struct {
	status  measure.Status
	message string
	spills  bool // it compiles, and does not fit its registers: a build error
}

// openCompilers opens those of Options.Compile.
func (s *session) openCompilers(ctx context.Context) error {
	if len(s.Compile) == 0 {
		return nil
	}
	var gpus []target.Target
	for _, arch := range s.Compile {
		gpu, err := target.GPU(strings.TrimSpace(arch))
		if err == nil {
			_, err = nvrtc.LimitsOf(gpu.Arch)
		}
		if err != nil {
			return tune.Optionf("--compile: %v", err)
		}
		gpus = append(gpus, gpu)
		s.result.Compiled = append(s.result.Compiled,
			&Compiled{Target: gpu.String(), Status: map[string]int{}, Failed: []Failure{}})
	}
	var err error
	if s.gpus, err = machine.OpenGPUCompilers(ctx, gpus, s.Machine); err != nil {
		return fmt.Errorf("--compile: %w", err)
	}
	return nil
}

// compileOnly compiles the program of a GPU's record for each architecture of Options.Compile.
// It is lowered for each: where a copy is asynchronous depends on it.
func (s *session) compileOnly(ctx context.Context, p *pending) ([]deviceResult, error) {
	if p.record.Target.Kind != target.CUDA {
		return nil, nil
	}
	var list []deviceResult
	for _, g := range s.gpus {
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

// A Compiled counts how GPU programs compile for one architecture.
type Compiled struct {
	Target   string         `json:"target"`
	Programs int            `json:"programs"`
	Status   map[string]int `json:"status"`
	Spilled  int            `json:"spilled"`  // of the build errors: they compile, and do not fit their registers
	Failed   []Failure      `json:"failures"` // good programs that have no machine code, in the order of the logs
}

// note counts how a record's program compiles. A search rejects a program that spills; here it is
// no failure: whoever measured it may have timed it so.
func (c *Compiled) note(p *pending, d deviceResult) {
	c.Programs++
	c.Status[d.status.String()]++
	if d.spills {
		c.Spilled++
	}
	if wasGood(&p.record) && d.status != measure.OK && !d.spills {
		c.Failed = append(c.Failed, p.failure(c.Target, d.status, d.message))
	}
}
