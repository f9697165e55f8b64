package run

import (
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// TestSettled: what is far from the best needs one round, what is near two that
// agree, and what may be the best all.
func TestSettled(t *testing.T) {
	best := []float64{1e-3, 1.01e-3}
	for _, c := range []struct {
		rounds []float64
		want   bool
	}{
		{nil, false},
		{[]float64{2.5e-3}, true},
		{[]float64{1.5e-3}, false},
		{[]float64{1.5e-3, 1.6e-3}, true},
		{[]float64{1.5e-3, 2.1e-3}, false},
		{[]float64{1.5e-3, 2.1e-3, 1.55e-3}, true},
		{[]float64{1.05e-3, 1.05e-3, 1.05e-3}, false},
		{best, false},
	} {
		b := &batch{r: &Runner{best: 1e-3}, built: make([]measure.BuildResult, 2), rounds: [][]float64{c.rounds, best}}
		if got := b.settled(0); got != c.want {
			t.Errorf("%v: settled is %v", c.rounds, got)
		}
	}
	// Where rounds cost nothing, there is nothing to save.
	b := &batch{r: &Runner{}, built: make([]measure.BuildResult, 2), rounds: [][]float64{{9e-6}, {1e-6}}}
	if b.settled(0) {
		t.Error("a short call is settled after one round")
	}
	// The anchor tells disturbed rounds from others.
	b = &batch{r: &Runner{best: 1e-3, anchor: &measure.BuildResult{}}, built: make([]measure.BuildResult, 2), rounds: [][]float64{best, {9e-3}}}
	if b.settled(1) {
		t.Error("the anchor is settled")
	}
}
