package encoder

import (
	"math"
	"testing"
)

func TestMeasures(t *testing.T) {
	one := [][]float32{{1, 0}, {0, 1}, {0.6, 0.8}}
	if r := retrieval(one, [][]float32{{0.9, 0.1}, {0.1, 0.9}, {0.1, 0.9}}); math.Abs(r-2.0/3) > 1e-12 {
		t.Errorf("retrieval %v", r)
	}
	truth := [][]float64{{1, 5}, {2, 5}, {3, 5}}
	if r := meanR2([][]float64{{1, 0}, {2, 0}, {4, 0}}, truth); math.Abs(r-0.5) > 1e-12 {
		t.Errorf("R2 %v: the column that does not vary must not count", r)
	}
}
