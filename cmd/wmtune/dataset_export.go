package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
)

const exportArgs = "LOG... [--out FILE] [--json]"

const exportWhat = `Dataset export writes the records of tuning logs as lines that TVM's AutoScheduler
loads. A record that was imported from such a line becomes the same line again.
docs/manual/logs.md lists the contents of a line.`

const exportExamples = `  wmtune dataset export wmtune-out/r50-t3/tuning.arrow > r50-t3.json
  wmtune dataset export --out all.json.zst *.arrow     .zst and .gz are compressed
`

func declareExport(fs *pflag.FlagSet) action {
	out := fs.String("out", "", "output `file`, compressed if named .gz or .zst; empty: standard output")
	declareQuiet(fs)
	asJSON := fs.Bool("json", false, "one JSON object on standard output, nothing else; needs --out")
	return func(ctx context.Context, logs []string, stdout, stderr io.Writer) error {
		do := func(ctx context.Context) error { return exportLogs(ctx, logs, *out, *asJSON, stdout, stderr) }
		return interruptible(ctx, "", do)
	}
}

// exportLogs writes the lines of logs to the file out, or to standard output without one.
func exportLogs(ctx context.Context, logs []string, out string, asJSON bool, stdout, stderr io.Writer) error {
	switch {
	case len(logs) == 0:
		return usagef("name at least one tuning log: wmtune dataset export LOG...")
	case asJSON && out == "":
		return usagef("--json needs --out: the lines go to standard output")
	}
	p, start := newProgress(stderr), time.Now()
	e := ansor.Exporter{
		Progress: func(log string, records int) { p.showLine(fmt.Sprintf("%s: %s", log, count(records, "record"))) },
		Warn:     func(w dataset.Warning) { p.say("warning: %s", w) },
	}
	defer p.clearLine()
	if out == "" {
		_, err := e.Export(ctx, logs, stdout)
		return err
	}
	records, err := e.ExportFile(ctx, logs, out)
	if err != nil {
		return err
	}
	p.clearLine()
	seconds := time.Since(start).Seconds()
	if asJSON {
		return json.NewEncoder(stdout).Encode(map[string]any{"out": out, "logs": len(logs), "records": records,
			"seconds": seconds})
	}
	_, err = fmt.Fprintf(stdout, "%s in %s, %.1f s\n", count(records, "record"), out, seconds)
	return err
}
