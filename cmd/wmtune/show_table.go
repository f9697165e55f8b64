package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
)

// printRanking prints, for each task, how its records ended and its fastest
// programs. A program is tied with the first if its fastest sample is no slower
// than the middle one of the first.
func printRanking(w io.Writer, log string, s *dataset.Summary, top int, p *programs) {
	fmt.Fprintf(w, "%s: %s\n", log, count(s.Records, "record"))
	for i := range s.Tasks {
		t := &s.Tasks[i]
		fmt.Fprintf(w, "\n%s on %s", t.Title(), t.Target)
		if s.Layouts() {
			fmt.Fprintf(w, ", --layout %s", t.Layout)
		}
		fmt.Fprintln(w)
		fmt.Fprintf(w, "%s: %s; %s timed\n", count(t.Records, "record"), counts(&t.Counts), count(len(t.Programs), "program"))
		if len(t.Programs) > 0 {
			printPrograms(w, t, top, p.flop(t.Workload))
		}
	}
}

// printPrograms prints the table of a task's fastest programs. Flop is 0 if the
// operations of the workload are not known.
func printPrograms(w io.Writer, t *dataset.TaskSummary, top int, flop float64) {
	ranked := t.Ranked()
	first := ranked[0]
	var text strings.Builder
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "rank\trecord\ttime\trelative\tGFLOP/s\tmedian\tsamples\tscorer\tscore\t\t"
	if flop == 0 {
		head = strings.Replace(head, "GFLOP/s\t", "", 1)
	}
	fmt.Fprintln(tw, head)
	for i := range ranked[:min(top, len(ranked))] {
		q := &ranked[i]
		fmt.Fprintf(tw, "%d\t%d\t%s\t%.1f%%\t", i+1, q.Record, dataset.FormatSeconds(q.Cost()), 100*first.Cost()/q.Cost())
		if flop > 0 {
			fmt.Fprintf(tw, "%.1f\t", flop/q.Cost()/1e9)
		}
		note := ""
		if i > 0 && q.Cost() <= first.Median() {
			note = "tied"
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%.4g\t%s\t\n", dataset.FormatSeconds(q.Median()), len(q.Costs), q.Scorer, q.Score, note)
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

// counts returns how often each status occurs.
func counts(c *dataset.StatusCounts) string {
	var parts []string
	for _, s := range c.List() {
		parts = append(parts, fmt.Sprintf("%d %s", s.Count, s.Status))
	}
	return strings.Join(parts, ", ")
}

// count returns a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printRecord prints all of a record, a line per property, and an empty line.
func printRecord(w io.Writer, number int, r *dataset.Record) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("record", "%d", number)
	line("workload", "%s", indent(r.Workload))
	line("key", "%s", r.WorkloadKey)
	line("target", "%s", r.Target)
	line("layout", "%s", r.Layout)
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
		line("samples", "%d, from %s to %s; the middle one is %s", len(c), dataset.FormatSeconds(c[0]), dataset.FormatSeconds(c[len(c)-1]), dataset.FormatSeconds(c[len(c)/2]))
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

// indent puts the further lines of a text below the values of printRecord.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 12))
}
