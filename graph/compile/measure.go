package compile

import (
	"context"

	"github.com/wmtune/wmtune/graph"
)

// RunOptions say how Measure runs a bundle.
type RunOptions struct {
	Input  string // file of inputs, as SetFile takes it; "": random ones
	Output string // file for the outputs, as Save writes it; "": none
	Seed   uint64 // of random inputs
	Repeat int    // timed runs
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
	var expected []*graph.Const
	var err error
	if opt.Input == "" {
		b.SetRandom(opt.Seed)
	} else if expected, err = b.SetFile(opt.Input); err != nil {
		return nil, err
	}
	outputs, err := b.Run(ctx)
	if err != nil {
		return nil, err
	}
	if opt.Output != "" {
		if err := b.Save(opt.Output, outputs); err != nil {
			return nil, err
		}
	}
	r := &RunResult{Bundle: b.Result.Name, Repeat: opt.Repeat}
	d, known, err := b.Compare(outputs, expected)
	if err != nil {
		return nil, err
	}
	if known {
		r.MaxError = &d
	}
	for i, o := range outputs {
		r.Outputs = append(r.Outputs, b.Result.Outputs[i])
		r.Outputs[i].Shape = o.Shape
	}
	times, err := b.Time(ctx, opt.Repeat)
	if err != nil {
		return nil, err
	}
	r.MinUS, r.MedianUS = micro(times[0]), micro(times[len(times)/2])
	return r, nil
}
