package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tune/inspect"
)

// TestHistoryPage: a task has its curve, which ends at 1, its programs and their texts; one without times has a line.
func TestHistoryPage(t *testing.T) {
	ranked := []inspect.Ranked{
		{Program: dataset.Program{Record: 2, Costs: []float64{1e-6}, Scorer: "world<1>"}, Relative: 1},
		{Program: dataset.Program{Record: 1, Costs: []float64{4e-6}, Scorer: "random"}, Relative: 0.25},
	}
	timed := inspect.History{TaskSummary: &dataset.TaskSummary{Task: dataset.Task{Workload: "matmul:m=1"}, Records: 4},
		Log: "a.arrow", Best: []float64{0, 4e-6, 1e-6, 1e-6}, Ranked: ranked, Steps: []string{"[1]", "[2]"},
		Texts: []string{"func <main>", "func two"}}
	failed := inspect.History{TaskSummary: &dataset.TaskSummary{Task: dataset.Task{Workload: "matmul:m=2"}, Records: 1},
		Log: "b.arrow", Best: []float64{0}}
	plot := historyPlot(&timed)
	if n := len(plot.At); n != 4 || !math.IsNaN(plot.Curves[0].Y[0]) || plot.Curves[0].Y[1] != 0.25 || plot.Curves[0].Y[3] != 1 {
		t.Errorf("%+v", plot)
	}
	var b bytes.Buffer
	if err := HistoryPage("Searches", []string{"best: <fast>"}, []inspect.History{timed, failed}).Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	at := 0
	for _, want := range []string{"<h1>Searches</h1>", "best: &lt;fast&gt;", "<h2>matmul:m=1</h2>", "a.arrow", "4 records", "<svg",
		"1 us</text>", "<td>world&lt;1&gt;</td>", "1: record 2", "steps: [1]", "<pre>func &lt;main&gt;</pre>", "width: 25.00%",
		"<h2>matmul:m=2</h2>", "b.arrow", "</body></html>"} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("not in it, or in another place: %s\n%s", want, text)
		}
		at += i
	}
	if strings.Count(text, "<svg") != 1 || strings.Contains(text, "NaN") || strings.Contains(text, "GFLOP/s") ||
		strings.Contains(text, "http") {
		t.Errorf("the page has what it should not have\n%s", text)
	}
}
