package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/inspect"
)

// printRanking prints, for each task, how its records ended and its fastest programs.
func printRanking(w io.Writer, log string, s *dataset.Summary, top int, p *inspect.Programs) {
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
			printPrograms(w, t, top, p.FLOPs(t.Workload))
		}
	}
}

// printPrograms prints the table of a task's fastest programs. Flop is 0 if the
// operations of the workload are not known.
func printPrograms(w io.Writer, t *dataset.TaskSummary, top int, flop float64) {
	ranked := inspect.Rank(t)
	var text strings.Builder
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "rank\trecord\ttime\trelative\tGFLOP/s\tmedian\tsamples\tscorer\tscore\t\t"
	if flop == 0 {
		head = strings.Replace(head, "GFLOP/s\t", "", 1)
	}
	fmt.Fprintln(tw, head)
	for i := range ranked[:min(top, len(ranked))] {
		q := &ranked[i]
		fmt.Fprintf(tw, "%d\t%d\t%s\t%.1f%%\t", i+1, q.Record, dataset.FormatSeconds(q.Cost()), 100*q.Relative)
		if flop > 0 {
			fmt.Fprintf(tw, "%.1f\t", flop/q.Cost()/1e9)
		}
		note := ""
		if q.Tied {
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

// indent puts the further lines of a text below the values of printRecord.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 12))
}

// A recordView prints records one by one in the format of the command.
type recordView struct {
	format  string
	form    inspect.Form // of the program; none without a name
	several bool         // texts of programs need a line that says whose they are
	number  bool         // benchmarks need a name per record
	layouts bool         // and one per layout
	p       *inspect.Programs
	out     io.Writer
	csv     *dataset.CSVWriter
	bench   *dataset.BenchWriter

	printed int
	missing []error // why programs have no text in this form
}

func newRecordView(c *showCommand, p *inspect.Programs, out io.Writer) *recordView {
	v := &recordView{format: c.format, several: true, number: !c.best, p: p, out: out}
	name := c.as
	if name == "" && (c.format == "json" || c.format == "csv") {
		name = "steps"
	}
	if name != "" {
		v.form, _ = inspect.FindForm(name) // check has found it
	}
	v.csv, v.bench = dataset.NewCSVWriter(out, v.form.Name), dataset.NewBenchWriter(out)
	return v
}

// print prints a record. A program that has no text in the wanted form is no
// reason to stop: end tells of it.
func (v *recordView) print(ctx context.Context, number int, r *dataset.Record) error {
	text := ""
	if v.form.Name != "" {
		var err error
		if text, err = v.p.Text(ctx, v.form, r); err != nil {
			if ctx.Err() != nil {
				return errInterrupted
			}
			v.missing = append(v.missing, fmt.Errorf("record %d has no %s: %w", number, v.form.Name, err))
		}
	}
	v.printed++
	switch v.format {
	case "json":
		return dataset.WriteJSON(v.out, number, r, dataset.Field{Name: v.form.Name, Text: text})
	case "csv":
		return v.csv.Write(number, r, text)
	case "bench":
		suffix := ""
		switch {
		case v.number:
			suffix = fmt.Sprintf("record=%d", number)
		case v.layouts:
			suffix = fmt.Sprintf("layout=%s", r.Layout)
		}
		return v.bench.Write(r, suffix)
	}
	if v.form.Name == "" {
		return printRecord(v.out, number, r)
	}
	if v.several {
		if _, err := fmt.Fprintf(v.out, "%s record %d of %s: %s\n", v.form.Comment, number, r.Title(),
			r.Outcome()); err != nil {
			return err
		}
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(v.out, text)
	return err
}

// end closes the view and says which programs could not be shown.
func (v *recordView) end() error {
	if v.format == "csv" {
		if err := v.csv.Flush(); err != nil {
			return err
		}
	}
	if len(v.missing) > 1 {
		return fmt.Errorf("%d of %d records have no %s; the first: %w", len(v.missing), v.printed, v.form.Name, v.missing[0])
	}
	return errors.Join(v.missing...)
}

// printReason prints an explanation for people.
func printReason(out io.Writer, w *inspect.Reason) {
	fmt.Fprintf(out, "record %d: score %.3f, %d of the %d records of its task score higher; %s\n", w.Record, w.Score,
		w.Better, w.Of, whyCost(w.CostUS))
	for _, n := range w.Notes {
		fmt.Fprintln(out, n)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if w.Actions == nil {
		fmt.Fprintln(tw, "\nThe score comes of features of all steps together: there is no contribution of each.")
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

// recordNumbers parses the value of --record.
func recordNumbers(text string) ([]int, error) {
	seen := map[int]bool{}
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, usagef("--record takes numbers from 0 on, separated by commas, not %q", text)
		}
		if !seen[n] {
			list = append(list, n)
		}
		seen[n] = true
	}
	return list, nil
}
