package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/ranker"
)

// Losses of three candidates by hand, and derivatives equal to differences.
func TestLosses(t *testing.T) {
	// Scores 0 > -1: the second is better, and last in order.
	s, y, task := []float32{0, -1, 9}, []float64{0.5, 1, 0}, []int{0, 0, -1}
	d := make([]float32, 3)
	wrong := math.Log1p(math.E) // log(1 + e^-(s1-s0)) with s1-s0 = -1
	// Places 1 and 2 have discounts 1 and 1/log2(3); gains are 2^y - 1.
	gain := math.Sqrt2 - 1
	weight := (1 - 1/math.Log2(3)) * (1 - gain) / (1 + gain/math.Log2(3))
	if got, want := lambdaRank(s, y, task, d), weight*wrong/math.Ln2; math.Abs(got-want) > 1e-6 {
		t.Errorf("LambdaRank %v, want %v", got, want)
	}
	if d[2] != 0 || d[0] <= 0 || d[1] != -d[0] {
		t.Errorf("its derivatives %v", d)
	}
	if got := ranker.PairLoss(s, y, task, d); math.Abs(got-wrong) > 1e-6 {
		t.Errorf("loss of pairs %v, want %v", got, wrong)
	}
	// Close ones and those of different tasks are no pairs.
	if got := ranker.PairLoss([]float32{0, 1, 2}, []float64{0.5, 0.51, 1}, []int{0, 0, 1}, d); got != 0 || d[0] != 0 {
		t.Errorf("loss of no pairs %v, %v", got, d)
	}
	if got := lambdaRank(s, make([]float64, 3), task, d); got != 0 || d[0] != 0 {
		t.Errorf("LambdaRank of failures %v, %v", got, d)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for name, l := range map[string]loss{"LambdaRank": lambdaRank, "pairs": ranker.PairLoss} {
		s, y, task, d := make([]float32, 12), make([]float64, 12), make([]int, 12), make([]float32, 12)
		for i := range s {
			s[i], y[i], task[i] = float32(i)/4+rng.Float32()/8, rng.Float64(), i%3-1
		}
		l(s, y, task, d)
		for i := range s {
			const h = 1e-2 // too little to change the order
			up, down := append([]float32(nil), s...), append([]float32(nil), s...)
			up[i] += h
			down[i] -= h
			scratch := make([]float32, 12)
			if want := (l(up, y, task, scratch) - l(down, y, task, scratch)) / (2 * h); math.Abs(float64(d[i])-want) > 2e-3 {
				t.Errorf("%s: derivative by score %d is %v, differences say %v", name, i, d[i], want)
			}
		}
	}
}
