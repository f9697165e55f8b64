package build

import (
	"context"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// BuildOnHost is Build for programs of a GPU that are to be checked on host, this
// machine's processor: each is lowered for its own target, and becomes a program
// that runs the threads of a block in the given order (lower.OnHost). Its speed
// says nothing.
func (b *Builder) BuildOnHost(ctx context.Context, inputs []measure.Input, order lower.Order, host target.Target) ([]measure.BuildResult, error) {
	return b.each(ctx, inputs, func(ctx context.Context, in measure.Input) (measure.BuildResult, error) {
		return b.buildAs(ctx, in, host, func(f *tir.Func) (*tir.Func, error) { return lower.OnHost(f, order) })
	})
}
