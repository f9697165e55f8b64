package array

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Parallel calls do for 0, 1, ... n-1 on as many goroutines as there are processors, until the context ends.
func Parallel(ctx context.Context, n int, do func(i int)) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	var g errgroup.Group
	for w := range workers {
		g.Go(func() error {
			for i := w; i < n; i += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				do(i)
			}
			return nil
		})
	}
	return g.Wait()
}
