package train

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/split"
)

// TestSpread: the first is among them, and distances differ by one at most.
func TestSpread(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		n    int
		want []int
	}{{3, []int{0, 2, 4}}, {6, []int{0, 1, 2, 3, 4, 5}}, {7, list}, {9, list}} {
		if got := spread(list, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%d of 7: %d, want %d", c.n, got, c.want)
		}
	}
}

// TestWalked: all of small parts is seen, and the number of trajectories of large ones has a limit.
func TestWalked(t *testing.T) {
	for _, c := range []struct {
		part                            split.Part
		tasks, wantTasks, wantOfEachOne int
	}{
		{split.Train, 0, 0, 24}, {split.Train, 344, 344, 24}, {split.Train, 800, 800, 15}, {split.Train, 9999, 3000, 4},
		{split.Validation, 160, 160, 24}, {split.Validation, 990, 800, 12},
	} {
		if tasks, each := walked(c.part, c.tasks); tasks != c.wantTasks || each != c.wantOfEachOne {
			t.Errorf("%s, %d tasks: %d of %d", c.part, c.tasks, each, tasks)
		}
	}
}
