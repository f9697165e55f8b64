package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

// TestOpsPage: the worst row comes first; what failed is a note, and no row.
func TestOpsPage(t *testing.T) {
	row := func(name string, theirs, ours float64, serial bool) bench.OpRow {
		r := bench.OpRow{Serial: serial, Spec: "f32[2]"}
		r.Model, r.MaxError = name, map[string]float64{"ort": 1e-6}
		r.Times = []rivals.Times{{Name: rivals.OursName, Rounds: [][]float64{{ours}}}, {Name: "ort", Rounds: [][]float64{{theirs}}}}
		return r
	}
	failed := bench.OpRow{}
	failed.Model, failed.Failure = "C-1", "no kernel"
	refused := row("D-1", 1, 1, false)
	refused.Times[1] = rivals.Times{Name: "ort", Error: "ort: not implemented"}
	p := OpsPage(&bench.OpReport{Without: map[string]string{"If": "graphs"}}, []bench.OpRow{
		row("A-1", 2e-6, 1e-6, false), failed, row("B-1", 1e-6, 2e-6, true), refused})
	var out bytes.Buffer
	p.Print(&out)
	text := out.String()
	for _, want := range []string{"2 rows: geometric mean 1.00; 1 below 1.0, 1 below 0.7", "on one core: B-1",
		"C-1: no kernel", "D-1: D-1: ort: not implemented", "no row of If: graphs", "1e-06"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(p.Tables[0].Rows) != 2 || p.Tables[0].Rows[0][0] != "B-1" || p.Tables[0].Rows[0][4] != "one" {
		t.Errorf("rows %v", p.Tables[0].Rows)
	}
}
