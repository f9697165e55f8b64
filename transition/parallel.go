package transition

import (
	"sync"
	"sync/atomic"
)

// parallel calls f for 0..n-1.
func parallel(n, workers int, f func(i int)) {
	if workers <= 1 || n <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var at atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(at.Add(1)) - 1; i < n; i = int(at.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}
