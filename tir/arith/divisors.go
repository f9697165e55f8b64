package arith

import (
	"math/bits"
	"slices"
	"sync"
)

// Sparse reports whether an extent has fewer divisors than doublings lead from 1
// to it. Primes above 3 do, and 22 and 49; 12, 28, 56 and 1000 do not.
func Sparse(extent int64) bool {
	return extent > 3 && len(Divisors(extent)) < bits.Len64(uint64(extent-1))
}

// Divisors returns the divisors of n in increasing order; none if n < 1. The list
// is kept and shared: sampling asks for those of the same few numbers all the time.
func Divisors(n int64) []int64 {
	if list, ok := divisorLists.Load(n); ok {
		return list.([]int64)
	}
	list := divisors(n)
	divisorLists.Store(n, list)
	return list
}

var divisorLists sync.Map // int64 to []int64

func divisors(n int64) []int64 {
	var low, high []int64
	for d := int64(1); d*d <= n; d++ {
		if n%d != 0 {
			continue
		}
		low = append(low, d)
		if d*d != n {
			high = append(high, n/d)
		}
	}
	slices.Reverse(high)
	return append(low, high...)
}
