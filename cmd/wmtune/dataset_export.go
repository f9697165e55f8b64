package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
)

const exportArgs = "LOG... [--out FILE] [--json]"

const exportWhat = `Dataset export writes the records of tuning logs as lines that TVM's AutoScheduler
loads. Records that were imported from its logs become the lines that they were.
docs/logs.md says what such a line can hold.`

const exportExamples = `  wmtune dataset export wmtune-out/r50-t3/tuning.arrow > r50-t3.json
  wmtune dataset export --out all.json.zst *.arrow     .zst and .gz are compressed
`

// An exportCommand is a parsed command line of dataset export.
type exportCommand struct {
	logs []string
	out  string // "" for standard output
	json bool
}

func runDatasetExport(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := exportCommand{}
	fs := newFlags("dataset export", exportArgs, exportWhat, exportExamples, stdout)
	fs.StringVar(&c.out, "out", "", "`file` for the lines, compressed if it ends in .gz or .zst; standard output by default")
	fs.BoolVar(&c.json, "json", false, "print one JSON object at the end, and nothing else, to standard output; needs --out")
	var err error
	if c.logs, err = parseFlags(fs, args, -1); err != nil {
		return err
	}
	switch {
	case len(c.logs) == 0:
		return usagef("no log is named")
	case c.json && c.out == "":
		return usagef("--json needs --out: the lines go to standard output")
	}
	ex := &exporting{exportCommand: c, progress: newProgress(stderr), started: time.Now()}
	if c.out == "" {
		return ex.logs(ctx, stdout)
	}
	if err := ex.file(ctx); err != nil {
		return err
	}
	seconds := time.Since(ex.started).Seconds()
	if c.json {
		return json.NewEncoder(stdout).Encode(map[string]any{"out": c.out, "logs": len(c.logs), "records": ex.records, "seconds": seconds})
	}
	_, err = fmt.Fprintf(stdout, "%s in %s, %.1f s\n", count(ex.records, "record"), c.out, seconds)
	return err
}

// An exporting is an export under way.
type exporting struct {
	exportCommand
	progress *progress
	started  time.Time
	records  int
}

// file writes to the file that was named, which appears when it is complete.
func (ex *exporting) file(ctx context.Context) error {
	if _, err := os.Lstat(ex.out); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is there already; remove it, or choose another file", ex.out)
	}
	f, err := os.CreateTemp(filepath.Dir(ex.out), filepath.Base(ex.out)+".part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var w io.Writer = f
	finish := func() error { return nil }
	switch {
	case strings.HasSuffix(ex.out, ".zst"):
		z, err := zstd.NewWriter(f)
		if err != nil {
			return err
		}
		w, finish = z, z.Close
	case strings.HasSuffix(ex.out, ".gz"):
		z := gzip.NewWriter(f)
		w, finish = z, z.Close
	}
	if err := ex.logs(ctx, w); err != nil {
		return err
	}
	if err := errors.Join(finish(), f.Sync(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), ex.out)
}

// logs writes the lines of all logs.
func (ex *exporting) logs(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, path := range ex.exportCommand.logs {
		if err := ex.log(ctx, path, out); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (ex *exporting) log(ctx context.Context, path string, out *bufio.Writer) error {
	in, err := dataset.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var line []byte
	for round, err := range in.Rounds() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for i := range round {
			line = append(ansor.LineOf(&round[i]).Append(line[:0]), '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		ex.records += len(round)
		ex.progress.showLine(fmt.Sprintf("%s: %s", path, count(ex.records, "record")))
	}
	ex.progress.clearLine()
	for _, w := range in.Warnings() {
		ex.progress.say("warning: %s", w)
	}
	return nil
}
