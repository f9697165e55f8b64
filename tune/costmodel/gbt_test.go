package costmodel

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// TestByWorkload: records that were withdrawn do not count as good, and those that were
// not timed not as failures.
func TestByWorkload(t *testing.T) {
	record := func(workload, trajectory string, s measure.Status) dataset.Record {
		r := dataset.Record{Workload: workload, Trajectory: trajectory, Status: s}
		r.Target.Kind = "llvm"
		if s == measure.OK {
			r.Costs = []float64{1}
		}
		return r
	}
	got := byWorkload([]dataset.Record{
		record("a", "1", measure.OK), record("b", "2", measure.OK), record("a", "3", measure.OK), record("b", "2", measure.WrongAnswer),
		record("a", "4", measure.Unmeasured),
	})
	var text []string
	for _, task := range got {
		for _, r := range task {
			text = append(text, r.Workload+r.Trajectory+" "+r.Status.String())
		}
	}
	if want := []string{"a1 ok", "a3 ok", "b2 wrong answer"}; !slices.Equal(text, want) {
		t.Errorf("got %q, want %q", text, want)
	}
}
