package train

import (
	"slices"
	"testing"
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
