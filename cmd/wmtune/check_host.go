package main

import (
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
)

// checkOnHost checks lowered programs of a GPU on this machine's processor, m, of
// which the task is set. Of each, some blocks are interpreted, to find races
// (interp.CheckBlocks). Then it is compiled and runs twice, the threads of a
// block from the first to the last and from the last to the first (lower.OnHost),
// and must compute the right thing both times. Of programs that would take long,
// some blocks run (lower.SomeBlocks). Results align with fns and have no
// costs; one for a program that is nil has no status.
func checkOnHost(ctx context.Context, m *processor, fns []*tir.Func) ([]measure.Result, error) {
	results, err := checkBlocks(ctx, fns, func() {})
	if err != nil {
		return nil, err
	}
	return results, runOnHost(ctx, m, fns, results)
}

// runOnHost compiles and runs those programs whose result is good so far, in both
// orders of threads, and notes how that ends.
func runOnHost(ctx context.Context, m *processor, fns []*tir.Func, results []measure.Result) error {
	left := map[run.Coverage][]*tir.Func{}
	for _, c := range coverages {
		left[c] = make([]*tir.Func, len(fns))
	}
	for i, f := range fns {
		if f != nil && results[i].Status == measure.OK {
			part, c := affordable(f, m.flops)
			left[c][i] = part
		}
	}
	type batch struct {
		coverage run.Coverage
		built    []measure.BuildResult
		err      error
	}
	batches := make(chan batch) // one is built while another one runs
	go func() {
		defer close(batches)
		for _, order := range []lower.Order{lower.Forward, lower.Backward} {
			for _, c := range coverages {
				built, err := m.build.BuildOnHost(ctx, left[c], order, m.host)
				batches <- batch{c, built, err}
			}
		}
	}()
	var failed error
	for b := range batches { // to the end: the builder must not be in use when this returns
		if failed != nil {
			continue
		}
		if failed = b.err; failed == nil {
			failed = runBuilt(ctx, m, b.built, b.coverage, results)
		}
	}
	return failed
}

var coverages = []run.Coverage{run.Whole, run.Part}

// hostFLOPs is how many operations a program that is checked may take to run whole:
// half a second's or so on one core.
const hostFLOPs = 2e9

// affordable returns f, or some of its blocks if it takes too many operations.
func affordable(f *tir.Func, flops float64) (*tir.Func, run.Coverage) {
	if flops <= hostFLOPs {
		return f, run.Whole
	}
	if some, ok := lower.SomeBlocks(f, int64(hostFLOPs/flops*float64(blocksOf(f)))); ok {
		return some, run.Part
	}
	return f, run.Whole
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

// runBuilt runs what was built of those programs whose result is good so far.
func runBuilt(ctx context.Context, m *processor, built []measure.BuildResult, c run.Coverage, results []measure.Result) error {
	tried := make([]bool, len(built))
	for i := range built {
		tried[i] = built[i].Status != measure.NoStatus
		if results[i].Status != measure.OK {
			built[i].Status = results[i].Status // nothing to run
		}
	}
	checked, err := m.runs.CheckOnce(ctx, built, c)
	if err != nil {
		return err
	}
	for i, res := range checked {
		if tried[i] && results[i].Status == measure.OK {
			res.Seconds += results[i].Seconds
			results[i] = res
		}
	}
	return nil
}

// checkBlocks interprets blocks of programs, several at once, and calls checked after each.
// The error is the context's.
func checkBlocks(ctx context.Context, fns []*tir.Func, checked func()) ([]measure.Result, error) {
	results := make([]measure.Result, len(fns))
	parallel(ctx, len(fns), runtime.GOMAXPROCS(0), func(i int) {
		if fns[i] == nil {
			return
		}
		defer checked()
		start := time.Now()
		results[i].Status = measure.OK
		if err := interp.CheckBlocks(ctx, fns[i]); err != nil {
			results[i].Status, results[i].Message = measure.WrongAnswer, err.Error()
		}
		results[i].Seconds = time.Since(start).Seconds()
	})
	return results, ctx.Err()
}
