package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// A Plot shows curves of shares, 0 to 1, over a number on a logarithmic scale.
type Plot struct {
	Title  string
	Across string // what is on the horizontal axis
	At     []int  // its values, from 1 on
	Marks  []int  // those that are written below it; nil: all
	Curves []Curve
}

// A Curve is a value for each place of its plot; NaN: none.
type Curve struct {
	Name  string
	Color string
	Y     []float64
}

// SVG draws the plot, with the names of its curves. The vertical axis ends at 1 and begins below the lowest curve.
func (p Plot) SVG() template.HTML {
	b := NewPicture(plotW, plotH, "")
	p.draw(b)
	return b.End()
}

// File draws the same as a file of its own.
func (p Plot) File() string {
	b := NewPicture(plotW, plotH, ` xmlns="http://www.w3.org/2000/svg"`)
	fmt.Fprintf(b, `%s<rect width="%d" height="%d" fill="#fff"/>`, FileStyle, plotW, plotH)
	p.draw(b)
	return string(b.End())
}

// FileStyle is the style of a drawing that is a file of its own.
const FileStyle = `<style>text { font: 11px system-ui, sans-serif; fill: #555 }` +
	` .t { font-weight: 600; fill: #222 } .y { text-anchor: end } .g { stroke: #e5e5e5 }</style>`

func (p Plot) draw(b *Picture) {
	low := 1.0
	for _, c := range p.Curves {
		for _, v := range c.Y {
			if v < low {
				low = v
			}
		}
	}
	low = math.Floor(low*10-0.01) / 10
	last := math.Log(float64(max(slices.Max(p.At), 2)))
	x := func(n int) float64 { return plotLeft + plotInnerW*math.Log(float64(n))/last }
	y := func(v float64) float64 { return plotTop + plotInnerH*(1-v)/(1-low) }
	for k := range 11 {
		if v := float64(k) / 10; v >= low-1e-9 {
			b.Line(plotLeft, plotW-plotRight, y(v), y(v), ` class="g"`)
			b.Text(plotLeft-6, y(v)+4, ` class="y"`, fmt.Sprintf("%.1f", v))
		}
	}
	marks := p.Marks
	if marks == nil {
		marks = p.At
	}
	for _, n := range marks {
		b.Text(x(n), plotH-22, middle, fmt.Sprint(n))
	}
	b.Text(plotW-plotRight, plotH-6, ` class="y"`, p.Across)
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
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.6"><title>%s</title></path>`,
			d.String(), c.Color, template.HTMLEscapeString(c.Name))
	}
	b.Text(plotLeft, 14, ` class="t"`, p.Title)
	for k, c := range p.Curves {
		y := plotH - 52 - 16*(len(p.Curves)-1-k)
		b.Text(plotW-plotRight-8, float64(y), fmt.Sprintf(` class="y" style="fill:%s;font-weight:600"`, c.Color), c.Name)
	}
}
