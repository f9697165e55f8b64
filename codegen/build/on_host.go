package build

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// BuildOnHost compiles lowered programs of a GPU for host, a processor that is to
// check them: what is compiled runs the threads of a block one after another, in the
// given order (lower.OnHost), and its speed says nothing. Results align with fns; a
// nil one is left out, and its result has no status.
//
// It has more time for each than Config says.
func (b *Builder) BuildOnHost(
	ctx context.Context, fns []*tir.Func, order lower.Order, host target.Target,
) ([]measure.BuildResult, error) {
	b = b.Patient()
	return b.each(len(fns), func(i int) (measure.BuildResult, error) {
		if err := ctx.Err(); err != nil || fns[i] == nil {
			return measure.BuildResult{}, err
		}
		f, err := onHost(fns[i], order, host)
		if err != nil {
			return measure.BuildResult{Status: measure.LowerError, Message: err.Error()}, nil
		}
		r, err := b.BuildFunc(ctx, f, host)
		r.TF32 = fns[i].Rounds()
		return r, err
	})
}

// onHost turns a panic, which is a defect, into the failure of one program.
func onHost(fn *tir.Func, order lower.Order, host target.Target) (f *tir.Func, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("lower: on host: %v", p)
		}
	}()
	if f, err = lower.OnHost(fn, order); err != nil {
		return nil, err
	}
	return lower.ForCPU(f, host)
}
