package main

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel calls f for 0..n-1 from so many goroutines, until the context ends.
func parallel(ctx context.Context, n, workers int, f func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	wg.Wait()
}
