package encoder

import (
	"math"
	"math/rand/v2"
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
	rng := rand.New(rand.NewPCG(1, 1))
	var z, y [][]float64
	for range 300 {
		row := make([]float64, Size)
		for k := range row {
			row[k] = rng.NormFloat64() / 11
		}
		z, y = append(z, row), append(y, []float64{3*row[5] - 2*row[9] + 7})
	}
	r, err := fitRidge(z[:250], y[:250])
	if err != nil {
		t.Fatal(err)
	}
	for i := 250; i < 300; i++ {
		if got := r.tell(z[i])[0]; math.Abs(got-y[i][0]) > 0.02 {
			t.Errorf("row %d is told as %v, is %v", i, got, y[i][0])
		}
	}
}
