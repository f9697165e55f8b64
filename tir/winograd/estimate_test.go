package winograd

import (
	"slices"
	"testing"
)

// TestWithin: what costs at most a factor more than the cheapest is listed, the cheapest first.
func TestWithin(t *testing.T) {
	square := func(side, channels int64) Estimate {
		return Estimate{Out: [2]int64{side, side}, In: channels, Rest: channels, Taps: channels,
			Weights: channels * channels}
	}
	for _, c := range []struct {
		name   string
		e      Estimate
		factor float64
		want   []int64
	}{
		{"many pixels", square(56, 64), Doubt, []int64{4}},
		{"many pixels, any", square(56, 64), 10, []int64{4, 2, Untiled}},
		{"fewer pixels", square(14, 256), Doubt, []int64{2, 4}},
		{"many weights", square(7, 512), Doubt, []int64{2, Untiled}},
		{"many weights, sure", square(7, 512), 1, []int64{2}},
		{"hardly any channels", square(112, 3), Doubt, []int64{Untiled}},
	} {
		if got := c.e.Within(c.factor); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d within %g, want %d", c.name, got, c.factor, c.want)
		}
	}
}
