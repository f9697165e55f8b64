package report

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tune/bench"
)

func modelRows() []rivals.Row {
	rows := []rivals.Row{
		{Race: row("", map[string]float64{bench.OursName: 4000, "ort": 8000, "torch": 9000}).Race, Model: "a<b", Threads: 1},
		{Race: row("", map[string]float64{bench.OursName: 3000, "ort": 6000}).Race, Model: "a<b", Threads: 2},
		{Race: row("", map[string]float64{bench.OursName: 40000, "ort": 10000}).Race, Model: "c", Threads: 2},
	}
	rows[0].Times = append(rows[0].Times, bench.Times{Name: "openvino", Error: "it was never timed"})
	return rows
}

// TestModelTable: missing times are dashes, means are those of a number of threads, and Markdown has the same cells.
func TestModelTable(t *testing.T) {
	text := ModelTable(modelRows()).Markdown()
	for _, want := range []string{
		"| model | threads | wmtune, ms | ort, ms | torch, ms | best library / ours | its spread | load |\n| --- |",
		"| a<b | 1 | 4.00 | 8.00 | 9.00 | 2.00 | 2.00 to 2.00 | 0.0 |",
		"| c | 2 | 40.0 | 10.0 | - | 0.25 | 0.25 to 0.25 | 0.0 |",
		"- geometric mean of best library / ours, 1 thread: 2.00 (1 rows), lowest 2.00;",
		"- geometric mean of best library / ours, 2 threads: 0.71 (2 rows), lowest 0.25;",
		"- torch is not installed;",
		"- its spread: the 95 % interval of the median of the rounds' ratios; of fewer than 6 rounds, their range\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("not once in it: %s\n%s", want, text)
		}
	}
}

// TestModelPicture: the drawing is well-formed, and a bar twice as long is twice as fast.
func TestModelPicture(t *testing.T) {
	text := ModelPicture(modelRows())
	d := xml.NewDecoder(strings.NewReader(text))
	var err error
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) || strings.Contains(text, "NaN") || strings.Count(text, "<rect x=") != 7 {
		t.Errorf("%v\n%s", err, text)
	}
	for _, want := range []string{`width="480.0"`, `width="240.0"`, `width="60.0"`, "4.00 ms", "a&lt;b, 1 thread<"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s\n%s", want, text)
		}
	}
}

// TestCurves: a time that is not known is a dash in the table and no point of the plot.
func TestCurves(t *testing.T) {
	list := []rivals.Curve{
		{Model: "a", Threads: 1, BestUS: 1000, Points: []rivals.Point{
			{Seconds: 100, OursUS: 2000}, {Seconds: 300, OursUS: 500}}},
		{Model: "a", Threads: 2, BestUS: 400, Points: []rivals.Point{
			{Seconds: 100, OursUS: 800, TheirsUS: 1600, Trials: 7}, {Seconds: 300, TheirsUS: 1200, Trials: 9}}},
	}
	text := CurveTable(list).Markdown()
	for _, want := range []string{
		"| a | 1 | 100 | 2.00 | - | - | - | 1.00 |", "| a | 2 | 100 | 0.80 | 1.60 | 7 | 2.00 | 0.40 |",
		"| a | 2 | 300 | - | 1.20 | 9 | - | 0.40 |",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("not once in it: %s\n%s", want, text)
		}
	}
	p := CurvePlot(list)
	if len(p.Curves) != 3 || !slices.Equal(p.At, []int{100, 300}) || !slices.Equal(p.Curves[0].Y, []float64{0.25, 1}) ||
		p.Curves[1].Y[0] != 0.5 || !math.IsNaN(p.Curves[1].Y[1]) || p.Curves[2].Y[0] != 0.25 {
		t.Errorf("%+v", p)
	}
}

// TestBetween: what is around the lines stays, and a text without them is left alone.
func TestBetween(t *testing.T) {
	const text = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n"
	if got, ok := Between(text, "x", "new\n"); !ok || got != "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n" {
		t.Errorf("%v %q", ok, got)
	}
	if got, ok := Between(text, "y", "new"); ok || got != text {
		t.Errorf("%v %q", ok, got)
	}
}
