package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestFigures: bars and ranges are well-formed whatever they show, and escape names.
func TestFigures(t *testing.T) {
	for name, text := range map[string]string{
		"no bars":   string(Bars{}.SVG()),
		"zero bars": string(Bars{Across: "a<b", Counts: []int{0, 0}}.SVG()),
		"bars":      string(Bars{Across: "label", Counts: []int{3, 0, 7}}.SVG()),
		"no ranges": string(Ranges{}.SVG()),
		"untimed":   string(Ranges{Rows: []Spread{{Name: "x"}}}.SVG()),
		"one time":  string(Ranges{Rows: []Spread{{"a<b&c", 2, 2, 2, 2, 2}, {Name: "x"}}}.SVG()),
		"ranges":    string(Ranges{Rows: []Spread{{strings.Repeat("é", 100), 1, 2, 3, 4, 5000}, {"y", 1e-3, 1, 2, 3, 4}}}.SVG()),
	} {
		d := xml.NewDecoder(strings.NewReader(text))
		var err error
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if n := strings.Count(string(Bars{Counts: []int{3, 0, 7}}.SVG()), "<rect"); n != 3 {
		t.Errorf("%d bars", n)
	}
}
