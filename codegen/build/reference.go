package build

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Reference builds the program that candidates for a DAG are checked against:
// the same DAG with every float type replaced by float64, each op computed in a
// loop nest of its own. The order of the loops is the one that does without
// tuning, so that the largest workloads take seconds; no result is reused from
// one row to the next, and nothing of a candidate's schedule enters.
func (b *Builder) Reference(ctx context.Context, d *compute.DAG, t target.Target) (measure.BuildResult, error) {
	fn, err := referenceFunc(compute.Widen(d), t)
	if err != nil {
		return measure.BuildResult{}, fmt.Errorf("build: reference program: %w", err)
	}
	return b.Patient().BuildFunc(ctx, fn, t)
}

// Runtime compiles the run-time of parallel kernels (llvm.RuntimeFor), for this machine or with options for another.
func (b *Builder) Runtime(ctx context.Context, opt Options) ([]byte, error) {
	object, err := b.Patient().Compile(ctx, []byte(llvm.RuntimeFor(opt.Triple)), opt)
	if err != nil {
		return nil, fmt.Errorf("compile the kernels' run-time: %w", err)
	}
	return object, nil
}

// referenceFunc lowers d, every op as
//
//	parallel all spatial axes but the last, fused:
//	  for each reduction axis:
//	    vectorize the last spatial axis:
//
// so that sums run over rows of the operand that varies fastest. Where all
// operands lie in rows along the reduction, as in x[i, k]*w[j, k], the loops stay
// as they are, with all spatial ones parallel.
func referenceFunc(d *compute.DAG, t target.Target) (*tir.Func, error) {
	s := schedule.New(d)
	for i, op := range d.Ops {
		steps := NestSteps(i, len(op.Axes), len(op.ReduceAxes))
		if sumsRows(op) {
			steps = rowSteps(i, len(op.Axes))
		}
		for _, step := range steps {
			var err error
			if s, err = s.Apply(step); err != nil {
				return nil, err
			}
		}
	}
	return lower.Lower(s, lower.Config{Target: t})
}

// NestSteps are the steps of a schedule that needs no search, for a stage with so many axes: the loops that
// referenceFunc describes.
func NestSteps(stage, spatial, reduce int) []schedule.Step {
	if spatial == 0 {
		return nil
	}
	var steps []schedule.Step
	last := spatial - 1 // position of the last spatial axis
	if reduce > 0 && spatial > 1 {
		var order []int
		for i := range spatial + reduce {
			if i != spatial-1 {
				order = append(order, i)
			}
		}
		steps = append(steps, schedule.Reorder{At: stage, Order: append(order, spatial-1)})
		last = spatial + reduce - 1
	}
	if spatial > 1 || reduce == 0 {
		steps = append(steps, schedule.Annotate{At: stage, Iter: last, Ann: schedule.Vectorize})
	}
	if spatial > 2 {
		var outer []int
		for i := range spatial - 1 {
			outer = append(outer, i)
		}
		steps = append(steps, schedule.Fuse{At: stage, Iters: outer})
	}
	if spatial > 1 || reduce > 0 {
		steps = append(steps, schedule.Annotate{At: stage, Iter: 0, Ann: schedule.Parallel})
	}
	return steps
}

// sumsRows reports whether op is a reduction whose operands are all read along
// their last dimension as the reduction goes on.
func sumsRows(op *compute.Op) bool {
	if len(op.ReduceAxes) == 0 {
		return false
	}
	for _, e := range op.Body {
		for l := range tir.ExprsIn[*tir.Load](e) {
			if len(l.Index) == 0 {
				continue
			}
			if last := l.Index[len(l.Index)-1]; !usesAny(last, op.ReduceAxes) || usesAny(last, op.Axes) {
				return false
			}
		}
	}
	return true
}

func usesAny(e tir.Expr, axes []*compute.Axis) bool {
	return slices.ContainsFunc(axes, func(a *compute.Axis) bool { return tir.Uses(e, a.Var) })
}

// rowSteps make the spatial loops one parallel loop.
func rowSteps(stage, spatial int) []schedule.Step {
	if spatial == 0 {
		return nil
	}
	var steps []schedule.Step
	if spatial > 1 {
		outer := make([]int, spatial)
		for i := range outer {
			outer[i] = i
		}
		steps = append(steps, schedule.Fuse{At: stage, Iters: outer})
	}
	return append(steps, schedule.Annotate{At: stage, Iter: 0, Ann: schedule.Parallel})
}
