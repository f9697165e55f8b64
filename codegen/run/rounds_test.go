package run

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// TestSettled: what is far from the best needs one round, what is near two that
// agree, and what may be the best all.
func TestSettled(t *testing.T) {
	best := []float64{1e-3, 1.01e-3}
	for _, c := range []struct {
		check, rounds []float64
		want          bool
	}{
		{nil, nil, false},
		{nil, []float64{2.5e-3}, true},
		{[]float64{1.6e-3}, []float64{2.5e-3}, true},
		{[]float64{1.6e-3, 1.1e-3}, []float64{2.5e-3}, false}, // its samples were disturbed
		{nil, []float64{1.4e-3}, false},
		{nil, []float64{1.4e-3, 1.5e-3}, true},
		{nil, []float64{1.4e-3, 2.1e-3}, false},
		{nil, []float64{1.4e-3, 2.1e-3, 1.45e-3}, true},
		{nil, []float64{1.05e-3, 1.05e-3, 1.05e-3}, false},
		{nil, best, false},
	} {
		b := &batch{r: &Runner{best: 1e-3}, built: make([]measure.BuildResult, 2),
			checks: [][]float64{c.check, nil}, rounds: [][]float64{c.rounds, best}}
		if got := b.settled(0); got != c.want {
			t.Errorf("%v, %v: settled is %v", c.check, c.rounds, got)
		}
	}
	// Where rounds cost nothing, there is nothing to save.
	b := &batch{r: &Runner{best: 1e-6}, built: make([]measure.BuildResult, 2), checks: make([][]float64, 2),
		rounds: [][]float64{{9e-6}, {1e-6}}}
	if b.settled(0) {
		t.Error("a short call is settled after one round")
	}
	// The anchor tells disturbed rounds from others.
	b = &batch{r: &Runner{best: 1e-3, anchor: &measure.BuildResult{}}, built: make([]measure.BuildResult, 2),
		checks: make([][]float64, 2), rounds: [][]float64{best, {9e-3}}}
	if b.settled(1) {
		t.Error("the anchor is settled")
	}
}

// TestEnough: one sample is enough of what is far from the best by its check, too.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		title  string
		check  []float64
		rounds []float64
		all    bool
		anchor bool
		want   float64
	}{
		{"far", []float64{1.4e-3, 1.5e-3}, nil, false, false, 1.3e-3},
		{"far again", []float64{1.4e-3}, []float64{1.4e-3}, false, false, 1.3e-3},
		{"near", []float64{1.2e-3, 1.5e-3}, nil, false, false, 0},
		{"near in a round", []float64{1.4e-3}, []float64{1.2e-3}, false, false, 0},
		{"finalist", []float64{1.4e-3, 1.5e-3}, nil, true, false, 0},
		{"anchor", []float64{1.4e-3, 1.5e-3}, nil, false, true, 0},
		{"not checked", nil, nil, false, false, 0},
	} {
		b := &batch{r: &Runner{best: 1e-3}, built: make([]measure.BuildResult, 1), all: c.all,
			checks: [][]float64{c.check}, rounds: [][]float64{c.rounds}}
		if c.anchor {
			b.r.anchor = &measure.BuildResult{}
		}
		if got := b.enough(0); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.title, got, c.want)
		}
	}
}

// A fixed is a candidate whose calls take given times.
type fixed struct {
	candidate
	seconds []float64
	calls   int
}

func (f *fixed) call(n int) (float64, error) {
	f.calls++
	return f.seconds[min(f.calls, len(f.seconds))-1] * float64(n), nil
}

// TestOneSample: a long first call that is enough is the only one.
func TestOneSample(t *testing.T) {
	for _, c := range []struct {
		enough, first float64
		atLeast, want int
	}{
		{4e-3, 5e-3, 3, 1},
		{6e-3, 5e-3, 3, 3},
		{0, 5e-3, 3, 3},
		{4e-3, 5e-3, 0, 3},     // turns, whose first call warms
		{0.4e-3, 0.5e-3, 3, 3}, // a short call, whose first one warms
	} {
		o := sampling{Calls: 3, MinSample: 1e-4, AtLeast: c.atLeast, Enough: c.enough}
		samples, _, err := sample(&fixed{seconds: []float64{c.first}}, o)
		if err != nil || len(samples) != c.want {
			t.Errorf("%+v: samples %v, %v", c, samples, err)
		}
	}
}

// TestTurn: each round has all candidates, and no candidate begins more often than it must.
func TestTurn(t *testing.T) {
	for _, rounds := range []int{1, 3, 10} {
		for n := 1; n < 30; n++ {
			begins := make([]int, n)
			for round := range rounds {
				seen := make([]bool, n)
				for k := range n {
					seen[turn(round, k, rounds, n)] = true
				}
				if slices.Contains(seen, false) {
					t.Errorf("round %d of %d has not all of %d candidates", round, rounds, n)
				}
				begins[turn(round, 0, rounds, n)]++
			}
			if most := slices.Max(begins); most > (rounds+n-1)/n {
				t.Errorf("of %d candidates one begins %d of %d rounds", n, most, rounds)
			}
		}
	}
}
