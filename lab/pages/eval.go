package pages

import (
	"fmt"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/ranker/eval"
)

// EvalPage shows what was judged, a picture for each kind of target.
func EvalPage(list []eval.Judged, facts []string) Page {
	p := Page{Title: "Scorers, judged offline", Facts: facts}
	for _, j := range list {
		p.Tables = append(p.Tables, report.EvalTables(j)...)
		p.Pictures = append(p.Pictures, Picture{string(j.Kind), evalPlot(j).File()})
	}
	return p
}

// evalPlot draws what the replay bench found.
func evalPlot(j eval.Judged) report.Plot {
	p := report.Plot{
		Title:  fmt.Sprintf("%s: best quality after so many trials, mean over tasks", j.Kind),
		Across: "trials", At: eval.Budgets,
	}
	for i, s := range j.Scorers {
		c := report.Curve{Name: s.Name, Color: report.Colors[i%len(report.Colors)]}
		for _, r := range s.Replay {
			c.Y = append(c.Y, r.Best.Mean)
		}
		p.Curves = append(p.Curves, c)
	}
	return p
}
