package train

import "testing"

// TestBatches: few tasks are learned from as usual, many as often as is said.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		effort float64
		tasks  int
		want   int
	}{
		{1, 57, 400},
		{1, 1476, 5166},
		{0.5, 57, 200},
		{0.001, 57, 1},
	} {
		tr := &training{Options: Options{Effort: c.effort}}
		if got := tr.batches(400, c.tasks, 8); got != c.want {
			t.Errorf("effort %v, %d tasks: %d batches, want %d", c.effort, c.tasks, got, c.want)
		}
	}
}
