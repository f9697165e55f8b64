package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tune/bench"
)

// contenders lists the names of those that were timed in any row, ours first.
func contenders(rows []rivals.Row) []string {
	list := []string{bench.OursName}
	for i := range rows {
		for _, t := range rows[i].Times {
			if t.OK() && !slices.Contains(list, t.Name) {
				list = append(list, t.Name)
			}
		}
	}
	return list
}

// ModelTable shows the latency of models, and our geometric means.
func ModelTable(rows []rivals.Row) Table {
	names := contenders(rows)
	t := Table{Head: []string{"model", "threads"}}
	for _, name := range names {
		t.Head = append(t.Head, name+", ms")
	}
	t.Head = append(t.Head, "best library / ours", "its spread", "load")
	for i := range rows {
		r := &rows[i]
		line := []string{r.Model, fmt.Sprint(r.Threads)}
		for _, name := range names {
			line = append(line, milli(r.Of(name).Best()))
		}
		ratio, spread := "-", "-"
		if q, ok := r.Ratio(); ok {
			ratio, spread = fmt.Sprintf("%.2f", q.Value), fmt.Sprintf("%.2f to %.2f", q.Low, q.High)
		}
		t.Rows = append(t.Rows, append(line, ratio, spread, fmt.Sprintf("%.1f", r.Load)))
	}
	for _, m := range rivals.Means(rows) {
		t.Notes = append(t.Notes, fmt.Sprintf("geometric mean of best library / ours, %s: %s, lowest %s; "+
			"above 1 ours is faster", threadsText(m.Threads), meanText(m.Mean),
			orDash(m.Lowest > 0, fmt.Sprintf("%.2f", m.Lowest))))
	}
	t.Notes = append(t.Notes, "ms: the fastest call; load: processes that wanted to run before the row", spreadNote)
	missing := map[string]bool{}
	for i := range rows {
		name := rows[i].Model + ", " + threadsText(rows[i].Threads)
		t.Notes = append(t.Notes, failures(name, &rows[i].Race, missing)...)
	}
	return t
}

// milli prints seconds as milliseconds with three digits or more.
func milli(seconds float64) string { return Micro(seconds / 1e3) }

func threadsText(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// ModelText says in a line what contenders took.
func ModelText(r *rivals.Row) string {
	return fmt.Sprintf("%s, %s: %s", r.Model, threadsText(r.Threads), raceText(&r.Race, 1e-3, "ms"))
}

// The size of a row of model bars and of its margins, in pixels.
const (
	barsW, barsLeft, barsRight, barRow         = 760, 150, 130, 13
	barsInner                          float64 = barsW - barsLeft - barsRight
)

// ModelPicture draws the speed of each contender relative to the best library, as an SVG file of its own.
func ModelPicture(rows []rivals.Row) string {
	names := contenders(rows)
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
	p := newPicture(barsW, height, ` xmlns="http://www.w3.org/2000/svg"`)
	fmt.Fprintf(p, `%s<rect width="%d" height="%d" fill="#fff"/>`, pictureStyle, barsW, height)
	p.text(barsLeft, 14, ` class="t"`, "Time of the best library / time: longer is faster")
	for k, name := range names {
		p.text(barsLeft+float64(90*k), 30, fmt.Sprintf(` style="fill:%s;font-weight:600"`, Colors[k%len(Colors)]), name)
	}
	at := barsLeft + barsInner/most
	p.line(at, at, 36, float64(height-4), ` stroke="#999" stroke-dasharray="4 3"`)
	for i := range rows {
		r, top := &rows[i], 40+float64(group*i)
		p.text(barsLeft-6, top+float64(group)/2, ` class="y"`, r.Model+", "+threadsText(r.Threads))
		peer := r.BestPeer()
		for k, name := range names {
			t := r.Of(name)
			if peer == nil || !t.OK() {
				continue
			}
			y, width := top+float64(barRow*k), barsInner/most*peer.Best()/t.Best()
			fmt.Fprintf(p, `<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s"/>`, barsLeft, y, width, barRow-2,
				Colors[k%len(Colors)])
			p.text(barsLeft+width+4, y+9, "", milli(t.Best())+" ms")
		}
	}
	return string(p.end())
}

// CurveTable shows latencies against the time of tuning.
func CurveTable(list []rivals.Curve) Table {
	t := Table{
		Head: []string{"model", "threads", "tuned for, s", "wmtune, ms", "MetaSchedule, ms", "its trials",
			"MetaSchedule / ours", "best library, ms"},
		Notes: []string{"MetaSchedule: the best of the runs that took no longer, timed by itself, not in turns with ours"},
	}
	for _, c := range list {
		for _, p := range c.Points {
			both := p.OursUS > 0 && p.TheirsUS > 0
			t.Rows = append(t.Rows, []string{c.Model, fmt.Sprint(c.Threads), fmt.Sprintf("%g", p.Seconds),
				milli(p.OursUS / 1e6), milli(p.TheirsUS / 1e6), orDash(p.Trials > 0, fmt.Sprint(p.Trials)),
				orDash(both, fmt.Sprintf("%.2f", p.TheirsUS/p.OursUS)), milli(c.BestUS / 1e6)})
		}
	}
	return t
}

// CurvePlot draws the lowest latency of a model here / the latency after a time of tuning.
func CurvePlot(list []rivals.Curve) Plot {
	p := Plot{Title: "Lowest latency / latency, against seconds of tuning", Across: "s"}
	for i, c := range list {
		low := c.BestUS
		for _, q := range c.Points {
			for _, us := range []float64{q.OursUS, q.TheirsUS} {
				if us > 0 && (low == 0 || us < low) {
					low = us
				}
			}
		}
		name := c.Model + ", " + threadsText(c.Threads)
		ours := Curve{Name: name + ": wmtune", Color: Colors[2*i%len(Colors)]}
		theirs := Curve{Name: name + ": MetaSchedule", Color: Colors[(2*i+1)%len(Colors)]}
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

// Markdown returns the table as Markdown, with its notes as a list.
func (t Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.Head)
	line(slices.Repeat([]string{"---"}, len(t.Head)))
	for _, row := range t.Rows {
		line(row)
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	return b.String()
}

// Between replaces what stands in a text between the lines <!-- name --> and <!-- end of name -->. It reports whether
// these lines are there.
func Between(text, name, with string) (string, bool) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return text, false
	}
	return before + begin + "\n" + strings.TrimSpace(with) + "\n\n" + end + after, true
}
