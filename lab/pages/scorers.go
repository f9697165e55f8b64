package pages

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/lab/bench"
)

// versusTable shows comparisons with one baseline, a row each.
func versusTable(baseline string, list []bench.Versus) report.Table {
	t := report.Table{
		Head: []string{
			"A/O against " + baseline, "trials", "geomean", "95 %", "median", "without 2 largest", "wins/ties/losses",
			"slower: median, mean", "failed",
		},
		Notes: []string{
			fmt.Sprintf("A/O: time of %s's kernel / this scorer's, from the same seed, timed in turns; "+
				"above 1 this scorer's is faster", baseline),
			"geomean, median: over workloads, of the geometric means over seeds; " +
				"95 %: of a bootstrap over workloads and seeds",
			fmt.Sprintf("ties: within %.0f %%; slower: this scorer's time / %s's - 1; "+
				"failed: searches that found no kernel, theirs + the baseline's", 100*bench.TieBand, baseline),
		},
	}
	models := slices.ContainsFunc(list, func(v bench.Versus) bool { return v.Model > 0 })
	if models {
		t.Head = append(t.Head, "model")
		t.Notes = append(t.Notes, "model: of the sums of times, each as often as the plan's model runs the workload")
	}
	for _, v := range list {
		trials := fmt.Sprint(v.Budget)
		if v.Budget != v.Baseline.Budget {
			trials = fmt.Sprintf("%d, %s's %d", v.Budget, v.Baseline.Scorer, v.Baseline.Budget)
		}
		any := v.Geomean > 0
		t.Rows = append(t.Rows, []string{
			v.Scorer, trials, report.OrDash(any, fmt.Sprintf("%.3f", v.Geomean)),
			report.OrDash(any, fmt.Sprintf("%.3f to %.3f", v.Low, v.High)),
			report.OrDash(any, fmt.Sprintf("%.3f", v.Median)), report.OrDash(v.Trimmed > 0, fmt.Sprintf("%.3f", v.Trimmed)),
			fmt.Sprintf("%d/%d/%d", v.Wins, v.Ties, v.Losses),
			report.OrDash(any, fmt.Sprintf("%+.1f %%, %+.1f %%", 100*v.IncreaseMedian, 100*v.IncreaseMean)),
			fmt.Sprintf("%d + %d", v.Failed, v.Lacking),
		})
		if models {
			last := len(t.Rows) - 1
			t.Rows[last] = append(t.Rows[last], report.OrDash(v.Model > 0, fmt.Sprintf("%.3f", v.Model)))
		}
	}
	return t
}

// qualityTable shows what each side comes to by itself.
func qualityTable(list []bench.Quality) report.Table {
	t := report.Table{
		Head: []string{
			"scorer", "trials", "of best known", "searches", "failed", "s a search", "s without measuring", "states scored",
		},
		Notes: []string{
			"of best known: the fastest kernel of the workload that any search here found / the one found, " +
				"as if in the same turns; geometric mean over workloads and seeds",
			"s: means over searches, without the reference, which is computed once per workload; " +
				"without measuring: proposing, scoring, learning",
		},
	}
	for _, q := range list {
		t.Rows = append(t.Rows, []string{
			q.Scorer, fmt.Sprint(q.Budget), report.OrDash(q.OfBest > 0, fmt.Sprintf("%.3f", q.OfBest)),
			fmt.Sprint(q.Searches), fmt.Sprint(q.Failed),
			fmt.Sprintf("%.1f", q.Wall), fmt.Sprintf("%.2f", q.Thinking), fmt.Sprintf("%.0f", q.Scored),
		})
	}
	return t
}

// cellTable shows each workload of comparisons with the same baseline and budget: the
// median time over seeds, and the ratio.
func cellTable(found []bench.Found, list []bench.Versus) report.Table {
	if len(list) == 0 {
		return report.Table{}
	}
	base := list[0].Baseline
	t := report.Table{
		Head: []string{fmt.Sprintf("after %d trials", list[0].Budget), base.String() + ": us"},
		Notes: []string{"us: the median over seeds of kernels timed in turns; " +
			"in brackets A/O, the geometric mean over seeds; W: faster beyond the tie band, L: slower"},
	}
	if list[0].Budget == 0 {
		t.Head[0] = "first choice"
	}
	for _, v := range list {
		t.Head = append(t.Head, v.Scorer)
	}
	for _, name := range bench.Workloads(found) {
		row := []string{name, report.Micro(base.Median(found, name))}
		for _, v := range list {
			text := report.Micro(v.Side.Median(found, name))
			if i := slices.IndexFunc(v.Cells, func(c bench.Cell) bool { return c.Workload == name }); i >= 0 {
				text += cellText(v.Cells[i])
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cellText prints the ratio of a cell and who was faster.
func cellText(c bench.Cell) string {
	mark := map[bench.Outcome]string{bench.Win: " W", bench.Tie: "", bench.Loss: " L"}[c.Outcome]
	if c.Ratio == 0 {
		return mark
	}
	return fmt.Sprintf(" (%.2f)%s", c.Ratio, mark)
}

// qualityPlot draws the best kernel known / the best so far after each trial, geometric
// mean over workloads and seeds, by the times that the searches measured.
func qualityPlot(list []bench.Found, scorers []string, budget int) report.Plot {
	p := report.Plot{
		Title: fmt.Sprintf("Best known / best so far, searches of %d trials, "+
			"geometric mean over workloads and seeds", budget),
		Across: "trials",
	}
	for n := 1; n < budget; n *= 2 {
		p.At = append(p.At, n)
	}
	p.At = append(p.At, budget)
	for k, s := range scorers {
		c := report.Curve{Name: s, Color: report.Colors[k%len(report.Colors)]}
		for _, n := range p.At {
			c.Y = append(c.Y, bench.Side{Scorer: s, Budget: budget}.QualityAfter(list, n))
		}
		p.Curves = append(p.Curves, c)
	}
	return p
}

// ScorersPage shows a benchmark of scorers: the comparisons with each baseline, what each
// scorer comes to by itself, and the workloads.
func ScorersPage(r *bench.ScorersReport, baselines []bench.Baseline, facts []string) Page {
	p := Page{Title: "Scorers on real searches", Facts: facts}
	var cells []report.Table
	for _, base := range baselines {
		var rows []bench.Versus
		for _, n := range r.Trials {
			same := r.Compare(base, n)
			rows, cells = append(rows, same...), append(cells, cellTable(r.Searches, same))
		}
		p.Tables = append(p.Tables, versusTable(base.String(), rows))
	}
	p.Tables = append(append(p.Tables, qualityTable(r.Qualities)), cells...)
	p.Tables = slices.DeleteFunc(p.Tables, func(t report.Table) bool { return len(t.Rows) == 0 })
	if most := slices.Max(r.Trials); most > 1 {
		p.Pictures = []Picture{{"", qualityPlot(r.Searches, r.Scorers, most).File()}}
	}
	return p
}
