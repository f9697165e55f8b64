package main

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
)

// checkOnHost checks lowered programs of a GPU on this machine's processor, m, of
// which the task is set. Of each, some blocks are interpreted, to find races
// (interp.CheckBlocks). Then all of it is compiled and runs twice, the threads of a
// block from the first to the last and from the last to the first (lower.OnHost),
// and must compute the right thing both times. Results align with fns and have no
// costs; one for a program that is nil has no status.
func checkOnHost(ctx context.Context, m *processor, fns []*tir.Func) ([]measure.Result, error) {
	results := checkBlocks(fns)
	return results, runOnHost(ctx, m, fns, results)
}

// runOnHost compiles and runs those programs whose result is good so far, in both
// orders of threads, and notes how that ends.
func runOnHost(ctx context.Context, m *processor, fns []*tir.Func, results []measure.Result) error {
	left := slices.Clone(fns)
	for i, res := range results {
		if res.Status != measure.OK {
			left[i] = nil
		}
	}
	type batch struct {
		built []measure.BuildResult
		err   error
	}
	orders := []lower.Order{lower.Forward, lower.Backward}
	batches := make(chan batch, len(orders)) // one is built while another one runs
	go func() {
		for _, order := range orders {
			built, err := m.build.BuildOnHost(ctx, left, order, m.host)
			batches <- batch{built, err}
		}
	}()
	var failed error
	for range orders { // to the end: the builder must not be in use when this returns
		b := <-batches
		if failed != nil {
			continue
		}
		if failed = b.err; failed == nil {
			failed = runBuilt(ctx, m, b.built, results)
		}
	}
	return failed
}

// runBuilt runs what was built of those programs whose result is good so far.
func runBuilt(ctx context.Context, m *processor, built []measure.BuildResult, results []measure.Result) error {
	for i, res := range results {
		if res.Status != measure.OK {
			built[i].Status = res.Status // nothing to run
		}
	}
	checked, err := m.runs.CheckOnce(ctx, built)
	if err != nil {
		return err
	}
	for i, res := range checked {
		if results[i].Status == measure.OK {
			res.Seconds += results[i].Seconds
			results[i] = res
		}
	}
	return nil
}

// checkBlocks interprets blocks of programs, several at once.
func checkBlocks(fns []*tir.Func) []measure.Result {
	results := make([]measure.Result, len(fns))
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, f := range fns {
		if f == nil {
			continue
		}
		slots <- true
		wg.Go(func() {
			defer func() { <-slots }()
			start := time.Now()
			results[i].Status = measure.OK
			if err := interp.CheckBlocks(f); err != nil {
				results[i].Status, results[i].Message = measure.WrongAnswer, err.Error()
			}
			results[i].Seconds = time.Since(start).Seconds()
		})
	}
	wg.Wait()
	return results
}
