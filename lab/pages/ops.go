package pages

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

// OpsPage shows single operators beside ONNX Runtime, the worst first.
func OpsPage(r *bench.OpReport, rows []bench.OpRow) Page {
	ratio := func(r *bench.OpRow) float64 {
		q, _ := r.Ratio()
		return q.Value
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b bench.OpRow) int { return cmp.Compare(ratio(&a), ratio(&b)) })
	t := report.Table{Head: []string{"row", "ONNX Runtime us", "us", "ratio", "cores", "difference", "what"}}
	var ratios []float64
	var points [][]float64
	var serial, failures []string
	for i := range rows {
		r := &rows[i]
		if why := opFailure(r); why != "" {
			failures = append(failures, fmt.Sprintf("%s: %s", r.Model, why))
			continue
		}
		line := []string{r.Model, report.Micro(r.BestPeer().Best()), report.Micro(r.Ours().Best()), ratioText(ratio(r)),
			"all", report.OrDash(r.Difference() >= 0, fmt.Sprintf("%.1g", r.Difference())), r.Spec}
		if r.Serial {
			line[4], serial = "one", append(serial, r.Model)
		}
		ratios, points, t.Rows = append(ratios, ratio(r)), append(points, []float64{ratio(r)}), append(t.Rows, line)
	}
	slices.Sort(serial)
	t.Notes = append([]string{
		"ratio: ONNX Runtime / ours, above 1 ours is faster; samples are single calls, from Python and from C",
		"difference: of ONNX Runtime's first output from ours, as a share of its largest element", spreadOfRatios(ratios),
		fmt.Sprintf("%s on one core: %s", report.Count(len(serial), "row"), strings.Join(serial, " ")),
	}, failures...)
	for _, op := range slices.Sorted(maps.Keys(r.Without)) {
		t.Notes = append(t.Notes, fmt.Sprintf("no row of %s: %s", op, r.Without[op]))
	}
	return Page{
		Title: "Single operators beside ONNX Runtime", Tables: []report.Table{t},
		Facts:    append([]string{r.Machine, "compiled with --trials 0"}, r.Peers...),
		Pictures: []Picture{{SVG: standingPlot(points, "compiled with --trials 0")}},
	}
}

// opFailure says why a row has no ratio; "" if it has one.
func opFailure(r *bench.OpRow) string {
	if _, ok := r.Ratio(); ok {
		return ""
	}
	if r.Failure != "" {
		return r.Failure
	}
	return cmp.Or(strings.Join(report.Failures(r.Model, &r.Race, map[string]bool{}), "; "), "it was not timed")
}

// spreadOfRatios says in a line how ratios are spread.
func spreadOfRatios(ratios []float64) string {
	below := func(x float64) int {
		n := 0
		for _, r := range ratios {
			if r < x {
				n++
			}
		}
		return n
	}
	return fmt.Sprintf("%d rows: geometric mean %.2f; %d below 1.0, %d below 0.7", len(ratios), rivals.Geomean(ratios),
		below(1), below(0.7))
}
