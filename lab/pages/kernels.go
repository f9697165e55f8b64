package pages

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/lab/bench"
)

// kernelTable shows rows and their means.
func kernelTable(rows []bench.Row) report.Table {
	t := report.Table{Head: []string{"workload", "best peer", "peer us", "ours us", "ratio", "its spread",
		"noise: peer, ours"}}
	for i := range rows {
		r := &rows[i]
		name := r.Workload
		if r.Heavy() {
			name += " *"
		}
		line := []string{name, "-", "-", "-", "-", "-", "-"}
		noise := []string{"-", "-"}
		if peer := r.BestPeer(); peer != nil {
			line[1], line[2], noise[0] = peer.Name, report.Micro(peer.Best()), fmt.Sprintf("+%.0f%%", 100*peer.Spread())
		}
		if ours := r.Ours(); ours.OK() {
			line[3], noise[1] = report.Micro(ours.Best()), fmt.Sprintf("+%.0f%%", 100*ours.Spread())
		}
		if q, ok := r.Ratio(); ok {
			line[4], line[5] = fmt.Sprintf("%.2f", q.Value), fmt.Sprintf("%.2f to %.2f", q.Low, q.High)
		}
		line[6] = strings.Join(noise, ", ")
		t.Rows = append(t.Rows, line)
	}
	heavy, all := bench.Means(rows)
	t.Notes = append([]string{
		"ratio: best peer / ours, above 1 ours is faster", report.SpreadNote,
		fmt.Sprintf("geometric mean, heavy rows (*: best peer %.0f us or more): %s", bench.HeavySeconds*1e6,
			report.MeanText(heavy)),
		fmt.Sprintf("geometric mean, all rows: %s", report.MeanText(all)),
	}, kernelFailures(rows)...)
	return t
}

// KernelPage shows a benchmark of kernels of what it says.
func KernelPage(r *bench.KernelReport, rows []bench.Row, what string) Page {
	return Page{
		Title: "Kernels: ours beside the libraries'", Tables: []report.Table{kernelTable(rows)},
		Facts: append([]string{r.Machine, what, fmt.Sprintf("searches of %d trials, scorer %s, seed %d", r.Trials, r.Scorer,
			r.Seed)}, r.Peers...),
	}
}

// kernelFailures says why contenders have no times, once for those that are missing.
func kernelFailures(rows []bench.Row) []string {
	var list []string
	missing := map[string]bool{}
	for i := range rows {
		if rows[i].Failure != "" {
			list = append(list, fmt.Sprintf("%s: no kernel of ours: %s", rows[i].Workload, rows[i].Failure))
		}
		list = append(list, report.Failures(rows[i].Workload, &rows[i].Race, missing)...)
	}
	return list
}

// RowText says in a line what contenders took.
func RowText(r *bench.Row) string { return report.RaceText(&r.Race, 1, "us") }
