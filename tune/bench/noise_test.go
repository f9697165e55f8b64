package bench

import (
	"errors"
	"testing"

	"github.com/wmtune/wmtune/tune"
)

// TestNoiseScorers: a search of bench noise has no endings of scorers.
func TestNoiseScorers(t *testing.T) {
	for scorer, ok := range map[string]bool{"world": true, "world+greedy": false, "world+first": false} {
		err := NoiseOptions{Search: Search{Scorer: scorer, Trials: 4}, Repeats: 1}.Check(Scorers{})
		if wrong := new(tune.OptionError); (err == nil) != ok || !ok && !errors.As(err, &wrong) {
			t.Errorf("%s: %v", scorer, err)
		}
	}
}

func TestNoise(t *testing.T) {
	n := Noise{
		Workload: "w", Finalists: 3,
		Choices: []Choice{{0, []int{0, 1}}, {1, []int{1}}, {1, []int{0, 1}}, {2, []int{2, 0}}},
		Best:    [][]float64{{1.0, 1.1, 1.5}, {1.2, 1.1, 1.5}, {1.3, 1.15, 1.5}, {1.1, 1.3, 1.05}},
	}
	// The medians are 1.1, 1.1 and 1.5: of equal ones the first is the fastest.
	if got := n.Fastest(); got != 0 {
		t.Errorf("fastest %d", got)
	}
	if got := n.Agreement(); got != 0.5 {
		t.Errorf("agreement %v", got)
	}
	if got := n.Covered(); got != 0.75 {
		t.Errorf("covered %v", got)
	}
	if got := n.Ties(); got != 1.75 {
		t.Errorf("ties %v", got)
	}
	if got := n.Loss(); got != 0 {
		t.Errorf("loss %v", got)
	}
}
