package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tune/inspect"
)

// count returns a number of things in words.
func count(n int, thing string) string { return report.Count(n, thing) }

// A recordView prints records one by one in the format of the command.
type recordView struct {
	format  string
	form    inspect.Form // of the program; none without a name
	several bool         // texts of programs need a line that says whose they are
	logs    bool         // records need the log that they are of
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
	v := &recordView{format: c.format, several: true, number: !c.best, logs: len(c.logs) > 1, p: p, out: out}
	name := c.as
	if name == "" && (c.format == "json" || c.format == "csv") {
		name = "steps"
	}
	if name != "" {
		v.form, _ = inspect.FindForm(name) // check has found it
	}
	names := []string{v.form.Name}
	if v.logs {
		names = append(names, "log")
	}
	v.csv, v.bench = dataset.NewCSVWriter(out, names...), dataset.NewBenchWriter(out)
	return v
}

// print prints a record of a log. A program without a text in the wanted form does not stop the view: end reports it.
func (v *recordView) print(ctx context.Context, log string, number int, r *dataset.Record) error {
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
	extra := []dataset.Field{{Name: v.form.Name, Text: text}}
	of := ""
	if v.logs {
		extra = append(extra, dataset.Field{Name: "log", Text: log})
		of = " in " + log
	}
	switch v.format {
	case "json":
		return dataset.WriteJSON(v.out, number, r, extra...)
	case "csv":
		texts := []string{text, log}
		return v.csv.Write(number, r, texts[:len(extra)]...)
	case "bench":
		suffix := ""
		switch {
		case v.number:
			suffix = fmt.Sprintf("record=%d", number)
		case v.layouts:
			suffix = fmt.Sprintf("layout=%s", r.Layout)
		}
		if !v.number && r.Timing != measure.Repeated {
			suffix = strings.TrimPrefix(fmt.Sprintf("%s/timing=%s", suffix, r.Timing), "/")
		}
		return v.bench.Write(r, suffix)
	}
	if v.form.Name == "" {
		if v.logs {
			fmt.Fprintf(v.out, "%-12s%s\n", "log", log)
		}
		return report.Record(v.out, number, r)
	}
	if v.several {
		if _, err := fmt.Fprintf(v.out, "%s record %d of %s%s: %s\n", v.form.Comment, number, r.Title(), of,
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

// end closes the view and reports the programs that could not be shown.
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
