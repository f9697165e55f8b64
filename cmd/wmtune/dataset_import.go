package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset/imports"
	"github.com/wmtune/wmtune/dataset/measure"
)

const importArgs = "FILE... [--out DIR | --log FILE] [--strict] [--json]"

const importWhat = `Dataset import converts tuning logs of TVM to tuning logs of wmtune, one for each file.
A file is a log of AutoScheduler (JSON lines of format v0.2 to v0.6) or of AutoTVM (0.2),
plain or compressed (.gz, .zst). Or it is a database of MetaSchedule: the folder with
database_workload.json and database_tuning_record.json, of TVM 0.25 to 0.27.

Import skips malformed lines, records of unknown workloads, and records without a
counterpart; it reports and counts them. docs/manual/logs.md lists what a log keeps.`

const importExamples = `  wmtune dataset import resnet-50-llvm.json        to wmtune-out/imported/resnet-50-llvm.arrow
  wmtune dataset import --out logs *.json.zst      and with --strict it stops at the first bad line
  wmtune dataset import --log all.arrow *.json.gz  all into one log
  wmtune dataset import tuning/resnet18            a folder of MetaSchedule
  wmtune show all.arrow; wmtune replay --check none all.arrow
`

func declareImport(fs *pflag.FlagSet) action {
	var opts imports.Options
	fs.StringVar(&opts.Dir, "out", filepath.Join("wmtune-out", "imported"),
		"`folder` for the logs, which are named after the files")
	fs.StringVar(&opts.Log, "log", "", "one `file` for the records of all inputs; empty: one log per input")
	fs.BoolVar(&opts.Strict, "strict", false, "an error at the first line that cannot be imported")
	declareQuiet(fs)
	asJSON := fs.Bool("json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, files []string, stdout, stderr io.Writer) error {
		do := func(ctx context.Context) error { return importFiles(ctx, files, opts, *asJSON, stdout, stderr) }
		return interruptible(ctx, "", do)
	}
}

func importFiles(ctx context.Context, files []string, opts imports.Options, asJSON bool, stdout,
	stderr io.Writer) error {
	if len(files) == 0 {
		return usagef("name at least one log of TVM: wmtune dataset import FILE...")
	}
	p := newProgress(stderr)
	opts.Progress, opts.Say = p.showLine, func(text string) { p.say("%s", text) }
	s, err := imports.Import(ctx, files, opts)
	p.clearLine()
	switch {
	case errors.Is(err, imports.ErrSameLog):
		return usagef("%v: use --log or --out", err)
	case err != nil:
		return err
	case asJSON:
		err = json.NewEncoder(stdout).Encode(s)
	default:
		err = printImport(stdout, s)
	}
	return errors.Join(err, s.Err())
}

// printImport prints the counts of each file.
func printImport(w io.Writer, s *imports.Summary) error {
	var statuses []string
	for _, st := range measure.Statuses() {
		if s.Status[st.String()] > 0 {
			statuses = append(statuses, st.String())
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(slices.Concat([]string{"file", "lines", "records"}, statuses,
		[]string{"unknown", "unmapped", "malformed", "log"}), "\t"))
	rows := s.Files
	if len(rows) > 1 {
		rows = append(slices.Clip(rows), s.All())
	}
	for _, f := range rows {
		fmt.Fprintf(t, "%s\t%d\t%d", filepath.Base(f.File), f.Lines, f.Records)
		for _, st := range statuses {
			fmt.Fprintf(t, "\t%d", f.Status[st])
		}
		unknown, unmapped := f.LeftOut()
		fmt.Fprintf(t, "\t%d\t%d\t%d\t%s\n", unknown, unmapped, f.Malformed, f.Log)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(s.Unknown)) {
		fmt.Fprintf(w, "unknown workload %s: %s left out; only its author can say what it computes\n", hash,
			count(s.Unknown[hash], "line"))
	}
	for _, what := range slices.Sorted(maps.Keys(s.Unmapped)) {
		fmt.Fprintf(w, "%s left out: %s has no counterpart here\n", count(s.Unmapped[what], "line"), what)
	}
	_, err := fmt.Fprintf(w, "%.1f s, %.0f lines a second\n", s.Seconds, s.LinesPerSecond)
	return err
}
