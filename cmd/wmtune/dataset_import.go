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

	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/dataset/measure"
)

const importArgs = "FILE... [--out DIR | --log FILE] [--strict] [--json]"

const importWhat = `Dataset import converts tuning logs of TVM's AutoScheduler to tuning logs of wmtune,
one for each file. The files hold JSON lines of format v0.2 to v0.6, plain or
compressed (.gz, .zst).

Import skips malformed lines and records of unknown workloads; it names and counts
them. docs/logs.md lists what a log keeps.`

const importExamples = `  wmtune dataset import resnet-50-llvm.json        to wmtune-out/imported/resnet-50-llvm.arrow
  wmtune dataset import --out logs *.json.zst      and with --strict it stops at the first bad line
  wmtune dataset import --log all.arrow *.json.gz  all into one log
  wmtune show all.arrow; wmtune replay --check none all.arrow
`

func declareImport(fs *pflag.FlagSet) action {
	var opts ansor.ImportOptions
	fs.StringVar(&opts.Dir, "out", filepath.Join("wmtune-out", "imported"),
		"`folder` for the logs, which are named after the files")
	fs.StringVar(&opts.Log, "log", "", "one `file` for the records of all inputs; empty: one log per input")
	fs.BoolVar(&opts.Strict, "strict", false, "an error at the first line that cannot be imported")
	asJSON := fs.Bool("json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, files []string, stdout, stderr io.Writer) error {
		return importFiles(ctx, files, opts, *asJSON, stdout, stderr)
	}
}

func importFiles(ctx context.Context, files []string, opts ansor.ImportOptions, asJSON bool, stdout,
	stderr io.Writer) error {
	if len(files) == 0 {
		return usagef("no file is named")
	}
	p := newProgress(stderr)
	opts.Progress, opts.Say = p.showLine, func(text string) { p.say("%s", text) }
	s, err := ansor.Import(ctx, files, opts)
	p.clearLine()
	switch {
	case errors.Is(err, ansor.ErrSameLog):
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
func printImport(w io.Writer, s *ansor.ImportSummary) error {
	var statuses []string
	for _, st := range measure.Statuses() {
		if s.Status[st.String()] > 0 {
			statuses = append(statuses, st.String())
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(slices.Concat([]string{"file", "lines", "records"}, statuses,
		[]string{"unknown", "malformed", "log"}), "\t"))
	rows := s.Files
	if len(rows) > 1 {
		rows = append(slices.Clip(rows), &ansor.ImportedFile{
			File: "all", Lines: s.Lines, Records: s.Records, Status: s.Status, Unknown: s.Unknown, Malformed: s.Malformed,
		})
	}
	for _, f := range rows {
		fmt.Fprintf(t, "%s\t%d\t%d", filepath.Base(f.File), f.Lines, f.Records)
		for _, st := range statuses {
			fmt.Fprintf(t, "\t%d", f.Status[st])
		}
		unknown := 0
		for _, n := range f.Unknown {
			unknown += n
		}
		fmt.Fprintf(t, "\t%d\t%d\t%s\n", unknown, f.Malformed, f.Log)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(s.Unknown)) {
		fmt.Fprintf(w, "unknown workload %s: %s left out; only its author can say what it computes\n", hash,
			count(s.Unknown[hash], "line"))
	}
	_, err := fmt.Fprintf(w, "%.1f s, %.0f lines a second\n", s.Seconds, s.LinesPerSecond)
	return err
}
