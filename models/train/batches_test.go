package train

import "testing"

// TestBatches: few tasks are learned from as usual, many as often as is said.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		effort       float64
		draws, tasks int
		want         int
	}{
		{1, transitionDraws, 57, 400},
		{1, transitionDraws, 1476, 5166},
		{1, networkDraws, 1476, 2583},
		{0.5, networkDraws, 57, 200},
		{0.001, networkDraws, 57, 1},
	} {
		tr := &training{Options: Options{Effort: c.effort}}
		if got := tr.batches(400, c.draws, c.tasks, 8); got != c.want {
			t.Errorf("effort %v, %d draws of %d tasks: %d batches, want %d", c.effort, c.draws, c.tasks, got, c.want)
		}
	}
}
