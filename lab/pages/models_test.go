package pages

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

func modelRows() []rivals.Row {
	rows := []rivals.Row{
		{Race: row("", map[string]float64{rivals.OursName: 4000, "ort": 8000, "torch": 9000}).Race, Model: "a<b", Threads: 1},
		{Race: row("", map[string]float64{rivals.OursName: 3000, "ort": 6000}).Race, Model: "a<b", Threads: 2},
		{Race: row("", map[string]float64{rivals.OursName: 40000, "ort": 10000}).Race, Model: "c", Threads: 2},
	}
	rows[0].Times = append(rows[0].Times, rivals.Times{Name: "openvino", Error: "it was never timed"})
	return rows
}

// TestModelPicture: the drawing is well-formed, and a bar twice as long is twice as fast.
func TestModelPicture(t *testing.T) {
	text := modelPicture(modelRows()).SVG
	wellFormed(t, text)
	if strings.Count(text, "<rect x=") != 7 {
		t.Error(text)
	}
	for _, want := range []string{`width="480.0"`, `width="240.0"`, `width="60.0"`, "4.00 ms", "a&lt;b, 1 thread<"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s\n%s", want, text)
		}
	}
}

// TestCurves: a time that is not known is a dash in the table and no point of the plot.
func TestCurves(t *testing.T) {
	list := []bench.Curve{
		{Model: "a", Threads: 1, BestUS: 1000, Points: []bench.Point{
			{Seconds: 100, OursUS: 2000}, {Seconds: 300, OursUS: 500}}},
		{Model: "a", Threads: 2, BestUS: 400, Points: []bench.Point{
			{Seconds: 100, OursUS: 800, TheirsUS: 1600, Trials: 7}, {Seconds: 300, TheirsUS: 1200, Trials: 9}}},
	}
	text := markdown(curveTable(list))
	for _, want := range []string{
		"| a | 1 | 100 | 2.00 | - | - | - | 1.00 |", "| a | 2 | 100 | 0.80 | 1.60 | 7 | 2.00 | 0.40 |",
		"| a | 2 | 300 | - | 1.20 | 9 | - | 0.40 |",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("not once in it: %s\n%s", want, text)
		}
	}
	p := curvePlot(list)
	if len(p.Curves) != 3 || !slices.Equal(p.At, []int{100, 300}) || !slices.Equal(p.Curves[0].Y, []float64{0.25, 1}) ||
		p.Curves[1].Y[0] != 0.5 || !math.IsNaN(p.Curves[1].Y[1]) || p.Curves[2].Y[0] != 0.25 {
		t.Errorf("%+v", p)
	}
}
