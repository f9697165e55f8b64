package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tune/bench"
)

// SetupHint is the command that installs the peers.
const SetupHint = "make bench-setup"

// spreadNote says what Low and High of a bench.Ratio are.
var spreadNote = fmt.Sprintf("its spread: the 95 %% interval of the median of the rounds' ratios; of fewer than %d "+
	"rounds, their range", bench.IntervalRounds)

// KernelTable shows rows and their means.
func KernelTable(rows []bench.Row) Table {
	t := Table{Head: []string{"workload", "best peer", "peer us", "ours us", "ratio", "its spread", "noise: peer, ours"}}
	for i := range rows {
		r := &rows[i]
		name := r.Workload
		if r.Heavy() {
			name += " *"
		}
		line := []string{name, "-", "-", "-", "-", "-", "-"}
		noise := []string{"-", "-"}
		if peer := r.BestPeer(); peer != nil {
			line[1], line[2], noise[0] = peer.Name, Micro(peer.Best()), percent(peer.Spread())
		}
		if ours := r.Ours(); ours.OK() {
			line[3], noise[1] = Micro(ours.Best()), percent(ours.Spread())
		}
		if q, ok := r.Ratio(); ok {
			line[4], line[5] = fmt.Sprintf("%.2f", q.Value), fmt.Sprintf("%.2f to %.2f", q.Low, q.High)
		}
		line[6] = strings.Join(noise, ", ")
		t.Rows = append(t.Rows, line)
	}
	heavy, all := bench.Means(rows)
	t.Notes = append([]string{
		"ratio: best peer / ours, above 1 ours is faster", spreadNote,
		fmt.Sprintf("geometric mean, heavy rows (*: best peer %.0f us or more): %s", bench.HeavySeconds*1e6, meanText(heavy)),
		fmt.Sprintf("geometric mean, all rows: %s", meanText(all)),
	}, kernelFailures(rows)...)
	return t
}

// meanText prints a mean and how many rows it is of.
func meanText(m bench.Mean) string {
	if m.Rows == 0 {
		return "-"
	}
	if m.Rows < m.Of {
		return fmt.Sprintf("%.2f (%d of %d rows)", m.Value, m.Rows, m.Of)
	}
	return fmt.Sprintf("%.2f (%d rows)", m.Value, m.Rows)
}

// kernelFailures says why contenders have no times, once for those that are missing.
func kernelFailures(rows []bench.Row) []string {
	var list []string
	missing := map[string]bool{}
	for i := range rows {
		if rows[i].Failure != "" {
			list = append(list, fmt.Sprintf("%s: no kernel of ours: %s", rows[i].Workload, rows[i].Failure))
		}
		list = append(list, failures(rows[i].Workload, &rows[i].Race, missing)...)
	}
	return list
}

// failures says why contenders have no times in a race; of those that are missing, unless that was said before.
func failures(name string, r *bench.Race, missing map[string]bool) []string {
	var list []string
	for _, t := range r.Times {
		switch {
		case t.Error == "" || t.Missing && missing[t.Name]:
		case t.Missing:
			missing[t.Name] = true
			list = append(list, fmt.Sprintf("%s; '%s' installs the peers", t.Error, SetupHint))
		default:
			list = append(list, fmt.Sprintf("%s: %s", name, t.Error))
		}
	}
	return list
}

// RowText says in a line what contenders took.
func RowText(r *bench.Row) string { return raceText(&r.Race, 1, "us") }

// raceText says in a line what contenders took, in microseconds times a scale.
func raceText(r *bench.Race, scale float64, unit string) string {
	var parts []string
	for i := range r.Times {
		parts = append(parts, fmt.Sprintf("%s %s", r.Times[i].Name, Micro(scale*r.Times[i].Best())))
	}
	text := strings.Join(parts, ", ") + " " + unit
	if q, ok := r.Ratio(); ok {
		text += fmt.Sprintf("; ratio %.2f", q.Value)
	}
	return text
}

