package nn

import (
	"math"
	"testing"
)

// TestRidge: a map by hand, with a penalty and without; rows that hold what is no number have none.
func TestRidge(t *testing.T) {
	type pair = [2][]float64
	rows := func(list ...pair) func(yield func(x, y []float64) bool) {
		return func(yield func(x, y []float64) bool) {
			for _, p := range list {
				if !yield(p[0], p[1]) {
					return
				}
			}
		}
	}
	list := []pair{{{1, 0}, {3}}, {{0, 2}, {8}}, {{0, 0}, {5}}}
	for penalty, want := range map[float64][2]float64{0: {3, 4}, 1: {3. / 2, 16. / 5}} {
		w, err := Ridge(rows(list...), 2, 1, penalty)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if got := w.At(k, 0); math.Abs(got-want[k]) > 1e-12 {
				t.Errorf("penalty %v: weight %d is %v, want %v", penalty, k, got, want[k])
			}
		}
	}
	list[1][0][0] = math.NaN()
	if _, err := Ridge(rows(list...), 2, 1, 1); err == nil {
		t.Error("a map of what is no number")
	}
}
