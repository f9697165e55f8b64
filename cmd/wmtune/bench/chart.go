package bench

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

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

// Colors are those of lines, in order; they can be told apart by the colour-blind
// (Okabe and Ito).
var Colors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

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
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, chartWidth, chartHeight, chartWidth, chartHeight)
	fmt.Fprintf(&b, `<text x="%d" y="15" class="t">%s</text>`, marginLeft, template.HTMLEscapeString(c.Title))
	low, high, trials := c.bounds()
	if low == 0 {
		b.WriteString(`<text x="60" y="120">no times</text></svg>`)
		return template.HTML(b.String())
	}
	x := func(n int) float64 { return marginLeft + plotWidth*float64(n)/float64(max(trials, 1)) }
	y := func(t float64) float64 {
		return marginTop + plotHeight*(math.Log(high)-math.Log(t))/(math.Log(high)-math.Log(low))
	}
	for _, t := range ticks(low, high) {
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" class="g"/><text x="%d" y="%.1f" class="y">%s</text>`,
			marginLeft, chartWidth-marginRight, y(t), y(t), marginLeft-4, y(t)+4, Micro(t))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">1</text><text x="%d" y="%d" class="y">%d trials</text><text x="4" y="15">us</text>`,
		marginLeft, chartHeight-12, chartWidth-marginRight, chartHeight-12, trials)
	for i, l := range c.Levels {
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="5 3"/><text x="%d" y="%.1f" class="y" style="fill:%s">%s</text>`,
			marginLeft, chartWidth-marginRight, y(l.Time), y(l.Time), l.Color, chartWidth-marginRight-4-60*i, y(l.Time)-3, l.Color, template.HTMLEscapeString(l.Name))
	}
	for _, l := range c.Lines {
		b.WriteString(l.path(x, y))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
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
	if d.Len() == 0 {
		return ""
	}
	return fmt.Sprintf(`<path d="%s" fill="none" stroke="%s" stroke-width="1.6"><title>%s</title></path>`,
		d.String(), l.Color, template.HTMLEscapeString(l.Name))
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
	for _, steps := range [][]float64{{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1}} {
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
