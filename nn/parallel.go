package nn

import (
	"sync"

	"github.com/wmtune/wmtune/nn/kernel"
)

// pieces is in how many pieces large operations are cut, each with a goroutine: a
// constant, so that sums do not depend on the processors.
const pieces = 2

// cut calls f for each piece of n things, at once.
func cut(n int, f func(piece, first, end int)) {
	var wait sync.WaitGroup
	for p := range pieces {
		wait.Go(func() { f(p, p*n/pieces, (p+1)*n/pieces) })
	}
	wait.Wait()
}

// small is up to how many multiplications a product is not worth two goroutines.
const small = 1 << 20

// multiply sets c to a*b, or adds a*b to it; a has rows of k values.
func multiply(c, a []float32, k int, b kernel.Matrix, add bool) {
	rows := len(a) / k
	n := len(c) / rows
	if rows*k*n <= small {
		kernel.Multiply(c, kernel.M(a, k), b, add)
		return
	}
	cut(rows, func(_, first, end int) {
		kernel.Multiply(c[first*n:end*n], kernel.M(a[first*k:end*k], k), b, add)
	})
}

// transposed sets c to a'*b, where a has rows of m values and b rows of n: each
// piece of the rows by itself, and then their sum.
func transposed(c, a []float32, m int, b []float32, n int) {
	rows := len(a) / m
	if rows*m*n <= small {
		kernel.Multiply(c, kernel.M(a, m).T(), kernel.M(b, n), false)
		return
	}
	var parts [pieces][]float32
	cut(rows, func(p, first, end int) {
		if parts[p] = c; p > 0 {
			parts[p] = make([]float32, len(c))
		}
		kernel.Multiply(parts[p], kernel.M(a[first*m:end*m], m).T(), kernel.M(b[first*n:end*n], n), false)
	})
	for _, part := range parts[1:] {
		for i, v := range part {
			c[i] += v
		}
	}
}
