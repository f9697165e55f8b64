package machine

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/codegen/vdla"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
)

func validAccelerator(text string) error {
	if text != string(target.VDLA) {
		return fmt.Errorf("%q: %s is a simulated accelerator, and takes no options", text, target.VDLA)
	}
	return nil
}

// An Accelerator simulates programs. It counts cycles, so that the same search finds the same on any machine.
type Accelerator struct {
	opt      Options
	decode   build.Decoder
	dag      *compute.DAG
	tensors  []*interp.Tensor // inputs, then outputs that are not computed
	expected []element
}

// An element is one of an output, and what it must be.
type element struct {
	output, at int
	value      int64
}

// OpenAccelerator opens the simulated accelerator.
func OpenAccelerator(opt Options) (*Accelerator, error) {
	if opt.Workers == 0 {
		cores, err := run.UsableCores()
		if err != nil {
			return nil, err
		}
		opt.Workers = len(cores)
	}
	return &Accelerator{opt: opt}, nil
}

// Target returns the accelerator as a target.
func (a *Accelerator) Target() target.Target { return target.Accelerator() }

// Builder returns a, which makes instructions.
func (a *Accelerator) Builder() Builder { return a }

// Runner returns a, which carries them out.
func (a *Accelerator) Runner() Runner { return a }

// Modes returns none.
func (a *Accelerator) Modes() measure.Modes { return measure.Modes{} }

// CannotTime returns "": cycles are counted.
func (a *Accelerator) CannotTime() string { return "" }

// Conditions implements Machine.
func (a *Accelerator) Conditions() string {
	return fmt.Sprintf("simulated at %.0f MHz: transfers begin after %d cycles and move %d bytes a cycle", vdla.Clock/1e6,
		vdla.PYNQ.Latency, vdla.PYNQ.BytesPerCycle)
}

// Close implements Machine.
func (a *Accelerator) Close() {}

// expectedSteps bounds how many steps of sums the interpreter makes for the elements that results are compared with; at
// least fewestExpected are compared.
const (
	expectedSteps  = 1 << 22
	fewestExpected = 512
)

// SetTask implements Machine: the interpreter computes elements of the outputs that are drawn from the seed, or all.
func (a *Accelerator) SetTask(ctx context.Context, d *compute.DAG, seed uint64, _ measure.Timing) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	a.dag, a.tensors, a.expected = d, interp.NewTensors(d.Tensors), nil
	inputs := a.tensors[:len(a.tensors)-d.Outputs]
	for _, t := range inputs {
		if t.Type.IsFloat() {
			return fmt.Errorf("the accelerator computes with integers, and %s has elements of %s: use dtype=int8",
				d.Tensors[slices.Index(a.tensors, t)].Name, t.Type)
		}
		for i := range t.Data {
			t.Data[i] = byte(rng.Uint32())
		}
	}
	reference, err := interp.NewReference(d, inputs)
	if err != nil {
		return err
	}
	for k, t := range a.tensors[len(inputs):] {
		all := t.Len()
		n := min(all, max(fewestExpected, int(expectedSteps/max(1, d.FLOPs()/2/float64(all)))))
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := i
			if n < all {
				at = rng.IntN(all)
			}
			got, err := reference.At(d.Tensors[len(inputs)+k], int64(at))
			if err != nil {
				return err
			}
			a.expected = append(a.expected, element{len(inputs) + k, at, got.Int(at)})
		}
	}
	return nil
}

// Baseline times nothing: the untuned loop nest loads nothing into the accelerator's memories.
func (a *Accelerator) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.Unmeasured, Message: "the untuned loop nest is none of the accelerator's"}, nil
}

// Build implements Builder: the object is the text of the instructions.
func (a *Accelerator) Build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	results := make([]measure.BuildResult, len(inputs))
	err := a.each(ctx, len(inputs), func(i int) {
		start := time.Now()
		f, _, err := a.decode.Lower(inputs[i])
		if err != nil {
			results[i] = measure.BuildResult{Status: measure.LowerError, Message: err.Error()}
			return
		}
		results[i] = measure.BuildResult{Status: measure.OK}
		if p, err := vdla.Emit(f); err != nil {
			results[i] = measure.BuildResult{Status: measure.BuildError, Message: err.Error()}
		} else {
			results[i].Object = []byte(p.String())
		}
		results[i].Seconds = time.Since(start).Seconds()
	})
	return results, err
}

// each calls f for the numbers below n, several at once.
func (a *Accelerator) each(ctx context.Context, n int, f func(i int)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.opt.Workers)
	for i := range n {
		group.Go(func() error {
			if ctx.Err() == nil {
				f(i)
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// Run implements Runner. What the accelerator refuses is a crash.
func (a *Accelerator) Run(
	ctx context.Context, _ []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	results := make([]measure.Result, len(built))
	err := a.each(ctx, len(built), func(i int) {
		start := time.Now()
		if results[i] = (measure.Result{Status: built[i].Status, Message: built[i].Message}); built[i].Status == measure.OK {
			results[i] = a.simulate(string(built[i].Object))
		}
		results[i].Seconds, results[i].Unix = time.Since(start).Seconds(), start.Unix()
	})
	return results, err
}

// simulate runs a program and compares what it computes.
func (a *Accelerator) simulate(text string) measure.Result {
	p, err := vdla.Parse(text)
	if err != nil {
		return measure.Result{Status: measure.LoadError, Message: err.Error()}
	}
	contents := make([][]byte, len(a.tensors))
	for i, t := range a.tensors {
		contents[i] = bytes.Clone(t.Data)
	}
	stats, err := p.Run(vdla.PYNQ, contents)
	if err != nil {
		return measure.Result{Status: measure.Crash, Message: err.Error()}
	}
	for _, e := range a.expected {
		got := interp.Tensor{Type: a.tensors[e.output].Type, Data: contents[e.output]}
		if v := got.Int(e.at); v != e.value {
			return measure.Result{Status: measure.WrongAnswer, Message: fmt.Sprintf(
				"%s, element %d: got %d, the reference has %d", a.dag.Tensors[e.output].Name, e.at, v, e.value)}
		}
	}
	return measure.Result{Status: measure.OK, Costs: []float64{stats.Seconds()},
		Message: fmt.Sprintf("%d cycles, products in %.1f %% of them", stats.Cycles, 100*stats.Utilization())}
}

// Check implements Machine.
func (a *Accelerator) Check(
	ctx context.Context, inputs []measure.Input,
) ([]measure.BuildResult, []measure.Result, error) {
	built, err := a.Build(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	results, err := a.Run(ctx, inputs, built)
	return built, results, err
}

// Export implements Machine: the file is the text of the instructions, behind the note.
func (a *Accelerator) Export(_ context.Context, f *tir.Func, opt ExportOptions) (Export, error) {
	p, err := vdla.Emit(f)
	if err != nil {
		return Export{}, &RejectedError{Status: measure.BuildError, Why: err.Error()}
	}
	text := "# " + strings.ReplaceAll(strings.TrimSpace(opt.Note), "\n", "\n# ") + "\n" + p.String()
	return Export{Files: []model.File{{Name: "kernel.vdla", Data: []byte(text)}}}, nil
}
