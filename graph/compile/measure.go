package compile

import (
	"context"
	"fmt"
	"os"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/npy"
)

// RunOptions say how Measure runs a bundle.
type RunOptions struct {
	Inputs map[string]any // as Bundle.Run takes them; nil: those of Input
	Input  string         // file of inputs, as SetFile takes it; "": random ones
	Output string         // file for the outputs, as Save writes it; "": none
	Seed   uint64         // of random inputs
	Repeat int            // timed runs
}

// A RunResult is what Measure found. Fields may be added, never renamed.
type RunResult struct {
	Bundle   string     `json:"bundle"`
	Repeat   int        `json:"repeat"`
	MinUS    float64    `json:"min_us"`
	MedianUS float64    `json:"median_us"`
	Outputs  []PortInfo `json:"outputs"`                      // with their true shapes
	MaxError *float64   `json:"max_relative_error,omitempty"` // from the outputs that the file of inputs has
}

// Measure runs a bundle for one set of inputs, writes its outputs and times it.
func (b *Bundle) Measure(ctx context.Context, opt RunOptions) (*RunResult, error) {
	if opt.Output != "" {
		if err := npy.Writable(opt.Output, len(b.outputs)); err != nil {
			return nil, err
		}
		in, err1 := os.Stat(opt.Input)
		out, err2 := os.Stat(opt.Output)
		if err1 == nil && err2 == nil && os.SameFile(in, out) {
			return nil, fmt.Errorf("%s holds the inputs: name another file for the outputs", opt.Output)
		}
	}
	outputs, maxError, err := b.first(ctx, opt)
	if err != nil {
		return nil, err
	}
	if opt.Output != "" {
		if err := b.Save(opt.Output, outputs); err != nil {
			return nil, err
		}
	}
	r := &RunResult{Bundle: b.Result.Name, Repeat: opt.Repeat, MaxError: maxError}
	for i, o := range outputs {
		r.Outputs = append(r.Outputs, b.Result.Outputs[i])
		r.Outputs[i].Shape = o.Shape
	}
	if b.Result.State != nil { // each timed run begins as the first did
		if err := b.Truncate(ctx, 0); err != nil {
			return nil, err
		}
	}
	times, err := b.Time(ctx, opt.Repeat)
	if err != nil {
		return nil, err
	}
	r.MinUS, r.MedianUS = micro(times[0]), micro(times[len(times)/2])
	return r, nil
}

// Check runs a bundle for the inputs of a file, as SetFile takes it, or for random ones if path is "". It returns the
// largest difference from the outputs that the file has, as a share of the largest output; nil if it has none.
func (b *Bundle) Check(ctx context.Context, path string) (maxError *float64, err error) {
	_, maxError, err = b.first(ctx, RunOptions{Input: path})
	return maxError, err
}

// first runs a bundle once, for given inputs, those of a file, or random ones.
func (b *Bundle) first(ctx context.Context, opt RunOptions) (out []*graph.Const, maxError *float64, err error) {
	var expected []*graph.Const
	switch {
	case opt.Inputs != nil && opt.Input != "":
		return nil, nil, fmt.Errorf("inputs of %s: give them, or a file of them, not both", b.Result.Name)
	case opt.Inputs != nil:
		err = b.Set(opt.Inputs)
	case opt.Input != "":
		expected, err = b.SetFile(opt.Input)
	default:
		b.SetRandom(opt.Seed)
	}
	if err != nil {
		return nil, nil, err
	}
	if out, err = b.RunSet(ctx); err != nil {
		return nil, nil, err
	}
	d, known, err := b.Compare(out, expected)
	if known {
		maxError = &d
	}
	return out, maxError, err
}
