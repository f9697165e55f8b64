package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph/rivals"
)

// Contenders lists the names of those that were timed in any row, ours first.
func Contenders(rows []rivals.Row) []string {
	list := []string{rivals.OursName}
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
	names := Contenders(rows)
	t := Table{Head: []string{"model", "threads"}}
	for _, name := range names {
		t.Head = append(t.Head, name+", ms")
	}
	t.Head = append(t.Head, "best library / ours", "its spread", "load")
	for i := range rows {
		r := &rows[i]
		line := []string{r.Model, fmt.Sprint(r.Threads)}
		for _, name := range names {
			line = append(line, Milli(r.Of(name).Best()))
		}
		ratio, spread := "-", "-"
		if q, ok := r.Ratio(); ok {
			ratio, spread = fmt.Sprintf("%.2f", q.Value), fmt.Sprintf("%.2f to %.2f", q.Low, q.High)
		}
		t.Rows = append(t.Rows, append(line, ratio, spread, fmt.Sprintf("%.1f", r.Load)))
	}
	for _, m := range rivals.Means(rows) {
		t.Notes = append(t.Notes, fmt.Sprintf("geometric mean of best library / ours, %s: %s, lowest %s; "+
			"above 1 ours is faster", Count(m.Threads, "thread"), MeanText(m.Mean),
			OrDash(m.Lowest > 0, fmt.Sprintf("%.2f", m.Lowest))))
	}
	t.Notes = append(t.Notes, "ms: the fastest call; load: processes that wanted to run before the row", SpreadNote)
	missing := map[string]bool{}
	for i := range rows {
		name := rows[i].Model + ", " + Count(rows[i].Threads, "thread")
		t.Notes = append(t.Notes, Failures(name, &rows[i].Race, missing)...)
	}
	return t
}

// Milli prints seconds as milliseconds with three digits or more.
func Milli(seconds float64) string { return Micro(seconds / 1e3) }

// ModelText says in a line what contenders took.
func ModelText(r *rivals.Row) string {
	return fmt.Sprintf("%s, %s: %s", r.Model, Count(r.Threads, "thread"), RaceText(&r.Race, 1e-3, "ms"))
}

// SpreadNote says what Low and High of a rivals.Ratio are.
var SpreadNote = fmt.Sprintf("its spread: the 95 %% interval of the median of the rounds' ratios; of fewer than %d "+
	"rounds, their range", rivals.IntervalRounds)

// MeanText prints a mean and how many rows it is of.
func MeanText(m rivals.Mean) string {
	if m.Rows == 0 {
		return "-"
	}
	if m.Rows < m.Of {
		return fmt.Sprintf("%.2f (%d of %d rows)", m.Value, m.Rows, m.Of)
	}
	return fmt.Sprintf("%.2f (%d rows)", m.Value, m.Rows)
}

// Failures says why contenders have no times in a race; of those that are missing, unless that was said before.
func Failures(name string, r *rivals.Race, missing map[string]bool) []string {
	var list []string
	for _, t := range r.Times {
		switch {
		case t.Error == "" || t.Missing && missing[t.Name]:
		case t.Missing:
			missing[t.Name] = true
			list = append(list, t.Error)
		default:
			list = append(list, fmt.Sprintf("%s: %s", name, t.Error))
		}
	}
	return list
}

// RaceText says in a line what contenders took, in microseconds times a scale.
func RaceText(r *rivals.Race, scale float64, unit string) string {
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
