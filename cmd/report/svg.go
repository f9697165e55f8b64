package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Colors are those of lines, in order; they can be told apart by the colour-blind
// (Okabe and Ito).
var Colors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

// A Picture is an SVG drawing under way. Attributes begin with a space.
type Picture struct{ strings.Builder }

// NewPicture begins a drawing of a size in pixels.
func NewPicture(width, height int, attributes string) *Picture {
	p := &Picture{}
	fmt.Fprintf(p, `<svg%s viewBox="0 0 %d %d" width="%d" height="%d" role="img">`,
		attributes, width, height, width, height)
	return p
}

// Text writes a text at a place.
func (p *Picture) Text(x, y float64, attributes, text string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f"%s>%s</text>`, x, y, attributes, template.HTMLEscapeString(text))
}

// Line draws a line.
func (p *Picture) Line(x1, x2, y1, y2 float64, attributes string) {
	fmt.Fprintf(p, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"%s/>`, x1, x2, y1, y2, attributes)
}

// End returns the drawing.
func (p *Picture) End() template.HTML { return template.HTML(p.String() + `</svg>`) }

// The size of bars and of their margins, in pixels.
const (
	plotW, plotH                = 760, 360
	plotLeft, plotRight         = 56, 20
	plotTop, plotBottom         = 16, 40
	plotInnerW          float64 = plotW - plotLeft - plotRight
	plotInnerH          float64 = plotH - plotTop - plotBottom
)

const middle = ` text-anchor="middle"`

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
	p := NewPicture(plotW, plotH, "")
	width := plotInnerW / float64(max(len(b.Counts), 1))
	for i, n := range b.Counts {
		high := plotInnerH * float64(n) / float64(most)
		low, up := float64(i)/float64(len(b.Counts)), float64(i+1)/float64(len(b.Counts))
		fmt.Fprintf(p, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%.2f to %.2f: %d</title></rect>`,
			plotLeft+width*float64(i), plotTop+plotInnerH-high, width-1, high, Colors[0], low, up, n)
	}
	for k := range 11 {
		at := float64(k) / 10
		p.Text(plotLeft+plotInnerW*at, plotH-22, middle, fmt.Sprintf("%.1f", at))
	}
	p.Text(plotLeft-6, plotTop+8, ` class="y"`, fmt.Sprint(most))
	p.Text(plotW-plotRight, plotH-6, ` class="y"`, b.Across)
	return p.End()
}

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
	p := NewPicture(rangeW, height, "")
	if len(rows) == 0 {
		p.Text(4, 14, "", "no times")
		return p.End()
	}
	low, high = low/1.1, high*1.1
	x := func(us float64) float64 { return rangeLeft + rangeInner*math.Log(us/low)/math.Log(high/low) }
	for e := math.Ceil(math.Log10(low)); e <= math.Log10(high); e++ {
		us := math.Pow(10, e)
		p.Line(x(us), x(us), 0, float64(height-2*rangeRow+6), ` class="g"`)
		p.Text(x(us), float64(height-rangeRow), middle, fmt.Sprintf("%g us", us))
	}
	for i, s := range rows {
		y := float64(rangeRow*i) + 10
		name := s.Name
		if short := []rune(name); len(short) > 68 {
			name = string(short[:67]) + "…"
		}
		fmt.Fprintf(p, `<g><title>%s: %g to %g us</title>`, template.HTMLEscapeString(s.Name), s.Min, s.Max)
		p.Text(rangeLeft-8, y+3, ` class="y"`, name)
		p.Line(x(s.Min), x(s.Max), y, y, fmt.Sprintf(` stroke="%s"`, Colors[0]))
		fmt.Fprintf(p, `<rect x="%.1f" y="%.1f" width="%.1f" height="6" fill="%s"/>`,
			x(s.P25), y-3, max(x(s.P75)-x(s.P25), 1), Colors[0])
		p.Line(x(s.Median), x(s.Median), y-3, y+3, ` stroke="#fff" stroke-width="1.5"`)
		p.WriteString(`</g>`)
	}
	return p.End()
}
