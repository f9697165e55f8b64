package rivals

import (
	"context"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/tune"
)

// A Bundle is one of ours: a folder, and its name as a contender, which is OursName or begins with it.
type Bundle struct{ Name, Dir string }

// ours is a bundle as a contender. It needs no pause: the threads of its pool sleep soon after a run.
type ours struct {
	Bundle
	inputs string // .npz file; "": random ones
	load   compile.LoadOptions

	loaded   *compile.Bundle
	maxError *float64
}

func (o *ours) Name() string  { return o.Bundle.Name }
func (o *ours) Pause() error  { return nil }
func (o *ours) Resume() error { return nil }

func (o *ours) Prepare(ctx context.Context, _ string) (string, error) {
	var err error
	if o.loaded, err = compile.OpenBundle(ctx, o.Dir, o.load); err != nil {
		return "", err
	}
	o.maxError, err = o.loaded.Check(ctx, o.inputs)
	return tune.Version(), err
}

// Round takes single calls: what a sample holds at the least is not for models.
func (o *ours) Round(ctx context.Context, s Sampling) ([]float64, error) {
	times, err := o.loaded.Sample(ctx, model.Repeat{Warm: 2, Calls: s.Samples, Total: s.MaxTotal})
	var list []float64
	for _, t := range times {
		list = append(list, t.Seconds())
	}
	return list, err
}

func (o *ours) close() {
	if o.loaded != nil {
		o.loaded.Close()
	}
}
