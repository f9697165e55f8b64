package bench

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/graph/rivals"
)

// row makes a row whose contenders take so many microseconds in each of ten rounds.
func row(name string, us map[string]float64) Row {
	r := Row{Workload: name}
	for _, who := range []string{rivals.OursName, "ort", "torch"} {
		t := rivals.Times{Name: who, Error: who + " is not installed", Missing: true}
		if us[who] > 0 {
			t = rivals.Times{Name: who}
			for i := range 10 {
				t.Rounds = append(t.Rounds, []float64{us[who] * 1e-6 * (1 + 0.01*float64(i)), us[who] * 2e-6})
			}
		}
		r.Times = append(r.Times, t)
	}
	return r
}

func TestMeans(t *testing.T) {
	rows := []Row{
		row("heavy", map[string]float64{rivals.OursName: 100, "ort": 400, "torch": 500}),
		row("heavy too", map[string]float64{rivals.OursName: 200, "ort": 900, "torch": 200}),
		row("light", map[string]float64{rivals.OursName: 10, "torch": 20}),
		row("no peer", map[string]float64{rivals.OursName: 10}),
		{Workload: "no kernel", Race: rivals.Race{Failure: "nothing correct"}},
	}
	heavy, all := Means(rows)
	if math.Abs(heavy.Value-2) > 1e-9 || heavy.Rows != 2 || heavy.Of != 2 {
		t.Errorf("heavy: %+v", heavy)
	}
	if math.Abs(all.Value-2) > 1e-9 || all.Rows != 3 || all.Of != 5 {
		t.Errorf("all: %+v", all)
	}
	if p := rows[1].BestPeer(); p == nil || p.Name != "torch" {
		t.Errorf("best peer: %+v", p)
	}
	q, ok := rows[0].Ratio()
	if !ok || math.Abs(q.Value-4) > 1e-9 || math.Abs(q.Low-4) > 1e-9 || math.Abs(q.High-4) > 1e-9 {
		t.Errorf("ratio %+v", q)
	}
	if s := rows[0].Ours().Spread(); math.Abs(s-0.045) > 1e-9 {
		t.Errorf("spread %g", s)
	}
}

// TestKernelReport: the figures of the table are in the report.
func TestKernelReport(t *testing.T) {
	r := row("a", map[string]float64{rivals.OursName: 100, "ort": 400})
	f := r.Summary()
	if f.BestPeer != "ort" || math.Abs(f.PeerUS-400) > 1e-6 || math.Abs(f.OursUS-100) > 1e-6 || f.Ratio == nil ||
		!r.Heavy() {
		t.Errorf("%+v", f)
	}
	if _, ok := f.US["torch"]; ok || f.Errors["torch"] == "" || f.Errors["ort"] != "" {
		t.Errorf("%+v", f)
	}
}

// TestBestSoFar: failures have no time, and a slower one changes nothing.
func TestBestSoFar(t *testing.T) {
	ok := func(c float64) dataset.Record { return dataset.Record{Status: measure.OK, Costs: []float64{2 * c, c}} }
	got := BestSoFar([]dataset.Record{{Status: measure.Crash}, ok(3), ok(4), {Status: measure.WrongAnswer}, ok(1)})
	for i, want := range []float64{0, 3, 3, 3, 1} {
		if got[i] != want {
			t.Fatalf("got %v", got)
		}
	}
}
