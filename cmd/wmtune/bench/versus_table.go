package bench

import (
	"fmt"
	"slices"
)

// String names a side, such as "gbt after 16".
func (s Side) String() string {
	if s.Budget == 0 {
		return s.Scorer + "'s first choice"
	}
	return fmt.Sprintf("%s after %d", s.Scorer, s.Budget)
}

// VersusTable shows comparisons with one baseline, a row each.
func VersusTable(baseline string, list []Versus) Table {
	t := Table{
		Head: []string{"A/O against " + baseline, "trials", "geomean", "95 %", "median", "without 2 largest", "wins/ties/losses", "slower: median, mean", "failed"},
		Notes: []string{
			fmt.Sprintf("A/O: time of %s's kernel / this scorer's, from the same seed, timed in turns; above 1 this scorer's is faster", baseline),
			"geomean, median: over workloads, of the geometric means over seeds; 95 %: of a bootstrap over workloads and seeds",
			fmt.Sprintf("ties: within %.0f %%; slower: this scorer's time / %s's - 1; failed: searches that found no kernel, theirs + the baseline's", 100*TieBand, baseline),
		},
	}
	for _, v := range list {
		row := []string{v.Scorer, fmt.Sprint(v.Budget), "-", "-", "-", "-", fmt.Sprintf("%d/%d/%d", v.Wins, v.Ties, v.Losses), "-", fmt.Sprintf("%d + %d", v.Failed, v.Lacking)}
		if v.Budget != v.Baseline.Budget {
			row[1] = fmt.Sprintf("%d, %s's %d", v.Budget, v.Baseline.Scorer, v.Baseline.Budget)
		}
		if v.Geomean > 0 {
			row[2], row[3] = fmt.Sprintf("%.3f", v.Geomean), fmt.Sprintf("%.3f to %.3f", v.Low, v.High)
			row[4], row[7] = fmt.Sprintf("%.3f", v.Median), fmt.Sprintf("%+.1f %%, %+.1f %%", 100*v.IncreaseMedian, 100*v.IncreaseMean)
		}
		if v.Trimmed > 0 {
			row[5] = fmt.Sprintf("%.3f", v.Trimmed)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// QualityTable shows what each side comes to by itself.
func QualityTable(list []Quality) Table {
	t := Table{
		Head: []string{"scorer", "trials", "of best known", "searches", "failed", "s a search", "s without measuring", "states scored"},
		Notes: []string{
			"of best known: the fastest kernel of the workload that any search here found / the one found, geometric mean over workloads and seeds",
			"s: means over searches, without the reference, which is computed once per workload; without measuring: proposing, scoring, learning",
		},
	}
	for _, q := range list {
		of := "-"
		if q.Searches > 0 {
			of = fmt.Sprintf("%.3f", q.OfBest)
		}
		t.Rows = append(t.Rows, []string{
			q.Scorer, fmt.Sprint(q.Budget), of, fmt.Sprint(q.Searches), fmt.Sprint(q.Failed),
			fmt.Sprintf("%.1f", q.Wall), fmt.Sprintf("%.2f", q.Thinking), fmt.Sprintf("%.0f", q.Scored),
		})
	}
	return t
}

// CellTable shows each workload of comparisons with the same baseline and budget: the
// median time over seeds, and the ratio.
func CellTable(found []Found, list []Versus) Table {
	if len(list) == 0 {
		return Table{}
	}
	base := list[0].Baseline
	t := Table{
		Head:  []string{fmt.Sprintf("after %d trials", list[0].Budget), base.String() + ": us"},
		Notes: []string{"us: the median over seeds of kernels timed in turns; in brackets A/O, the geometric mean over seeds; W: faster beyond the tie band, L: slower"},
	}
	if list[0].Budget == 0 {
		t.Head[0] = "first choice"
	}
	for _, v := range list {
		t.Head = append(t.Head, v.Scorer)
	}
	for _, name := range workloadsOf(found) {
		row := []string{name, medianText(base.of(found, name))}
		for _, v := range list {
			text := medianText(v.Side.of(found, name))
			if i := slices.IndexFunc(v.Cells, func(c Cell) bool { return c.Workload == name }); i >= 0 {
				text += cellText(v.Cells[i])
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cellText prints the ratio of a cell and who was faster.
func cellText(c Cell) string {
	mark := map[Outcome]string{Win: " W", Tie: "", Loss: " L"}[c.Outcome]
	if c.Ratio == 0 {
		return mark
	}
	return fmt.Sprintf(" (%.2f)%s", c.Ratio, mark)
}

// medianText prints the median of searches' kernels.
func medianText(found map[uint64]Found) string {
	var times []float64
	for _, f := range found {
		if f.Seconds > 0 {
			times = append(times, f.Seconds)
		}
	}
	return Micro(median(times))
}
