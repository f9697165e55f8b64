package search

import (
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
)

// Searched returns the workload that is searched for w: w, or w collapsed where a reduction has an axis of few divisors
// that becomes part of a longer one. An image of 7x7 pixels has tiles of 1 or 7 rows of 7, the same pixels in a row any
// number. Where axes have many divisors, the search finds as fast programs in either form, or faster ones in the first.
func (s Space) Searched(w workload.Workload) workload.Workload {
	if !s.Collapse {
		return w
	}
	if c := w.Collapsed(); compute.FewerSparse(w.DAG, c.DAG) {
		return c
	}
	return w
}
