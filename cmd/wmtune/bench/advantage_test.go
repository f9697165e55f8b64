package bench

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// advantageContests are five workloads whose baseline takes 1 s and whose scorer takes
// the reciprocals of the ratios, from two seeds of 10 % more and less.
func advantageContests() []Contest {
	var list []Contest
	for i, r := range []float64{8, 4, 2, 1, 0.5} {
		c := Contest{Workload: fmt.Sprint("w", i), Trials: 16}
		for seed, f := range []float64{1.1, 1 / 1.1} {
			c.Entries = append(c.Entries,
				Entry{Scorer: "old", Seed: uint64(seed), Seconds: 1, Curve: curve(16, 2, 1)},
				Entry{Scorer: "new", Seed: uint64(seed), Seconds: 1 / (r * f), Curve: curve(16, 2, 1)})
		}
		list = append(list, c)
	}
	return list
}

func TestAdvantages(t *testing.T) {
	list := advantageContests()
	ratios := Advantages(list, []string{"old", "new"}, "old")
	if len(ratios) != 2 || ratios[0].At != "final" || ratios[1].At != "16" {
		t.Fatalf("%+v", ratios)
	}
	r := ratios[0]
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if want := math.Pow(32, 1.0/5); !near(r.Mean, want) || !near(r.Median, 2) || !near(r.Trimmed, 1) {
		t.Errorf("mean %g (want %g), median %g, trimmed %g", r.Mean, want, r.Median, r.Trimmed)
	}
	if r.Wins != 3 || r.Ties != 1 || r.Losses != 1 || r.Missing != 0 {
		t.Errorf("%d wins, %d ties, %d losses, %d missing", r.Wins, r.Ties, r.Losses, r.Missing)
	}
	if !(r.Low > 0.7 && r.Low < 1.4 && r.High > 2.8 && r.High < 6) {
		t.Errorf("interval %g to %g", r.Low, r.High)
	}
	if again := Advantages(list, []string{"new"}, "old")[0]; again.Low != r.Low || again.High != r.High {
		t.Errorf("the interval is another one: %g to %g", again.Low, again.High)
	}
	if same := ratios[1]; same.Mean != 1 || same.Low != 1 || same.High != 1 || same.Ties != 5 {
		t.Errorf("at 16: %+v", same)
	}
}

// TestRatioMissing: a search that found nothing is in no mean, and is counted.
func TestAdvantageMissing(t *testing.T) {
	list := advantageContests()
	list[0].Entries[1] = Entry{Scorer: "new", Seed: 0, Failure: "nothing correct"}
	r := Advantages(list, []string{"new"}, "old")[0]
	if r.Missing != 1 || len(r.Workloads[0].Seeds) != 1 || math.Abs(r.Workloads[0].Mean-8/1.1) > 1e-9 {
		t.Errorf("%+v", r)
	}
	var text bytes.Buffer
	for _, table := range AdvantageTables([]Advantage{r}, "old") {
		table.Print(&text)
	}
	for _, want := range []string{"new          final  ", "3/1/1", "1 pairs are in no mean", "w0            7.27", "w4            0.50 (0.45 to 0.55)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("not in it: %q\n%s", want, text.String())
		}
	}
}
