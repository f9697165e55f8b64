package ranker

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCalibrate: of times that differ from what the values say by a known noise, what is expected is what is seen, and
// the uncertainty is that of the noise.
func TestCalibrate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	calibrated := func(noise float64) Calibration {
		var tasks []Candidates
		for k := range 60 {
			task := Candidates{Family: fmt.Sprint(k / 2)}
			for range 40 {
				v := rng.NormFloat64()
				u := rng.Float64()
				task.Features = append(task.Features, []float32{0})
				task.Values = append(task.Values, float32(v))
				task.Quality = append(task.Quality, math.Exp2(v+noise*math.Log(u/(1-u))-20)*1e5)
			}
			tasks = append(tasks, task)
		}
		return (&Model{parts: Parts{Value: 1, ValueScale: 1}}).Calibrate(tasks)
	}
	quiet, loud := calibrated(0.2), calibrated(1)
	for _, c := range []Calibration{quiet, loud} {
		if c.Error > 0.03 || c.LogLoss >= c.LogLossChance || len(c.Bins) != calibrationBins {
			t.Errorf("%+v", c)
		}
		for _, b := range c.Bins {
			if b.Pairs > 300 && math.Abs(b.Expected-b.Seen) > 0.06 {
				t.Errorf("expected %.3f, seen %.3f in %d pairs", b.Expected, b.Seen, b.Pairs)
			}
		}
	}
	if quiet.Base*2 > loud.Base || quiet.LogLoss >= loud.LogLoss {
		t.Errorf("five times the noise: uncertainty %.2f and %.2f, log loss %.3f and %.3f", quiet.Base, loud.Base,
			quiet.LogLoss, loud.LogLoss)
	}
	if c := (&Model{}).Calibrate([]Candidates{{Family: "a"}}); c.Bins != nil || c.Error != 0 {
		t.Errorf("one family: %+v", c)
	}
}

// TestUncertaintyBySpread: where the noise is as large as the spread, the spread counts once; where it is the same
// everywhere, the spread counts for nothing.
func TestUncertaintyBySpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pairs := func(noise func(spread float64) float64) []ratedPair {
		var list []ratedPair
		for range 20_000 {
			p := ratedPair{difference: 2 * rng.Float64(), spread: 4 * rng.Float64()}
			u := rng.Float64()
			p.right = p.difference+noise(math.Sqrt(p.spread))*math.Log(u/(1-u)) > 0
			list = append(list, p)
		}
		return list
	}
	grid := []float64{0, 0.5, 1, 2}
	if _, by := fitUncertainty(pairs(func(s float64) float64 { return s }), grid); by != 1 {
		t.Errorf("noise is the spread, which counts %v times", by)
	}
	if base, by := fitUncertainty(pairs(func(float64) float64 { return 1 }), grid); by != 0 || base != 1 {
		t.Errorf("the noise is 1 everywhere: uncertainty %v, spread counts %v times", base, by)
	}
}

// TestCalibratedSome: of a task of very many candidates some are compared, from the first to the last.
func TestCalibratedSome(t *testing.T) {
	task := Candidates{}
	for i := range 1000 {
		task.Features, task.Values = append(task.Features, []float32{0}), append(task.Values, float32(i))
		task.Quality = append(task.Quality, float64(i+1)/1000)
	}
	pairs := (&Model{parts: Parts{Value: 1, ValueScale: 1}}).pairs(&task)
	if most := calibrated * (calibrated - 1) / 2; len(pairs) > most || len(pairs) < most/2 {
		t.Errorf("%d pairs of 1000 candidates, at most %d", len(pairs), most)
	}
	widest := 0.0
	for _, p := range pairs {
		widest = max(widest, p.difference)
	}
	if widest < 900 {
		t.Errorf("the widest pair is %v apart: some of all are wanted", widest)
	}
}
