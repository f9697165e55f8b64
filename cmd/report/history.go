package report

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tune/inspect"
)

// HistoryPage shows how searches went, a part for each task: the curve of the best so far over the trials, the fastest
// programs, and their texts.
func HistoryPage(title string, facts []string, list []inspect.History) Page {
	page := Page{Title: title, Facts: facts}
	for i := range list {
		h := &list[i]
		part := Page{Title: h.Title(), Facts: []string{
			fmt.Sprintf("%s, %s", h.Log, h.Target),
			fmt.Sprintf("%s: %s; %s timed", Count(h.Records, "record"), counts(&h.Counts), Count(len(h.Programs), "program")),
		}}
		if len(h.Ranked) > 0 {
			part.Plots = []Plot{historyPlot(h)}
			part.Tables = []Table{rankTable(h.Ranked, h.FLOPs)}
		}
		for k, q := range h.Ranked {
			part.Kernels = append(part.Kernels, KernelBar{
				Name: fmt.Sprintf("%d: record %d", k+1, q.Record), Time: dataset.FormatSeconds(q.Cost()), Part: 100 * q.Relative,
				Says: "steps: " + h.Steps[k], Program: h.Texts[k],
			})
		}
		page.Parts = append(page.Parts, part)
	}
	return page
}

// historyPlot draws the time of the fastest program / the time of the fastest so far.
func historyPlot(h *inspect.History) Plot {
	last, best := len(h.Best), h.Best[len(h.Best)-1]
	c := Curve{Name: dataset.FormatSeconds(best), Color: Colors[0]}
	p := Plot{Title: "Fastest in the end / fastest so far", Across: "trials", At: h.Improvements()}
	for _, n := range p.At {
		y := math.NaN()
		if h.Best[n-1] > 0 {
			y = best / h.Best[n-1]
		}
		c.Y = append(c.Y, y)
	}
	for n := 1; 4*n <= 3*last; n *= 2 {
		p.Marks = append(p.Marks, n)
	}
	p.Marks = append(p.Marks, last)
	p.Curves = []Curve{c}
	return p
}
