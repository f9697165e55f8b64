package model

import (
	"slices"
	"testing"
)

// TestSumRow: the run-time has a number for each dimension, in their order, and the one that is added.
func TestSumRow(t *testing.T) {
	s := Sum{Name: "total", Plus: 3, Of: []Term{{Dim: "past", Times: 1}, {Dim: "seq", Times: 2}}}
	if got := s.row([]string{"seq", "batch", "past"}); !slices.Equal(got, []int64{2, 0, 1, 3}) {
		t.Errorf("the row of %s is %v", s.Text(), got)
	}
}
