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

// A picture is an SVG drawing under way. Attributes begin with a space.
type picture struct{ strings.Builder }

func newPicture(width, height int, attributes string) *picture {
	p := &picture{}
	fmt.Fprintf(p, `<svg%s viewBox="0 0 %d %d" width="%d" height="%d" role="img">`,
		attributes, width, height, width, height)
	return p
}

func (p *picture) text(x, y float64, attributes, text string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f"%s>%s</text>`, x, y, attributes, template.HTMLEscapeString(text))
}

func (p *picture) line(x1, x2, y1, y2 float64, attributes string) {
	fmt.Fprintf(p, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"%s/>`, x1, x2, y1, y2, attributes)
}

// curve draws a path, which shows its name where the mouse is on it.
func (p *picture) curve(path, color, name string) {
	fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="1.6"><title>%s</title></path>`,
		path, color, template.HTMLEscapeString(name))
}

func (p *picture) end() template.HTML { return template.HTML(p.String() + `</svg>`) }

// A Chart shows lines over the number of trials; times are on a logarithmic
// scale.
type Chart struct {
	Title  string
	Lines  []Line
	Levels []Level
}

// A Line is a time in seconds after each trial; 0: none yet.
type Line struct {
	Name  string
	Color string
	Times []float64
}

// A Level is a time that does not depend on trials.
type Level struct {
	Name  string
	Color string
	Time  float64 // seconds
}

// The size of a chart and of its margins, in pixels.
const (
	chartWidth, chartHeight         = 380, 230
	marginLeft, marginRight         = 56, 12
	marginTop, marginBottom         = 24, 30
	plotWidth               float64 = chartWidth - marginLeft - marginRight
	plotHeight              float64 = chartHeight - marginTop - marginBottom
)

// SVG draws the chart.
func (c Chart) SVG() template.HTML {
	p := newPicture(chartWidth, chartHeight, "")
	p.text(marginLeft, 15, ` class="t"`, c.Title)
	low, high, trials := c.bounds()
	if low == 0 {
		p.text(60, 120, "", "no times")
		return p.end()
	}
	x := func(n int) float64 { return marginLeft + plotWidth*float64(n)/float64(max(trials, 1)) }
	y := func(t float64) float64 {
		return marginTop + plotHeight*(math.Log(high)-math.Log(t))/(math.Log(high)-math.Log(low))
	}
	for _, t := range ticks(low, high) {
		p.line(marginLeft, chartWidth-marginRight, y(t), y(t), ` class="g"`)
		p.text(marginLeft-4, y(t)+4, ` class="y"`, Micro(t))
	}
	p.text(marginLeft, chartHeight-12, "", "1")
	p.text(chartWidth-marginRight, chartHeight-12, ` class="y"`, fmt.Sprintf("%d trials", trials))
	p.text(4, 15, "", "us")
	for i, l := range c.Levels {
		at := y(l.Time)
		p.line(marginLeft, chartWidth-marginRight, at, at, fmt.Sprintf(` stroke="%s" stroke-dasharray="5 3"`, l.Color))
		p.text(chartWidth-marginRight-4-60*float64(i), at-3, fmt.Sprintf(` class="y" style="fill:%s"`, l.Color), l.Name)
	}
	for _, l := range c.Lines {
		if path := l.path(x, y); path != "" {
			p.curve(path, l.Color, l.Name)
		}
	}
	return p.end()
}

// path draws a line in steps.
func (l Line) path(x func(int) float64, y func(float64) float64) string {
	var d strings.Builder
	for i, t := range l.Times {
		switch {
		case t == 0:
		case d.Len() == 0:
			fmt.Fprintf(&d, "M%.1f %.1f", x(i+1), y(t))
		case t != l.Times[i-1] || i == len(l.Times)-1:
			fmt.Fprintf(&d, "H%.1fV%.1f", x(i+1), y(t))
		}
	}
	return d.String()
}

// bounds returns the range of times, with some room, and the number of trials.
func (c Chart) bounds() (low, high float64, trials int) {
	note := func(t float64) {
		if t > 0 && (low == 0 || t < low) {
			low = t
		}
		high = max(high, t)
	}
	for _, l := range c.Lines {
		trials = max(trials, len(l.Times))
		for _, t := range l.Times {
			note(t)
		}
	}
	for _, l := range c.Levels {
		note(l.Time)
	}
	return low / 1.15, high * 1.15, trials
}

// ticks returns round times within the range: the most that do not crowd.
func ticks(low, high float64) []float64 {
	for _, steps := range [][]float64{
		{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1},
	} {
		var list []float64
		for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
			for _, s := range steps {
				if t := s * math.Pow(10, e); t >= low && t <= high {
					list = append(list, t)
				}
			}
		}
		if len(list) <= 8 {
			return list
		}
	}
	return nil
}

// A Plot shows curves of shares, 0 to 1, over a number on a logarithmic scale.
type Plot struct {
	Title  string
	Across string // what is on the horizontal axis
	At     []int  // its values
	Curves []Curve
}

// A Curve is a value for each place of its plot; NaN: none.
type Curve struct {
	Name  string
	Color string
	Y     []float64
}

// The size of a plot and of its margins, in pixels.
const (
	plotW, plotH                = 760, 360
	plotLeft, plotRight         = 56, 20
	plotTop, plotBottom         = 16, 40
	plotInnerW          float64 = plotW - plotLeft - plotRight
	plotInnerH          float64 = plotH - plotTop - plotBottom
)

// SVG draws the plot. The vertical axis ends at 1 and begins below the lowest
// curve.
func (p Plot) SVG() template.HTML { return p.draw("", "").end() }

func (p Plot) draw(attributes, head string) *picture {
	low := 1.0
	for _, c := range p.Curves {
		for _, v := range c.Y {
			if v < low {
				low = v
			}
		}
	}
	low = math.Floor(low*10-0.01) / 10
	last := math.Log(float64(p.At[len(p.At)-1]))
	x := func(n int) float64 { return plotLeft + plotInnerW*math.Log(float64(n))/last }
	y := func(v float64) float64 { return plotTop + plotInnerH*(1-v)/(1-low) }
	b := newPicture(plotW, plotH, attributes)
	b.WriteString(head)
	for k := range 11 {
		if v := float64(k) / 10; v >= low-1e-9 {
			b.line(plotLeft, plotW-plotRight, y(v), y(v), ` class="g"`)
			b.text(plotLeft-6, y(v)+4, ` class="y"`, fmt.Sprintf("%.1f", v))
		}
	}
	for _, n := range p.At {
		b.text(x(n), plotH-22, middle, fmt.Sprint(n))
	}
	b.text(plotW-plotRight, plotH-6, ` class="y"`, p.Across)
	for _, c := range p.Curves {
		var d strings.Builder
		for i, v := range c.Y {
			op := "L"
			if d.Len() == 0 {
				op = "M"
			}
			if !math.IsNaN(v) {
				fmt.Fprintf(&d, "%s%.1f %.1f", op, x(p.At[i]), y(v))
			}
		}
		b.curve(d.String(), c.Color, c.Name)
	}
	return b
}

const middle = ` text-anchor="middle"`

// pictureStyle is the style of a drawing that is a file of its own.
const pictureStyle = `<style>text { font: 11px system-ui, sans-serif; fill: #555 }` +
	` .t { font-weight: 600; fill: #222 } .y { text-anchor: end } .g { stroke: #e5e5e5 }</style>`

// Picture returns the plot as an SVG file of its own, which names the curves.
func (p Plot) Picture() string {
	head := fmt.Sprintf(`%s<rect width="%d" height="%d" fill="#fff"/>`, pictureStyle, plotW, plotH)
	b := p.draw(` xmlns="http://www.w3.org/2000/svg"`, head)
	b.text(plotLeft, 14, ` class="t"`, p.Title)
	for k, c := range p.Curves {
		y := plotH - 52 - 16*(len(p.Curves)-1-k)
		b.text(plotW-plotRight-8, float64(y), fmt.Sprintf(` class="y" style="fill:%s;font-weight:600"`, c.Color), c.Name)
	}
	return string(b.end())
}

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
	p := newPicture(plotW, plotH, "")
	width := plotInnerW / float64(max(len(b.Counts), 1))
	for i, n := range b.Counts {
		high := plotInnerH * float64(n) / float64(most)
		low, up := float64(i)/float64(len(b.Counts)), float64(i+1)/float64(len(b.Counts))
		fmt.Fprintf(p, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%.2f to %.2f: %d</title></rect>`,
			plotLeft+width*float64(i), plotTop+plotInnerH-high, width-1, high, Colors[0], low, up, n)
	}
	for k := range 11 {
		at := float64(k) / 10
		p.text(plotLeft+plotInnerW*at, plotH-22, middle, fmt.Sprintf("%.1f", at))
	}
	p.text(plotLeft-6, plotTop+8, ` class="y"`, fmt.Sprint(most))
	p.text(plotW-plotRight, plotH-6, ` class="y"`, b.Across)
	return p.end()
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
	p := newPicture(rangeW, height, "")
	if len(rows) == 0 {
		p.text(4, 14, "", "no times")
		return p.end()
	}
	low, high = low/1.1, high*1.1
	x := func(us float64) float64 { return rangeLeft + rangeInner*math.Log(us/low)/math.Log(high/low) }
	for e := math.Ceil(math.Log10(low)); e <= math.Log10(high); e++ {
		us := math.Pow(10, e)
		p.line(x(us), x(us), 0, float64(height-2*rangeRow+6), ` class="g"`)
		p.text(x(us), float64(height-rangeRow), middle, fmt.Sprintf("%g us", us))
	}
	for i, s := range rows {
		y := float64(rangeRow*i) + 10
		name := s.Name
		if short := []rune(name); len(short) > 68 {
			name = string(short[:67]) + "…"
		}
		fmt.Fprintf(p, `<g><title>%s: %g to %g us</title>`, template.HTMLEscapeString(s.Name), s.Min, s.Max)
		p.text(rangeLeft-8, y+3, ` class="y"`, name)
		p.line(x(s.Min), x(s.Max), y, y, fmt.Sprintf(` stroke="%s"`, Colors[0]))
		fmt.Fprintf(p, `<rect x="%.1f" y="%.1f" width="%.1f" height="6" fill="%s"/>`,
			x(s.P25), y-3, max(x(s.P75)-x(s.P25), 1), Colors[0])
		p.line(x(s.Median), x(s.Median), y-3, y+3, ` stroke="#fff" stroke-width="1.5"`)
		p.WriteString(`</g>`)
	}
	return p.end()
}
