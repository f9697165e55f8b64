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
		var tasks []Task
		for k := range 60 {
			task := Task{Family: fmt.Sprint(k / 2)}
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
	if c := (&Model{}).Calibrate([]Task{{Family: "a"}}); c.Bins != nil || c.Error != 0 {
		t.Errorf("one family: %+v", c)
	}
}
