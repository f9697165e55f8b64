package bench

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

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
func (p Plot) SVG() template.HTML {
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
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, plotW, plotH, plotW, plotH)
	for k := range 11 {
		if v := float64(k) / 10; v >= low-1e-9 {
			fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" class="g"/><text x="%d" y="%.1f" class="y">%.1f</text>`,
				plotLeft, plotW-plotRight, y(v), y(v), plotLeft-6, y(v)+4, v)
		}
	}
	for _, n := range p.At {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, x(n), plotH-22, n)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" class="y">%s</text>`, plotW-plotRight, plotH-6, template.HTMLEscapeString(p.Across))
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
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.6"><title>%s</title></path>`,
			d.String(), c.Color, template.HTMLEscapeString(c.Name))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// Picture returns the plot as an SVG file of its own, which names the curves.
func (p Plot) Picture() string {
	const style = `<style>text { font: 11px system-ui, sans-serif; fill: #555 } .t { font-weight: 600; fill: #222 } .y { text-anchor: end } .g { stroke: #e5e5e5 }</style>`
	drawn := string(p.SVG())
	open := strings.IndexByte(drawn, '>')
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg"` + strings.TrimPrefix(drawn[:open+1], "<svg"))
	fmt.Fprintf(&b, `%s<rect width="%d" height="%d" fill="#fff"/><text x="%d" y="14" class="t">%s</text>`,
		style, plotW, plotH, plotLeft, template.HTMLEscapeString(p.Title))
	for k, c := range p.Curves {
		fmt.Fprintf(&b, `<text x="%d" y="%d" class="y" style="fill:%s;font-weight:600">%s</text>`,
			plotW-plotRight-8, plotH-52-16*(len(p.Curves)-1-k), c.Color, template.HTMLEscapeString(c.Name))
	}
	b.WriteString(drawn[open+1:])
	return b.String()
}
