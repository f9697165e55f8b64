package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tune/bench"
)

// TestPage: the page is whole, escapes what it shows, and needs no network.
func TestPage(t *testing.T) {
	rows := []bench.Row{row("a<b", map[string]float64{bench.OursName: 100, "ort": 400})}
	rows[0].Curve = []float64{0, 3e-4, 3e-4, 1e-4}
	p := Page{Title: "Kernels", Facts: []string{"a & b"}, Tables: []Table{KernelTable(rows)}}
	p.Charts, p.Legend = KernelCharts(rows)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"a &amp; b", "a&lt;b *</td>", "<td>4.00</td>", "make bench-setup", "<svg", "H", "4 trials"} {
		if !strings.Contains(text, want) {
			t.Errorf("not in the page: %s", want)
		}
	}
	if found := regexp.MustCompile(`(?i)https?:|src=|@import|url\(|<script|<link`).FindString(text); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
}

// TestChart: charts are well-formed whatever they show.
func TestChart(t *testing.T) {
	for name, c := range map[string]Chart{
		"empty":   {Title: "x"},
		"untimed": {Title: "x", Lines: []Line{{Times: []float64{0, 0}}}},
		"one":     {Title: "x", Lines: []Line{{Times: []float64{1e-6}}}},
		"levels":  {Title: "<&>", Levels: []Level{{"a", "red", 1e-3}, {"b", "blue", 2e-6}}},
	} {
		text := string(c.SVG())
		d := xml.NewDecoder(strings.NewReader(text))
		var err error
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