// KernelCharts draws the search of each row beside what its best peer and the final
// measurement of our kernel took.
func KernelCharts(rows []bench.Row) (charts []Chart, legend []Line) {
	for i := range rows {
		r := &rows[i]
		c := Chart{Title: r.Workload, Lines: []Line{{Name: "best so far", Color: Colors[0], Times: r.Curve}}}
		if peer := r.BestPeer(); peer != nil {
			c.Levels = append(c.Levels, Level{peer.Name, Colors[1], peer.Best()})
		}
		if ours := r.Ours(); ours.OK() {
			c.Levels = append(c.Levels, Level{bench.OursName, Colors[2], ours.Best()})
		}
		charts = append(charts, c)
	}
	return charts, []Line{
		{Name: "best so far in the search", Color: Colors[0]},
		{Name: "best peer, beside ours", Color: Colors[1]},
		{Name: "ours, beside the peers", Color: Colors[2]},
	}
}

// SpeedTable shows figures per candidate.
func SpeedTable(list []bench.Speed) Table {
	t := Table{Head: []string{
		"workload", "a second", "ok", "ms each", "propose", "measure", "learn",
		"lower", "emit", "compile", "check", "time", "idle",
	}}
	sum := 0.0
	for i := range list {
		s := &list[i]
		sum += math.Log(s.PerSecond())
		ok := fmt.Sprintf("%d/%d", s.Status[measure.OK.String()], s.Trials)
		row := []string{s.Workload, fmt.Sprintf("%.1f", s.PerSecond()), ok}
		p := s.Parts
		for _, seconds := range []float64{
			s.Wall, p.Propose, p.Measure, p.Learn, p.Lower, p.Emit, p.Compile, p.Check, p.Time, p.Idle,
		} {
			row = append(row, fmt.Sprintf("%.1f", 1e3*seconds/float64(s.Trials)))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(list) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("geometric mean: %.1f candidates a second", math.Exp(sum/float64(len(list)))))
	}
	t.Notes = append(t.Notes, "milliseconds per candidate: propose, measure and learn make up the whole; "+
		"measure holds lower to compile, on all cores, beside check, time and idle")
	return t
}

// NoiseTable shows studies and their mean. Claimed is the rate at which result.json
// says that ties hold the fastest.
func NoiseTable(list []bench.Noise, claimed float64) Table {
	t := Table{Head: []string{
		"workload", "finalists", "choices", "same winner", "ties hold the fastest", "mean tie", "winner slower by",
	}}
	var covered, total float64
	for i := range list {
		n := &list[i]
		t.Rows = append(t.Rows, []string{
			n.Workload, fmt.Sprint(n.Finalists), fmt.Sprint(len(n.Choices)), share(n.Agreement()), share(n.Covered()),
			fmt.Sprintf("%.1f", n.Ties()), percent(n.Loss()),
		})
		covered += n.Covered() * float64(len(n.Choices))
		total += float64(len(n.Choices))
	}
	t.Notes = []string{
		"fastest: the finalist with the smallest median over all choices",
		fmt.Sprintf("ties hold the fastest in %s of %.0f choices; result.json claims %s",
			share(covered/total), total, share(claimed)),
	}
	return t
}

// VersusTable shows comparisons with one baseline, a row each.
func VersusTable(baseline string, list []bench.Versus) Table {
	t := Table{
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
			v.Scorer, trials, orDash(any, fmt.Sprintf("%.3f", v.Geomean)),
			orDash(any, fmt.Sprintf("%.3f to %.3f", v.Low, v.High)),
			orDash(any, fmt.Sprintf("%.3f", v.Median)), orDash(v.Trimmed > 0, fmt.Sprintf("%.3f", v.Trimmed)),
			fmt.Sprintf("%d/%d/%d", v.Wins, v.Ties, v.Losses),
			orDash(any, fmt.Sprintf("%+.1f %%, %+.1f %%", 100*v.IncreaseMedian, 100*v.IncreaseMean)),
			fmt.Sprintf("%d + %d", v.Failed, v.Lacking),
		})
		if models {
			last := len(t.Rows) - 1
			t.Rows[last] = append(t.Rows[last], orDash(v.Model > 0, fmt.Sprintf("%.3f", v.Model)))
		}
	}
	return t
}

