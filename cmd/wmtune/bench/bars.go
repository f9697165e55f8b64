package bench

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Bars show how many things there are in each of equal bins from 0 to 1.
type Bars struct {
	Title  string
	Across string // what is on the horizontal axis
	Counts []int
}

// SVG draws the bars.
func (b Bars) SVG() template.HTML {
	most := 1
	if len(b.Counts) > 0 {
		most = max(most, slices.Max(b.Counts))
	}
	var w strings.Builder
	fmt.Fprintf(&w, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, plotW, plotH, plotW, plotH)
	width := plotInnerW / float64(max(len(b.Counts), 1))
	for i, n := range b.Counts {
		high := plotInnerH * float64(n) / float64(most)
		low, up := float64(i)/float64(len(b.Counts)), float64(i+1)/float64(len(b.Counts))
		fmt.Fprintf(&w, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%.2f to %.2f: %d</title></rect>`,
			plotLeft+width*float64(i), plotTop+plotInnerH-high, width-1, high, Colors[0], low, up, n)
	}
	for k := range 11 {
		fmt.Fprintf(&w, `<text x="%.1f" y="%d" text-anchor="middle">%.1f</text>`, plotLeft+plotInnerW*float64(k)/10, plotH-22, float64(k)/10)
	}
	fmt.Fprintf(&w, `<text x="%d" y="%d" class="y">%d</text>`, plotLeft-6, plotTop+8, most)
	fmt.Fprintf(&w, `<text x="%d" y="%d" class="y">%s</text></svg>`, plotW-plotRight, plotH-6, template.HTMLEscapeString(b.Across))
	return template.HTML(w.String())
}
