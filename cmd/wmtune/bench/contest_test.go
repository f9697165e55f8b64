package bench

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func testContests() []Contest {
	return []Contest{
		{Workload: "one", Trials: 20, Entries: []Entry{
			{Scorer: "random", Seed: 0, Seconds: 4e-6, Curve: curve(20, 8e-6, 4e-6), PerSecond: 10},
			{Scorer: "gbt", Seed: 0, Seconds: 2e-6, Curve: curve(20, 4e-6, 2e-6), PerSecond: 5},
			{Scorer: "random", Seed: 1, Seconds: 8e-6, Curve: curve(20, 8e-6, 8e-6), PerSecond: 10},
			{Scorer: "gbt", Seed: 1, Seconds: 2e-6, Curve: curve(20, 2e-6, 2e-6), PerSecond: 20},
		}},
		{Workload: "two", Trials: 20, Entries: []Entry{
			{Scorer: "random", Seed: 0, Failure: "nothing correct"},
			{Scorer: "gbt", Seed: 0, Seconds: 1e-3, Curve: curve(20, 2e-3, 1e-3), PerSecond: 10},
		}},
	}
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

func TestQualities(t *testing.T) {
	q := Qualities(testContests()[:1], []string{"random", "gbt"})
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if r := q[0]; !near(r.Final, math.Sqrt(0.5*0.25)) || !near(r.After["16"], 0.25) || !near(r.After["20"], math.Sqrt(0.5*0.25)) || !near(r.PerSecond, 10) {
		t.Errorf("random: %+v", r)
	}
	if g := q[1]; !near(g.Final, 1) || !near(g.After["16"], math.Sqrt(0.5)) || !near(g.PerSecond, 10) {
		t.Errorf("gbt: %+v", g)
	}
	if q := Qualities(testContests(), []string{"random"}); q[0].Final != 0 {
		t.Errorf("a search that found nothing does not count: %+v", q[0])
	}
}

func TestMilestones(t *testing.T) {
	for trials, want := range map[int][]int{0: nil, 8: {8}, 16: {16}, 64: {16, 64}, 1000: {16, 64, 256, 1000}} {
		if got := Milestones(trials); !slices.Equal(got, want) {
			t.Errorf("%d: %v", trials, got)
		}
	}
}

func TestContestTables(t *testing.T) {
	var text bytes.Buffer
	for _, table := range ContestTables(testContests(), []string{"random", "gbt"}) {
		table.Print(&text)
	}
	for _, want := range []string{
		"one       8.00 (4.00 to 8.00)  2.00 (2.00 to 2.00)",
		"two       -                    1000 (1000 to 1000)",
		"scorer  after 16  after 20  final  candidates a second",
		"random  0.000",
		"gbt     0.630     1.000     1.000  10.0",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("not in it: %s", want)
		}
	}
	charts, legend := ContestCharts(testContests(), []string{"random", "gbt"})
	if len(charts) != 2 || len(charts[0].Lines) != 4 || len(legend) != 2 || charts[0].Lines[0].Color != legend[0].Color {
		t.Errorf("charts %+v, legend %+v", charts, legend)
	}
	if t.Failed() {
		t.Log(text.String())
	}
}
