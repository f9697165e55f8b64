package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/dataset/measure"
)

// perPiece returns how many candidates are built between two looks at the runner: two for each core, and at least 4.
// More keep the workers busier, fewer let the runner begin earlier.
func perPiece() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// streamed is measure with a runner that checks while candidates are built.
func (r *run) streamed(ctx context.Context, stream measure.Streaming, inputs []measure.Input) (
	builds []measure.BuildResult, results []measure.Result, err error,
) {
	ctx, stop := context.WithCancel(ctx)
	parts := slices.Collect(slices.Chunk(inputs, perPiece()))
	next := make(chan []measure.BuildResult, len(parts)) // the builder does not wait for the runner
	var failed error
	var builder sync.WaitGroup
	builder.Go(func() {
		defer close(next)
		for i, part := range parts {
			var b []measure.BuildResult
			if b, failed = r.build(ctx, part); failed != nil {
				return
			}
			if i == 0 {
				r.tell(Event{Kind: Running, Count: len(inputs)})
			}
			builds = append(builds, b...)
			next <- b
		}
	})
	results, err = stream(ctx, inputs, next)
	stopped := ctx.Err() != nil
	stop()
	builder.Wait()
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("search: runner: %w", err)
	case failed == nil && !stopped && len(results) != len(builds), len(results) > len(builds):
		return nil, nil, fmt.Errorf("search: the runner returned %d results for %d candidates", len(results), len(builds))
	}
	builds = builds[:len(results)]
	for i, b := range builds {
		if b.Status != measure.OK {
			results[i] = measure.Result{Status: b.Status, Message: b.Message, Unix: r.unix()}
		}
	}
	if stopped && len(results) > 0 {
		failed = nil
	}
	return builds, results, failed
}
