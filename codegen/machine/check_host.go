package machine

import (
	"context"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
)

// A program of a GPU is checked on this machine's processor. Some of its blocks are
// interpreted, to find races (interp.CheckBlocks). Then it is compiled and runs twice,
// the threads of a block from the first to the last and from the last to the first
// (lower.OnHost), and must compute the right thing both times. Of a program that would
// take long, some blocks run (lower.SomeBlocks).

// hostFLOPs is how many operations a program that is checked may take to run whole:
// half a second's or so on one core.
const hostFLOPs = 2e9

// buildForHost lowers programs of a GPU, interprets blocks of them and compiles them
// for the processor m.
func buildForHost(ctx context.Context, m *CPU, inputs []measure.Input) ([]measure.BuildResult, error) {
	results := make([]measure.BuildResult, len(inputs))
	var decode build.Decoder
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(m.opt.Workers, runtime.GOMAXPROCS(0)))
	for i, in := range inputs {
		group.Go(func() error {
			start := time.Now()
			r := &results[i]
			f, d, err := decode.Lower(in)
			if err != nil {
				r.Status, r.Message = measure.LowerError, err.Error()
				return ctx.Err()
			}
			r.Status, r.TF32 = measure.OK, f.Rounds()
			if err = checkBlocks(ctx, f, r); err == nil {
				err = addHostPrograms(ctx, m, f, d.FLOPs(), r)
			}
			r.Seconds = time.Since(start).Seconds()
			return err
		})
	}
	return results, group.Wait()
}

// checkBlocks interprets blocks of a program, and notes a race in its result. The error
// is the context's.
func checkBlocks(ctx context.Context, f *tir.Func, r *measure.BuildResult) error {
	if err := interp.CheckBlocks(ctx, f); err != nil && ctx.Err() == nil {
		r.Status, r.Message = measure.WrongAnswer, err.Error()
	}
	return ctx.Err()
}

// addHostPrograms compiles a program that is good so far for the processor, in both
// orders of threads. What is wrong with it is in its result.
func addHostPrograms(ctx context.Context, m *CPU, f *tir.Func, flops float64, r *measure.BuildResult) error {
	if r.Status != measure.OK {
		return nil
	}
	part, some := affordable(f, flops)
	for _, order := range []lower.Order{lower.Forward, lower.Backward} {
		built, err := m.build.BuildOnHost(ctx, []*tir.Func{part}, order, m.host)
		if err != nil {
			return err
		}
		if b := built[0]; b.Status != measure.OK {
			r.Status, r.Message = b.Status, b.Message
			return nil
		}
		r.Host = append(r.Host, measure.HostProgram{Object: built[0].Object, Symbol: built[0].Symbol, Part: some})
	}
	return nil
}

// affordable returns f, or some of its blocks if it takes too many operations, and
// whether it is some.
func affordable(f *tir.Func, flops float64) (*tir.Func, bool) {
	if flops > hostFLOPs {
		if some, ok := lower.SomeBlocks(f, int64(hostFLOPs/flops*float64(blocksOf(f)))); ok {
			return some, true
		}
	}
	return f, false
}

// blocksOf returns the number of blocks of the first kernel of f.
func blocksOf(f *tir.Func) int64 {
	n, done := int64(1), false
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if l, ok := s.(*tir.For); ok && !done {
			if done = l.Kind != tir.ThreadBound || !strings.HasPrefix(l.Thread, "blockIdx."); !done {
				n *= l.Extent.(*tir.IntImm).Value
			}
		}
		return !done
	})
	return n
}

// runOnHost runs the host programs of those that were built, in both orders of threads.
// Results align with built and have no costs.
func runOnHost(ctx context.Context, m *CPU, built []measure.BuildResult) ([]measure.Result, error) {
	results := make([]measure.Result, len(built))
	orders := 0
	for i, b := range built {
		results[i] = measure.Result{Status: b.Status, Message: b.Message, Unix: time.Now().Unix()}
		orders = max(orders, len(b.Host))
	}
	for order := range orders {
		for _, c := range []run.Coverage{run.Whole, run.Part} {
			programs, any := make([]measure.BuildResult, len(built)), false
			for i, b := range built {
				if results[i].Status == measure.OK && order < len(b.Host) && b.Host[order].Part == (c == run.Part) {
					p := b.Host[order]
					programs[i] = measure.BuildResult{Status: measure.OK, Object: p.Object, Symbol: p.Symbol, TF32: b.TF32}
					any = true
				}
			}
			if !any {
				continue
			}
			checked, err := m.runs.CheckOnce(ctx, programs, c)
			if err != nil {
				return nil, err
			}
			for i, res := range checked {
				if programs[i].Status == measure.OK {
					res.Seconds += results[i].Seconds
					results[i] = res
				}
			}
		}
	}
	return results, nil
}
