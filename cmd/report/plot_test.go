package report

import (
	"math"
	"strings"
	"testing"
)

// TestPlot: the drawing is well-formed, its axis begins below the lowest curve,
// and gaps are no points.
func TestPlot(t *testing.T) {
	p := Plot{Title: "x", Across: "trials", At: []int{1, 4, 16}, Curves: []Curve{
		{"a<b", "red", []float64{0.5, 0.75, 1}},
		{"gap", "blue", []float64{math.NaN(), 0.8, 1}},
		{"none", "green", []float64{math.NaN(), math.NaN(), math.NaN()}},
	}}
	text := p.File()
	wellFormed(t, text)
	// 1 is at the top, .4 at the bottom, 4 half way to 16.
	for _, want := range []string{`d="M56.0 269.3L398.0 142.7`, `L740.0 16.0"`, `>0.4</text>`, `<title>a&lt;b</title>`} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s\n%s", want, text)
		}
	}
	if strings.Contains(text, ">0.3</text>") {
		t.Errorf("the axis begins too low\n%s", text)
	}
}