// QualityTable shows what each side comes to by itself.
func QualityTable(list []bench.Quality) Table {
	t := Table{
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
			q.Scorer, fmt.Sprint(q.Budget), orDash(q.OfBest > 0, fmt.Sprintf("%.3f", q.OfBest)),
			fmt.Sprint(q.Searches), fmt.Sprint(q.Failed),
			fmt.Sprintf("%.1f", q.Wall), fmt.Sprintf("%.2f", q.Thinking), fmt.Sprintf("%.0f", q.Scored),
		})
	}
	return t
}

// CellTable shows each workload of comparisons with the same baseline and budget: the
// median time over seeds, and the ratio.
func CellTable(found []bench.Found, list []bench.Versus) Table {
	if len(list) == 0 {
		return Table{}
	}
	base := list[0].Baseline
	t := Table{
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
		row := []string{name, Micro(base.Median(found, name))}
		for _, v := range list {
			text := Micro(v.Side.Median(found, name))
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

// VersusCharts draws, for each workload, the best so far of each scorer with a budget.
func VersusCharts(list []bench.Found, scorers []string, budget int) (charts []Chart, legend []Line) {
	for _, name := range bench.Workloads(list) {
		c := Chart{Title: fmt.Sprintf("%s, %d trials", name, budget)}
		for k, s := range scorers {
			curve := bench.Side{Scorer: s, Budget: budget}.Curve(list, name)
			c.Lines = append(c.Lines, Line{Name: s, Color: Colors[k%len(Colors)], Times: curve})
		}
		charts = append(charts, c)
	}
	for k, s := range scorers {
		legend = append(legend, Line{Name: s, Color: Colors[k%len(Colors)]})
	}
	return charts, legend
}

// QualityPlot draws the best kernel known / the best so far after each trial, geometric
// mean over workloads and seeds, by the times that the searches measured.
func QualityPlot(list []bench.Found, scorers []string, budget int) Plot {
	p := Plot{
		Title: fmt.Sprintf("Best known / best so far, searches of %d trials, "+
			"geometric mean over workloads and seeds", budget),
		Across: "trials",
	}
	for n := 1; n < budget; n *= 2 {
		p.At = append(p.At, n)
	}
	p.At = append(p.At, budget)
	for k, s := range scorers {
		c := Curve{Name: s, Color: Colors[k%len(Colors)]}
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
	var cells []Table
	for _, base := range baselines {
		var rows []bench.Versus
		for _, n := range r.Trials {
			same := r.Compare(base, n)
			rows, cells = append(rows, same...), append(cells, CellTable(r.Searches, same))
		}
		p.Tables = append(p.Tables, VersusTable(base.String(), rows))
	}
	p.Tables = append(append(p.Tables, QualityTable(r.Qualities)), cells...)
	p.Tables = slices.DeleteFunc(p.Tables, func(t Table) bool { return len(t.Rows) == 0 })
	if most := slices.Max(r.Trials); most > 1 {
		p.Charts, p.Legend = VersusCharts(r.Searches, r.Scorers, most)
		p.Plots = []Plot{QualityPlot(r.Searches, r.Scorers, most)}
	}
	return p
}

// ChoiceTable shows rows, and in how many the choice is believed to be the faster one.
func ChoiceTable(rows []bench.ModelChoice) Table {
	t := Table{Head: []string{
		"workload", "records", "fastest", "its score", "favourite", "the choice's score", "records above it",
	}}
	faster, first, unlike := 0, 0, 0
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{
			r.Workload, fmt.Sprint(r.Records), fmt.Sprintf("%.4g us", r.BestUS), fmt.Sprintf("%.3f", r.BestScore),
			fmt.Sprintf("%.4g us", r.FavouriteUS), fmt.Sprintf("%.3f", r.ChoiceScore), fmt.Sprint(r.Above),
		})
		if r.ChoiceScore > r.BestScore {
			faster++
		}
		if r.Above == 0 {
			first++
		}
		if len(r.Notes) > 0 {
			unlike++
		}
	}
	t.Notes = []string{
		"favourite: the record with the highest score. Nothing of the choices was run.",
		fmt.Sprintf("of %d choices the scorer believes %d faster than the fastest record, %d faster than all",
			len(rows), faster, first),
	}
	if unlike > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("of %d tasks the scorer says that it knows little; --json has its words", unlike))
	}
	return t
}
