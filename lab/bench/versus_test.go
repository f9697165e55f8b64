package bench

import (
	"math"
	"testing"
)

// someFound is four workloads, two seeds, searches of 16 trials: world is much faster
// on "one" and on "two", as fast on "three", and slower on "four", where one of its
// searches fails.
func someFound() []Found {
	us := map[string]map[string][]float64{
		"one":   {"gbt": {8, 8}, "world": {1, 1}},
		"two":   {"gbt": {4, 9}, "world": {2, 3}},
		"three": {"gbt": {100, 100}, "world": {99, 99}},
		"four":  {"gbt": {1000, 1000}, "world": {2000, 0}},
	}
	best := map[string]float64{"one": 1e-6, "two": 2e-6, "three": 99e-6, "four": 1000e-6}
	var list []Found
	for _, name := range []string{"one", "two", "three", "four"} {
		for seed := range uint64(2) {
			for _, s := range []string{"gbt", "world"} {
				t := us[name][s][seed] * 1e-6
				list = append(list, Found{
					Workload: name, Scorer: s, Seed: seed + 1, Budget: 16, Seconds: t, Best: best[name],
					Curve: curve(16, 2*t, t), Wall: 3, Thinking: 0.5, Scored: 800,
				})
			}
		}
	}
	return list
}

// curve is a best-so-far of n trials, of which the first and the last time are
// given; the last comes with the last trial.
func curve(n int, first, last float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = first
	}
	list[n-1] = last
	return list
}

// TestModelRatio: kernels count as often as the plan's model runs them, pairs of which one failed not.
func TestModelRatio(t *testing.T) {
	list := someFound()
	for i := range list {
		list[i].Count = map[string]int{"one": 5, "three": 2, "four": 1}[list[i].Workload]
	}
	v := Compare(list, Side{"world", 16}, Side{"gbt", 16})
	if want := (5*8.0 + 2*100 + 1000) / (5*1 + 2*99 + 2000); math.Abs(v.Model-want) > 1e-9 {
		t.Errorf("%g, want %g", v.Model, want)
	}
}

func TestCompare(t *testing.T) {
	world, gbt := Side{"world", 16}, Side{"gbt", 16}
	v := Compare(someFound(), world, gbt)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	two := math.Sqrt(2 * 3.0)
	three := 100 / 99.0
	near("geomean", v.Geomean, math.Pow(8*two*three*0.5, 0.25))
	near("trimmed", v.Trimmed, math.Sqrt(three*0.5))
	near("median", v.Median, (two+three)/2)
	near("increase, mean", v.IncreaseMean, (1/8.0+1/two+1/three+2)/4-1)
	near("model, without a plan", v.Model, 0)
	if v.Wins != 2 || v.Ties != 1 || v.Losses != 1 || v.Failed != 1 || v.Lacking != 0 || len(v.Cells) != 4 {
		t.Errorf("%+v", v)
	}
	if v.Low >= v.Geomean || v.High <= v.Geomean || v.Low < 0.5 || v.High > 8 {
		t.Errorf("interval %g to %g of %g", v.Low, v.High, v.Geomean)
	}
	if c := v.Cells[3]; c.Outcome != Loss || c.Ratio != 0.5 || len(c.Seeds) != 2 || c.Seeds[1].Ratio != 0 || c.Seeds[0].Seed != 1 {
		t.Errorf("%+v", c)
	}
	// The other way round all is turned over.
	w := Compare(someFound(), gbt, world)
	near("turned", w.Geomean*v.Geomean, 1)
	if w.Wins != 1 || w.Losses != 2 || w.Lacking != 1 || w.Failed != 0 {
		t.Errorf("%+v", w)
	}
	// Only what both have is compared.
	if v := Compare(someFound(), world, Side{"gbt", 64}); len(v.Cells) != 0 || v.Geomean != 0 {
		t.Errorf("%+v", v)
	}
	// A side that found nothing at all has lost.
	list := someFound()
	for i := range list {
		if list[i].Scorer == "world" {
			list[i].Seconds = 0
		}
	}
	if v := Compare(list, world, gbt); v.Losses != 4 || v.Failed != 8 || v.Geomean != 0 {
		t.Errorf("%+v", v)
	}
}

// TestTieBand: 2 % faster is a tie, more is not, and a loss is a win turned over.
func TestTieBand(t *testing.T) {
	for ratio, want := range map[float64]Outcome{1: Tie, 1.019: Tie, 1.021: Win, 1 / 1.019: Tie, 1 / 1.021: Loss, 5: Win, 0.1: Loss} {
		if got := outcomeOf(ratio); got != want {
			t.Errorf("%g: %s, want %s", ratio, got, want)
		}
	}
}

func TestQualityOf(t *testing.T) {
	q := QualityOf(someFound(), Side{"gbt", 16})
	// Best known: 1, 2, 99 and 1000 us.
	want := math.Pow(1/8.0*1/8*2/4*2/9*99/100*99/100*1*1, 1/8.0)
	if math.Abs(q.OfBest-want) > 1e-9 || q.Searches != 8 || q.Failed != 0 || q.Wall != 3 || q.Thinking != 0.5 || q.Scored != 800 {
		t.Errorf("%+v, want %g", q, want)
	}
	if q := QualityOf(someFound(), Side{"world", 16}); q.Searches != 7 || q.Failed != 1 {
		t.Errorf("%+v", q)
	}
}

// TestCurve: a curve is the geometric mean over seeds, and begins when all have found one;
// one that ends early stays as it is.
func TestCurve(t *testing.T) {
	list := someFound()
	if c := (Side{"gbt", 16}).Curve(list, "two"); len(c) != 16 || math.Abs(c[0]-12e-6) > 1e-12 || math.Abs(c[15]-6e-6) > 1e-12 {
		t.Errorf("%v", c)
	}
	if c := (Side{"world", 16}).Curve(list, "four"); c[15] != 0 {
		t.Errorf("a search found nothing: %v", c)
	}
	early := []Found{{Workload: "w", Seed: 1, Curve: []float64{4, 4, 1}}, {Workload: "w", Seed: 2, Curve: []float64{1}}}
	if c := (Side{}).Curve(early, "w"); len(c) != 3 || math.Abs(c[2]-1) > 1e-12 || math.Abs(c[1]-2) > 1e-12 {
		t.Errorf("a curve that ends early: %v", c)
	}
	one := list[:4] // of "one"
	if q := (Side{"gbt", 16}).QualityAfter(one, 16); math.Abs(q-1/8.0) > 1e-9 {
		t.Errorf("gbt after 16: %g", q)
	}
	if q := (Side{"world", 16}).QualityAfter(one, 1); math.Abs(q-0.5) > 1e-9 {
		t.Errorf("world after 1: %g", q)
	}
}
