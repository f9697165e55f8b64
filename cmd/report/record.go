package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/inspect"
)

// Ranking prints, for each task, how its records ended and its fastest programs.
func Ranking(w io.Writer, log string, s *dataset.Summary, top int, p *inspect.Programs) {
	fmt.Fprintf(w, "%s: %s\n", log, Count(s.Records, "record"))
	for i := range s.Tasks {
		t := &s.Tasks[i]
		fmt.Fprintf(w, "\n%s on %s", t.Title(), t.Target)
		if s.Layouts() {
			fmt.Fprintf(w, ", --layout %s", t.Layout)
		}
		if t.Timing != measure.Repeated {
			fmt.Fprintf(w, ", timed %s", t.Timing)
		}
		fmt.Fprintln(w)
		fmt.Fprintf(w, "%s: %s; %s timed\n", Count(t.Records, "record"), counts(&t.Counts), Count(len(t.Programs), "program"))
		if len(t.Programs) > 0 {
			printPrograms(w, t, top, p.FLOPs(t.Workload))
		}
	}
}

// printPrograms prints the table of a task's fastest programs. Flop is 0 if the
// operations of the workload are not known.
func printPrograms(w io.Writer, t *dataset.TaskSummary, top int, flop float64) {
	ranked := inspect.Rank(t)
	table := rankTable(ranked[:min(top, len(ranked))], flop)
	var text strings.Builder
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range append([][]string{table.Head}, table.Rows...) {
		fmt.Fprintln(tw, strings.Join(row, "\t")+"\t")
	}
	_ = tw.Flush() // into memory
	fmt.Fprintln(w)
	for line := range strings.Lines(text.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	if n := len(ranked) - top; n > 0 {
		fmt.Fprintf(w, "and %d more; --top %d shows all\n", n, len(ranked))
	}
}

// rankTable shows programs, the fastest first. Flop is 0 if the operations of the workload are not known.
func rankTable(ranked []inspect.Ranked, flop float64) Table {
	t := Table{Head: []string{"rank", "record", "time", "relative", "GFLOP/s", "median", "samples", "scorer", "score", ""}}
	for i := range ranked {
		q := &ranked[i]
		note := ""
		if q.Tied {
			note = "tied"
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), fmt.Sprint(q.Record), dataset.FormatSeconds(q.Cost()),
			fmt.Sprintf("%.1f%%", 100*q.Relative), fmt.Sprintf("%.1f", flop/q.Cost()/1e9),
			dataset.FormatSeconds(q.Median()), fmt.Sprint(len(q.Costs)), q.Scorer, fmt.Sprintf("%.4g", q.Score), note})
	}
	if flop == 0 {
		t.Head = slices.Delete(t.Head, 4, 5)
		for i, row := range t.Rows {
			t.Rows[i] = slices.Delete(row, 4, 5)
		}
	}
	return t
}

// counts returns how often each status occurs.
func counts(c *dataset.StatusCounts) string {
	var parts []string
	for _, s := range c.List() {
		parts = append(parts, fmt.Sprintf("%d %s", s.Count, s.Status))
	}
	return strings.Join(parts, ", ")
}

// Count returns a number of things in words.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Record prints all of a record, a line per property, and an empty line.
func Record(w io.Writer, number int, r *dataset.Record) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("record", "%d", number)
	line("workload", "%s", indent(r.Workload))
	line("key", "%s", r.WorkloadKey)
	line("target", "%s", r.Target)
	line("layout", "%s", r.Layout)
	line("timing", "%s", r.Timing)
	if s := &r.Source; s.Format != "" {
		line("source", "%s %s, %s", s.Format, s.Version, s.Target)
	}
	line("status", "%s", r.Status)
	if r.Message != "" {
		line("message", "%s", indent(r.Message))
	}
	if r.Timed() {
		line("time", "%s", dataset.FormatSeconds(r.Cost()))
		c := slices.Sorted(slices.Values(r.Costs))
		line("samples", "%d, from %s to %s; the middle one is %s", len(c), dataset.FormatSeconds(c[0]),
			dataset.FormatSeconds(c[len(c)-1]), dataset.FormatSeconds(c[len(c)/2]))
	}
	line("built in", "%s", dataset.FormatSeconds(r.BuildSeconds))
	line("run in", "%s", dataset.FormatSeconds(r.RunSeconds))
	line("measured", "%s", time.Unix(r.Unix, 0).UTC().Format(time.RFC3339))
	line("scorer", "%s (score %.6g)", r.Scorer, r.Score)
	line("seed", "%d", r.Seed)
	line("trial", "%d", r.Trial)
	line("trajectory", "%s", r.Trajectory)
	line("steps", "%s\n", schedule.FormatSteps(r.Steps))
	_, err := io.WriteString(w, b.String())
	return err
}

// indent puts the further lines of a text below the values of Record.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 12))
}

// Reason prints an explanation for people.
func Reason(out io.Writer, w *inspect.Reason) {
	fmt.Fprintf(out, "record %d: score %.3f, %d of the %d records of its task score higher; %s\n", w.Record, w.Score,
		w.Better, w.Of, whyCost(w.CostUS))
	for _, n := range w.Notes {
		fmt.Fprintln(out, n)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if w.Actions == nil {
		fmt.Fprintln(tw,
			"\nThe score follows from features of all steps together: the steps have no contributions of their own.")
	} else {
		fmt.Fprintln(tw, "\nWhat each step adds: the value of the predicted state less that without the step")
		for _, a := range w.Actions {
			fmt.Fprintf(tw, "  %+.3f\t%s\n", a.Value, a.Text)
		}
	}
	fmt.Fprintf(tw, "\nThe nearest measured programs, by %s\n  record\tdistance\tscore\ttime\n", w.Space)
	for _, n := range w.Nearest {
		fmt.Fprintf(tw, "  %d\t%.3f\t%.3f\t%s\n", n.Record, n.Distance, n.Score, whyCost(n.CostUS))
	}
	tw.Flush()
}

func whyCost(us float64) string {
	if us == 0 {
		return "not timed"
	}
	return dataset.FormatSeconds(us / 1e6)
}
