package pages

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

// TestSurveyPage: the row that is slowest beside the libraries comes first, and the picture has two dots a row.
func TestSurveyPage(t *testing.T) {
	row := func(spec string, peer, once, found float64) bench.Row {
		r := bench.Row{Spec: spec, FLOP: 1e6, Bytes: 1e3}
		for name, us := range map[string]float64{"torch": peer, bench.FirstName: once, rivals.OursName: found} {
			r.Times = append(r.Times, rivals.Times{Name: name, Rounds: [][]float64{{us * 1e-6}}})
		}
		return r
	}
	rows := []bench.Row{row("fine", 400, 200, 100), row("slow", 300, 600, 200), {Spec: "none"}}
	rows[2].Failure = "nothing correct"
	p := SurveyPage(&bench.KernelReport{Trials: 64}, rows, "3 workloads", run.Facts{AllFLOPS: 1e11, Copy: 1e10})
	text := markdown(p.Tables[0])
	for _, want := range []string{
		"| slow | torch | 300 | 0.50 | 1.50 | 200 | 10.0 | 5 % |", "| none | - | - | - | - | - | - | - |",
		"at once, 2 rows: geometric mean 1.00, of the 2 heavy ones (library 150 us or more) 1.00; 1 at least 1.0; the lowest 0.50",
		"after the search, 2 rows: geometric mean 2.45", "none: no kernel of ours: nothing correct",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	if strings.Index(text, "| slow") > strings.Index(text, "| fine") {
		t.Errorf("the slowest is not before others:\n%s", text)
	}
	if n := strings.Count(p.Pictures[0].SVG, "<circle"); n != 4 {
		t.Errorf("%d dots", n)
	}
}
