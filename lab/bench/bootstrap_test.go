package bench

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// TestBootstrap: the interval of values of a known spread is the textbook's, and the
// same each time.
func TestBootstrap(t *testing.T) {
	// 40 tasks of one value, 0 and 1 in turns: the mean is .5, its standard error
	// .5/sqrt(40) = .079, so the 95 % interval is .5 +- .155.
	var tasks [][]float64
	for i := range 40 {
		tasks = append(tasks, []float64{float64(i % 2)})
	}
	low, high := bootstrap(tasks)
	if math.Abs(low-0.345) > 0.02 || math.Abs(high-0.655) > 0.02 {
		t.Errorf("%g to %g", low, high)
	}
	if l, h := bootstrap(tasks); l != low || h != high {
		t.Errorf("again: %g to %g, was %g to %g", l, h, low, high)
	}
	// Seeds are drawn, too: one task of four seeds has an interval.
	if low, high := bootstrap([][]float64{{0, 0, 1, 1}}); low != 0 || high != 1 {
		t.Errorf("one task: %g to %g", low, high)
	}
	// And tasks are: what differs between them only still widens it.
	if low, high := bootstrap([][]float64{{0, 0}, {1, 1}, {}}); low != 0 || high != 1 {
		t.Errorf("two tasks: %g to %g", low, high)
	}
	if low, high := bootstrap([][]float64{{2, 2}, {2}}); low != 2 || high != 2 {
		t.Errorf("no spread: %g to %g", low, high)
	}
	if low, high := bootstrap(nil); low != 0 || high != 0 {
		t.Errorf("nothing: %g to %g", low, high)
	}
}

func TestQuantile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 0.25: 1.75, 1: 4} {
		if got := quantile([]float64{1, 2, 3, 4}, q); got != want {
			t.Errorf("%g: %g, want %g", q, got, want)
		}
	}
	if m := measure.Median([]float64{9, 1, 2}); m != 2 {
		t.Errorf("median %g", m)
	}
}
