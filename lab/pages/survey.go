package pages

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

// A standing is how we stand beside the fastest library: its time / ours, at once and after a search. 0: not timed.
type standing struct {
	row         *bench.Row
	once, found float64
}

// SurveyPage shows workloads drawn at random beside the libraries, the worst first.
func SurveyPage(r *bench.KernelReport, rows []bench.Row, what string, facts run.Facts) Page {
	var list []standing
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Workload = rows[i].Spec
		s := standing{row: &rows[i]}
		if peer := s.row.BestPeer(); peer != nil {
			ratio := func(name string) float64 {
				if t := s.row.Of(name); t.OK() {
					return peer.Best() / t.Best()
				}
				return 0
			}
			s.once, s.found = ratio(bench.FirstName), ratio(rivals.OursName)
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b standing) int {
		return cmp.Compare(min(a.once, a.found), min(b.once, b.found))
	})
	var points [][]float64
	for _, s := range list {
		points = append(points, []float64{s.once, s.found})
	}
	t := report.Table{Head: []string{"workload", "library", "its us", "at once", "after the search", "us", "limit us",
		"of the limit"}}
	for _, s := range list {
		line := []string{s.row.Spec, "-", "-", ratioText(s.once), ratioText(s.found), "-", "-", "-"}
		if peer := s.row.BestPeer(); peer != nil {
			line[1], line[2] = peer.Name, report.Micro(peer.Best())
		}
		if ours := s.row.Ours(); ours.OK() {
			limit := max(s.row.FLOP/facts.AllFLOPS, s.row.Bytes/max(facts.Copy, facts.Triad, facts.Cached))
			line[5], line[6] = report.Micro(ours.Best()), report.Micro(limit)
			line[7] = fmt.Sprintf("%.0f %%", 100*limit/ours.Best())
		}
		t.Rows = append(t.Rows, line)
	}
	t.Notes = append([]string{
		"at once, after the search: time of the fastest library / ours, above 1 ours is faster",
		fmt.Sprintf("limit: the arithmetic at %.0f GFLOP/s, or each tensor once at %.1f GB/s, as measured here",
			facts.AllFLOPS/1e9, max(facts.Copy, facts.Triad, facts.Cached)/1e9),
		"at once, " + standings(list, func(s standing) float64 { return s.once }),
		"after the search, " + standings(list, func(s standing) float64 { return s.found }),
	}, kernelFailures(rows)...)
	return Page{
		Title: "Workloads drawn at random, beside the libraries", Tables: []report.Table{t},
		Facts: append([]string{r.Machine, what, fmt.Sprintf("searches of %d trials, scorer %s", r.Trials, r.Scorer)},
			r.Peers...),
		Pictures: []Picture{{SVG: standingPlot(points, "at once", "after the search")}},
	}
}

func ratioText(x float64) string { return report.OrDash(x > 0, fmt.Sprintf("%.2f", x)) }

// standings says in a line how ratios are spread.
func standings(list []standing, of func(standing) float64) string {
	var all, heavy []float64
	for _, s := range list {
		if x := of(s); x > 0 {
			all = append(all, x)
			if s.row.Heavy() {
				heavy = append(heavy, x)
			}
		}
	}
	if len(all) == 0 {
		return "nothing was timed"
	}
	slices.Sort(all)
	least, _ := slices.BinarySearch(all, 1)
	return fmt.Sprintf("%d rows: geometric mean %.2f, of the %d heavy ones (library %.0f us or more) %.2f; "+
		"%d at least 1.0; the lowest %.2f", len(all), rivals.Geomean(all), len(heavy), bench.HeavySeconds*1e6,
		rivals.Geomean(heavy), len(all)-least, all[0])
}

// The size of the picture of standings, and the ratios that it shows.
const (
	standW, standH       = 760, 360
	standLeft, standTop  = 50.0, 30.0
	standInW, standInH   = 680.0, 280.0
	leastRatio, topRatio = 0.125, 16.0
)

// standingPlot draws the ratios of all rows, in the order of the table; a row has one under each name, 0 if none.
func standingPlot(rows [][]float64, names ...string) string {
	y := func(ratio float64) float64 {
		ratio = min(max(ratio, leastRatio), topRatio)
		return standTop + standInH*(1-math.Log2(ratio/leastRatio)/math.Log2(topRatio/leastRatio))
	}
	p := report.NewPicture(standW, standH, ` xmlns="http://www.w3.org/2000/svg"`)
	fmt.Fprintf(p, `%s<rect width="%d" height="%d" fill="#fff"/>`, report.FileStyle, standW, standH)
	p.Text(standLeft, 16, ` class="t"`, "time of the fastest library / ours, the lowest row first")
	for ratio := leastRatio; ratio <= topRatio; ratio *= 2 {
		style := ` class="g"`
		if ratio == 1 {
			style = ` stroke="#222"`
		}
		p.Line(standLeft, standLeft+standInW, y(ratio), y(ratio), style)
		p.Text(standLeft-6, y(ratio)+4, ` class="y"`, fmt.Sprintf("%g", ratio))
	}
	for i, ratios := range rows {
		x := standLeft + standInW*(float64(i)+0.5)/float64(len(rows))
		for k, ratio := range ratios {
			if ratio > 0 {
				fmt.Fprintf(p, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x, y(ratio), report.Colors[k])
			}
		}
	}
	for k, name := range names {
		p.Text(standLeft+140*float64(k), standTop+standInH+30, fmt.Sprintf(` style="fill:%s;font-weight:600"`,
			report.Colors[k]), name)
	}
	return string(p.End())
}
