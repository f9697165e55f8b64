package nn

import (
	"math"
	"testing"
)

// TestSpearman: figures that scipy.stats.spearmanr gives, ties and infinities included.
func TestSpearman(t *testing.T) {
	y := []float64{1, 0.5, 0.8, 0.2, 0}
	for _, c := range []struct {
		name string
		x    []float64
		want float64
	}{
		{"the order itself", y, 1},
		{"the reverse", []float64{0, 3, 1, 4, 5}, -1},
		{"a tie", []float64{3, 3, 2, 1, 0}, 8 / math.Sqrt(9.5*10)},
		{"a state that cannot be scored", []float64{3, 1, 2, math.Inf(-1), math.Inf(-1)}, 9.5 / math.Sqrt(9.5*10)},
		{"equal scores", make([]float64, 5), 0},
	} {
		if got := Spearman(c.x, y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := Spearman([]float64{1, 2, 2, 9}, []float64{10, 20, 30, 40}); math.Abs(got-0.9486832980505138) > 1e-12 {
		t.Errorf("a tie among four: %v", got)
	}
	if got := Spearman([]float64{0.5, 0.2, 0.9, 0.5, math.Inf(-1)},
		[]float64{0.5, 1, 0.8, 0, 0.49}); math.Abs(got-1/math.Sqrt(9.5*10)) > 1e-12 {
		t.Errorf("scores of a failed candidate: %v", got)
	}
	if got := Spearman(nil, nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
