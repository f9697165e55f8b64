package bench

import (
	"math"
	"testing"
)

// TestCover: times are taken over of the same program only: steps of the collapsed workload are another one's.
func TestCover(t *testing.T) {
	flat, plain := timedOnce{Steps: "a", Flat: true}, timedOnce{Steps: "a"}
	for what, c := range map[string]struct {
		timed, asked []timedOnce
		want         bool
	}{
		"the same":         {[]timedOnce{flat, plain}, []timedOnce{plain, flat}, true},
		"flat only":        {[]timedOnce{flat}, []timedOnce{plain}, false},
		"plain only":       {[]timedOnce{plain}, []timedOnce{flat}, false},
		"another layout":   {[]timedOnce{plain}, []timedOnce{{Steps: "a", Layout: "keep"}}, false},
		"another workload": {nil, nil, false},
	} {
		g := group{Spec: "w"}
		for i, p := range c.timed {
			p.Seconds = float64(1 + i)
			g.Programs = append(g.Programs, p)
		}
		spec := g.Spec
		if what == "another workload" {
			spec = "v"
		}
		if got := g.cover(spec, c.asked); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
		if c.want && (c.asked[0].Seconds != 2 || c.asked[1].Seconds != 1) {
			t.Errorf("%s: times %+v", what, c.asked)
		}
	}
}

// TestInTurns: between two groups the machine became slower, and the champion of the second is the faster one.
func TestInTurns(t *testing.T) {
	group := func(steps string, seconds float64) outcome {
		return outcome{make([]Found, 2), champion([]timedOnce{{Steps: "x"}, {Steps: steps, Seconds: seconds}})}
	}
	final := func(a, b float64) []timedOnce { return []timedOnce{{Steps: "a", Seconds: a}, {Steps: "b", Seconds: b}} }
	for what, c := range map[string]struct {
		list  []outcome
		final []timedOnce
		want  []float64
	}{
		"two":                  {[]outcome{group("a", 10), group("b", 16)}, final(12, 9), []float64{10 * 9 / 12.0, 16}},
		"one program for both": {[]outcome{group("a", 10), group("a", 16)}, final(12, 99)[:1], []float64{10, 16}},
		"one fails afterwards": {[]outcome{group("a", 10), group("b", 16)}, final(12, 0), []float64{10, 16}},
		"both fail afterwards": {[]outcome{group("a", 10), group("b", 16)}, final(0, 0), []float64{10, 16}},
		"a group without any":  {[]outcome{group("a", 10), group("b", 0)}, final(12, 0)[:1], []float64{10, 0}},
	} {
		inTurns(c.list, c.final)
		for i, o := range c.list {
			for _, f := range o.searches {
				if math.Abs(f.Best-c.want[i]) > 1e-9 {
					t.Errorf("%s, group %d: %g, want %g", what, i, f.Best, c.want[i])
				}
			}
		}
	}
}
