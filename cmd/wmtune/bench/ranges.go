package bench

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Ranges show how times spread, a line for each list of them, on a logarithmic
// scale.
type Ranges struct {
	Title string
	Rows  []Spread
}

// A Spread is what a list of times is like, in microseconds.
type Spread struct {
	Name                       string
	Min, P25, Median, P75, Max float64
}

// The size of a row of ranges, and where the scale begins, in pixels.
const (
	rangeW, rangeRow, rangeLeft = 1000, 16, 430
	rangeInner                  = rangeW - rangeLeft - 60
)

// SVG draws the ranges: a thin line from the smallest to the largest, a thick one
// for the middle half, a mark at the median. Rows without times are left out.
func (r Ranges) SVG() template.HTML {
	low, high := math.Inf(1), 0.0
	var rows []Spread
	for _, s := range r.Rows {
		if s.Min > 0 {
			rows = append(rows, s)
			low, high = min(low, s.Min), max(high, s.Max)
		}
	}
	height := rangeRow*(len(rows)+2) + 4
	var w strings.Builder
	fmt.Fprintf(&w, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, rangeW, height, rangeW, height)
	if len(rows) == 0 {
		w.WriteString(`<text x="4" y="14">no times</text></svg>`)
		return template.HTML(w.String())
	}
	low, high = low/1.1, high*1.1
	x := func(us float64) float64 { return rangeLeft + rangeInner*math.Log(us/low)/math.Log(high/low) }
	for e := math.Ceil(math.Log10(low)); e <= math.Log10(high); e++ {
		us := math.Pow(10, e)
		fmt.Fprintf(&w, `<line x1="%.1f" x2="%.1f" y1="0" y2="%d" class="g"/><text x="%.1f" y="%d" text-anchor="middle">%g us</text>`,
			x(us), x(us), height-2*rangeRow+6, x(us), height-rangeRow, us)
	}
	for i, s := range rows {
		y := float64(rangeRow*i) + 10
		name := s.Name
		if short := []rune(name); len(short) > 68 {
			name = string(short[:67]) + "…"
		}
		fmt.Fprintf(&w, `<text x="%d" y="%.1f" class="y">%s<title>%s</title></text>`,
			rangeLeft-8, y+3, template.HTMLEscapeString(name), template.HTMLEscapeString(s.Name))
		fmt.Fprintf(&w, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s"><title>%g to %g us</title></line>`,
			x(s.Min), x(s.Max), y, y, Colors[0], s.Min, s.Max)
		fmt.Fprintf(&w, `<rect x="%.1f" y="%.1f" width="%.1f" height="6" fill="%s"/>`, x(s.P25), y-3, max(x(s.P75)-x(s.P25), 1), Colors[0])
		fmt.Fprintf(&w, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#fff" stroke-width="1.5"/>`, x(s.Median), x(s.Median), y-3, y+3)
	}
	w.WriteString(`</svg>`)
	return template.HTML(w.String())
}
