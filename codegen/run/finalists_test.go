package run

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

func TestSignRank(t *testing.T) {
	// From tables of the sign test: n=10: ranks 2 and 9; n=20: 6 and 15.
	for n, want := range map[int]int{1: 0, 5: 0, 6: 0, 10: 1, 20: 5, 30: 9} {
		if got := signRank(n); got != want {
			t.Errorf("n=%d: rank %d, want %d", n, got, want)
		}
	}
}

func TestCompareRounds(t *testing.T) {
	ok := func(costs ...float64) measure.Result { return measure.Result{Status: measure.OK, Costs: costs} }
	slow := []float64{20, 22, 21, 30, 20, 20, 22, 21, 20, 23}
	fast := []float64{10, 15, 11, 20, 10, 10, 11, 10, 10, 12}
	near := []float64{11, 14, 12, 19, 11, 10, 12, 10, 10, 12}
	results := []measure.Result{ok(slow...), ok(fast...), {Status: measure.WrongAnswer}, ok(near...)}
	c := compareRounds(results, [][]float64{slow, fast, nil, near})
	if c.Winner != 1 || c.Second != 3 || !slices.Equal(c.Tied, []int{1, 3}) || !c.Tie() {
		t.Errorf("got winner %d, second %d, tied %v", c.Winner, c.Second, c.Tied)
	}
	if r := c.Ratios[0]; r.Median != 2 || r.Low <= 1 || r.High < r.Median {
		t.Errorf("ratio of the slow one: %+v", r)
	}
	if c.Ratios[2] != (Ratio{}) {
		t.Errorf("a wrong one has a ratio: %+v", c.Ratios[2])
	}
	c = compareRounds([]measure.Result{ok(slow...), ok(fast...)}, [][]float64{slow, fast})
	if c.Tie() {
		t.Error("half the time is called a tie")
	}
	c = compareRounds([]measure.Result{{Status: measure.Crash}}, [][]float64{nil})
	if c.Winner != -1 || c.Tie() {
		t.Errorf("a crash wins: %+v", c)
	}
}
