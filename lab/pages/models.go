package pages

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

// ModelPage shows a benchmark of models, with bars, and with curves if bundles were tuned for times.
func ModelPage(r *bench.ModelReport, rows []rivals.Row) Page {
	p := Page{
		Title: "Whole models: ours beside the libraries'", Facts: append([]string{r.Machine}, r.Peers...),
		Tables: []report.Table{report.ModelTable(rows)}, Pictures: []Picture{modelPicture(rows)},
	}
	if len(r.Curves) > 0 {
		p.Tables = append(p.Tables, curveTable(r.Curves))
		p.Pictures = append(p.Pictures, Picture{"times", curvePlot(r.Curves).File()})
	}
	return p
}

// The size of a row of model bars and of its margins, in pixels.
const (
	barsW, barsLeft, barsRight, barRow         = 760, 150, 130, 13
	barsInner                          float64 = barsW - barsLeft - barsRight
)

// modelPicture draws the speed of each contender relative to the best library.
func modelPicture(rows []rivals.Row) Picture {
	names := report.Contenders(rows)
	most := 1.0
	for i := range rows {
		if peer := rows[i].BestPeer(); peer != nil {
			for _, t := range rows[i].Times {
				if t.OK() {
					most = max(most, peer.Best()/t.Best())
				}
			}
		}
	}
	group := barRow*len(names) + 10
	height := 40 + group*len(rows)
	p := report.NewPicture(barsW, height, ` xmlns="http://www.w3.org/2000/svg"`)
	fmt.Fprintf(p, `%s<rect width="%d" height="%d" fill="#fff"/>`, report.FileStyle, barsW, height)
	p.Text(barsLeft, 14, ` class="t"`, "Time of the best library / time: longer is faster")
	for k, name := range names {
		style := fmt.Sprintf(` style="fill:%s;font-weight:600"`, report.Colors[k%len(report.Colors)])
		p.Text(barsLeft+float64(90*k), 30, style, name)
	}
	at := barsLeft + barsInner/most
	p.Line(at, at, 36, float64(height-4), ` stroke="#999" stroke-dasharray="4 3"`)
	for i := range rows {
		r, top := &rows[i], 40+float64(group*i)
		p.Text(barsLeft-6, top+float64(group)/2, ` class="y"`, r.Model+", "+report.Count(r.Threads, "thread"))
		peer := r.BestPeer()
		for k, name := range names {
			t := r.Of(name)
			if peer == nil || !t.OK() {
				continue
			}
			y, width := top+float64(barRow*k), barsInner/most*peer.Best()/t.Best()
			fmt.Fprintf(p, `<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s"/>`, barsLeft, y, width, barRow-2,
				report.Colors[k%len(report.Colors)])
			p.Text(barsLeft+width+4, y+9, "", report.Milli(t.Best())+" ms")
		}
	}
	return Picture{SVG: string(p.End())}
}

// curveTable shows latencies against the time of tuning.
func curveTable(list []bench.Curve) report.Table {
	t := report.Table{
		Head: []string{"model", "threads", "tuned for, s", "wmtune, ms", "MetaSchedule, ms", "its trials",
			"MetaSchedule / ours", "best library, ms"},
		Notes: []string{"MetaSchedule: the best of the runs that took no longer, timed by itself, not in turns with ours"},
	}
	for _, c := range list {
		for _, p := range c.Points {
			both := p.OursUS > 0 && p.TheirsUS > 0
			t.Rows = append(t.Rows, []string{c.Model, fmt.Sprint(c.Threads), fmt.Sprintf("%g", p.Seconds),
				report.Milli(p.OursUS / 1e6), report.Milli(p.TheirsUS / 1e6), report.OrDash(p.Trials > 0, fmt.Sprint(p.Trials)),
				report.OrDash(both, fmt.Sprintf("%.2f", p.TheirsUS/p.OursUS)), report.Milli(c.BestUS / 1e6)})
		}
	}
	return t
}

// curvePlot draws the lowest latency of a model here / the latency after a time of tuning.
func curvePlot(list []bench.Curve) report.Plot {
	p := report.Plot{Title: "Lowest latency / latency, against seconds of tuning", Across: "s"}
	for i, c := range list {
		low := c.BestUS
		for _, q := range c.Points {
			for _, us := range []float64{q.OursUS, q.TheirsUS} {
				if us > 0 && (low == 0 || us < low) {
					low = us
				}
			}
		}
		name := c.Model + ", " + report.Count(c.Threads, "thread")
		ours := report.Curve{Name: name + ": wmtune", Color: report.Colors[2*i%len(report.Colors)]}
		theirs := report.Curve{Name: name + ": MetaSchedule", Color: report.Colors[(2*i+1)%len(report.Colors)]}
		known := false
		for _, q := range c.Points {
			if i == 0 {
				p.At = append(p.At, int(math.Round(q.Seconds)))
			}
			ours.Y, theirs.Y = append(ours.Y, shareOf(low, q.OursUS)), append(theirs.Y, shareOf(low, q.TheirsUS))
			known = known || q.TheirsUS > 0
		}
		if p.Curves = append(p.Curves, ours); known {
			p.Curves = append(p.Curves, theirs)
		}
	}
	return p
}

// shareOf returns low / us, NaN if there is no time.
func shareOf(low, us float64) float64 {
	if us == 0 {
		return math.NaN()
	}
	return low / us
}
