package report

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals"
)

// race makes a race whose contenders take so many microseconds in each of eleven rounds, the middle one 5 % longer.
func race(us map[string]float64) (r rivals.Race) {
	for _, who := range []string{rivals.OursName, "ort", "torch"} {
		t := rivals.Times{Name: who, Error: who + " is not installed", Missing: true}
		if us[who] > 0 {
			t = rivals.Times{Name: who}
			for i := range 11 {
				t.Rounds = append(t.Rounds, []float64{us[who] * 1e-6 * (1 + 0.01*float64(i)), us[who] * 2e-6})
			}
		}
		r.Times = append(r.Times, t)
	}
	return r
}

func modelRows() []rivals.Row {
	rows := []rivals.Row{
		{Race: race(map[string]float64{rivals.OursName: 4000, "ort": 8000, "torch": 9000}), Model: "a<b", Threads: 1},
		{Race: race(map[string]float64{rivals.OursName: 3000, "ort": 6000}), Model: "a<b", Threads: 2},
		{Race: race(map[string]float64{rivals.OursName: 40000, "ort": 10000}), Model: "c", Threads: 2},
	}
	rows[0].Times = append(rows[0].Times, rivals.Times{Name: "openvino", Error: "it was never timed"})
	return rows
}

// TestModelTable: missing times are dashes, and means are those of a number of threads.
func TestModelTable(t *testing.T) {
	var b strings.Builder
	ModelTable(modelRows()).Print(&b)
	text := b.String()
	for _, want := range []string{
		"model  threads  wmtune, ms  ort, ms  torch, ms  best library / ours  its spread    load\n",
		"a<b    1        4.00        8.00     9.00       2.00                 2.00 to 2.00  0.0\n",
		"c      2        40.0        10.0     -          0.25                 0.25 to 0.25  0.0\n",
		"geometric mean of best library / ours, 1 thread: 2.00 (1 rows), lowest 2.00;",
		"geometric mean of best library / ours, 2 threads: 0.71 (2 rows), lowest 0.25;",
		"torch is not installed\n",
		"its spread: the 95 % interval of the median of the rounds' ratios; of fewer than 6 rounds, their range\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("not once in it: %s\n%s", want, text)
		}
	}
}
