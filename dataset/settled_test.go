package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// TestSettled: a program that fails after it was timed was never right, one that failed
// before may be; being correct without a time is no failure.
func TestSettled(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"a+ b+ a-":                   "b+ a-",
		"a+ a+ b+ a- a- b?":          "b+ a- a- b?",
		"a- a+":                      "a- a+",
		"a+ a- a+ a?":                "a- a+ a?",
		"a+ a? a+":                   "a+ a? a+",
		"a- b+ a+ c+ c- d? b- c+ b+": "a- a+ c- d? b- c+ b+",
		// Of several logs, in whatever order, with the times of day.
		"a-2 a+1":             "a-2",
		"a+1 a-2":             "a-2",
		"a+2 a-1":             "a+2 a-1",
		"a-1 a+2":             "a-1 a+2",
		"a-3 b+1 a-1 a+2 a+4": "a-3 b+1 a-1 a+4",
		"a-1 a-3 a-2 a+2 a+3": "a-1 a-3 a-2 a+3",
	} {
		got := Settled(strings.Fields(in), func(s *string) Outcome {
			o := Outcome{Program: (*s)[:1], Status: map[byte]measure.Status{'+': measure.OK, '-': measure.WrongAnswer, '?': measure.Unmeasured}[(*s)[1]]}
			if len(*s) > 2 {
				o.Unix = int64((*s)[2])
			}
			return o
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestMeasured: one program is another for another target, and with another layout.
func TestMeasured(t *testing.T) {
	list := sampleRound(0, 6)
	for i := range list {
		list[i].Trajectory, list[i].Target, list[i].Layout = "same", list[0].Target, list[0].Layout
		list[i].Status, list[i].Costs, list[i].Trial = measure.OK, []float64{1}, i
	}
	list[1].Target = target.Generic(32, 7)
	list[2].Layout = target.Keep
	list[4].Status, list[4].Costs = measure.WrongAnswer, nil
	list[5].Status, list[5].Costs = measure.Unmeasured, nil
	var kept []int
	for _, r := range Measured(list) {
		kept = append(kept, r.Trial)
	}
	if want := []int{1, 2, 4}; !slices.Equal(kept, want) {
		t.Errorf("records %v, want %v", kept, want)
	}
}
