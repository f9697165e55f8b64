package report

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset/survey"
	"github.com/wmtune/wmtune/tune"
)

// shownFailures is how many kinds of failures the table has.
const shownFailures = 8

// InfoTables shows what info found.
func InfoTables(info *survey.Info) []Table {
	r := info.Report
	facts := Table{Head: []string{"records", fmt.Sprint(r.Records)}, Rows: [][]string{
		{"timed", fmt.Sprintf("%d (%s)", r.Timed, partOf(r.Timed, r.Records))},
		{"tasks", fmt.Sprintf("%d of %d DAGs", r.Tasks, r.DAGs)},
		{"prefixes", fmt.Sprintf("%d, of which %d distinct: %.1f %% are common", r.Prefixes, r.Distinct, 100*r.Common)},
		{"label (best / cost)", quantileText(r.Labels, "%.2f")},
		{"noise (deviation / mean)", "unknown: one sample a record"},
	}}
	if r.Noise != nil {
		facts.Rows[4][1] = quantileText(*r.Noise, "%.3f")
	}
	if set := info.Set; set != nil {
		facts.Rows = append(facts.Rows,
			[]string{"states", fmt.Sprintf("%d distinct", set.States)},
			[]string{"actions", fmt.Sprintf("%d distinct of %d; %s change nothing", set.Actions, set.Moves,
				partOf(set.Identities, set.Moves))},
			[]string{"stopped before the last step", fmt.Sprint(set.Stopped)},
			[]string{"made from", fmt.Sprintf("%d logs, by wmtune %s, splits %s", set.Inputs, set.Tool, set.Splits)})
	}
	tables := []Table{facts, countTable("target", r.Targets, len(r.Targets)), countTable("step", r.Steps, len(r.Steps))}
	if len(r.Failures) > 0 {
		tables = append(tables, countTable("failure", r.Failures, shownFailures))
	}
	if info.Set != nil {
		tables = append(tables, usesTable(info.Set))
	}
	return append(tables, surveyTasks(r.List))
}

func countTable(of string, list []survey.Count, most int) Table {
	t := Table{Head: []string{of, "records"}}
	if of == "step" {
		t.Head[1] = "steps"
	}
	for i, c := range list {
		if i == most {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("and %d more kinds", len(list)-most), ""})
			break
		}
		t.Rows = append(t.Rows, []string{c.Name, fmt.Sprint(c.Count)})
	}
	return t
}

func usesTable(set *survey.SetInfo) Table {
	t := Table{Head: []string{"split", "part", "tasks", "trajectories"}}
	for _, u := range set.Uses {
		t.Rows = append(t.Rows, []string{u.Split, string(u.Part), fmt.Sprint(u.Tasks), fmt.Sprint(u.Trajectories)})
	}
	t.Notes = []string{"no leaks: no family, DAG, workload key or program is in two parts"}
	if len(set.Leaks) > 0 {
		t.Notes = append([]string{fmt.Sprintf("%d LEAKS", len(set.Leaks))}, set.Leaks...)
	}
	return t
}

func surveyTasks(list []survey.TaskReport) Table {
	t := Table{Head: []string{"task", "target", "records", "timed", "best us", "median us", "noise"}}
	for _, row := range list {
		noise := "-"
		if row.Noise != nil {
			noise = fmt.Sprintf("%.3f", *row.Noise)
		}
		target, _, _ := strings.Cut(row.Target, " -mattr")
		t.Rows = append(t.Rows, []string{
			row.Workload, target, fmt.Sprint(row.Records), fmt.Sprint(row.Timed),
			Micro(row.CostUS.Min / 1e6), Micro(row.CostUS.P50 / 1e6), noise,
		})
	}
	return t
}

func quantileText(q survey.Quantiles, format string) string {
	var parts []string
	for _, p := range []struct {
		name  string
		value float64
	}{{"10 %", q.P10}, {"25 %", q.P25}, {"median", q.P50}, {"75 %", q.P75}, {"90 %", q.P90}, {"99 %", q.P99}} {
		parts = append(parts, p.name+" "+fmt.Sprintf(format, p.value))
	}
	return strings.Join(parts, ", ")
}

func partOf(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }

// InfoPage shows the tables, the labels of each target, and the costs of tasks.
func InfoPage(paths []string, info *survey.Info) Page {
	page := Page{Title: "Records of " + strings.Join(paths, ", "), Facts: []string{"wmtune " + tune.Version()},
		Tables: InfoTables(info)}
	costs := Ranges{Title: "Costs of tasks"}
	byTarget := map[string]int{}
	for _, t := range info.List {
		i, ok := byTarget[t.Target]
		if !ok {
			i = len(page.Bars)
			byTarget[t.Target] = i
			page.Bars = append(page.Bars, Bars{Title: "Labels on " + t.Target, Across: "best / cost",
				Counts: make([]int, survey.Bins)})
		}
		for k, n := range t.Labels {
			page.Bars[i].Counts[k] += n
		}
		q := t.CostUS
		costs.Rows = append(costs.Rows, Spread{Name: t.Workload, Min: q.Min, P25: q.P25, Median: q.P50, P75: q.P75,
			Max: q.Max})
	}
	page.Ranges = []Ranges{costs}
	return page
}
