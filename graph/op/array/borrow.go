package array

import "sync"

// borrowed is memory that references need for a moment only: new pages cost more than what is computed in them.
var borrowed sync.Pool

// borrow returns memory for n numbers that may hold any.
func borrow(n int) []float64 {
	if list, ok := borrowed.Get().(*[]float64); ok && cap(*list) >= n {
		return (*list)[:n]
	}
	return make([]float64, n)
}

// GiveBack takes back memory that nobody reads any more.
func GiveBack(lists ...[]float64) {
	for _, list := range lists {
		if list != nil {
			borrowed.Put(&list)
		}
	}
}
