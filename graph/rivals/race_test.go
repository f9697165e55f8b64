package rivals

import (
	"math"
	"testing"
)

// TestRatioRounds: noise that hits a whole round does not move the ratio of the
// rounds, nor does a single round that hits one contender.
func TestRatioRounds(t *testing.T) {
	var peer, ours Times
	for i := range 10 {
		noise := 1 + float64(i%3)
		peer.Rounds = append(peer.Rounds, []float64{3 * noise})
		ours.Rounds = append(ours.Rounds, []float64{noise})
	}
	ours.Rounds[4] = []float64{30}
	if q := ratioOf(&peer, &ours); q != (Ratio{3, 3, 3}) {
		t.Errorf("%+v", q)
	}
}

func TestSignRank(t *testing.T) {
	// From tables of the sign test: n=10: ranks 2 and 9; n=20: 6 and 15.
	for n, want := range map[int]int{1: 0, 5: 0, 6: 0, 10: 1, 20: 5, 30: 9} {
		if got := signRank(n); got != want {
			t.Errorf("n=%d: rank %d, want %d", n, got, want)
		}
	}
	for n := 1; n < 30; n++ { // what is outside of the interval, by the definition
		outside, choose := 0.0, 1.0
		for i := range signRank(n) + 1 {
			outside += 2 * choose / math.Exp2(float64(n))
			choose = choose * float64(n-i) / float64(i+1)
		}
		if (outside <= 0.05) != (n >= IntervalRounds) {
			t.Errorf("n=%d: the median is outside of the interval with probability %g", n, outside)
		}
	}
}
