package ansor

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
)

// declares begins a comment that says which workload the key of the lines after it
// stands for, as JSON text, up to the next such comment. A key is a hash, which leads
// back to the workload only if AutoScheduler defined it. AutoScheduler skips comments.
//
//	# wmtune workload "matmul:m=64,n=64,k=64"
const declares = "# wmtune workload "

// declaredBy reads what follows declares.
func declaredBy(quoted []byte) (*known, error) {
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return nil, fmt.Errorf("the comment names no workload: %w", err)
	}
	w, err := workload.Find(text)
	if err != nil {
		return nil, fmt.Errorf("the comment names no workload: %w", err)
	}
	return &known{dag: w.DAG, key: w.Key, text: w.Text}, nil
}

// A Writer writes records as lines of AutoScheduler's, with comments for Reader.
type Writer struct {
	out      *bufio.Writer
	importer *Importer
	last     string // the workload that the last comment names
	line     []byte
}

// NewWriter returns a Writer. The caller calls Flush at the end.
func NewWriter(w io.Writer) *Writer {
	return &Writer{out: bufio.NewWriterSize(w, 1<<16), importer: NewImporter()}
}

// Write writes a record.
func (w *Writer) Write(r *dataset.Record) error {
	l := LineOf(r)
	w.line = w.line[:0]
	if r.Workload != w.last && w.importer.workload(l.Key).text != r.Workload {
		w.last = r.Workload
		w.line = append(appendText(append(w.line, declares...), r.Workload), '\n')
	}
	w.line = append(l.Append(w.line), '\n')
	_, err := w.out.Write(w.line)
	return err
}

// Flush writes what is buffered.
func (w *Writer) Flush() error { return w.out.Flush() }

// An Exporter writes tuning logs as logs of AutoScheduler's.
type Exporter struct {
	Progress func(log string, records int) // if not nil, is called after each round, with the records of all logs
	Warn     func(dataset.Warning)         // if not nil, gets what was left out
}

// Export writes the records of logs to out, and returns how many it wrote. It leaves out those with steps that
// AutoScheduler has not. The lines are what the logs hold, also times of programs that failed later: it warns of them.
func (e *Exporter) Export(ctx context.Context, logs []string, out io.Writer) (records int, err error) {
	w := NewWriter(out)
	withdrawn, err := dataset.Withdrawn(ctx, logs)
	if err != nil {
		return 0, err
	}
	for _, path := range logs {
		if err := e.log(ctx, path, withdrawn, w, &records); err != nil {
			return records, err
		}
	}
	return records, w.Flush()
}

func (e *Exporter) log(
	ctx context.Context, path string, withdrawn func(*dataset.Record) bool, out *Writer, records *int,
) error {
	in, err := dataset.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	own, wrong := 0, 0
	for round, err := range in.Rounds() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for i := range round {
			failed := withdrawn(&round[i])
			if slices.ContainsFunc(round[i].Steps, isOwn) {
				own++
				continue
			}
			if failed {
				wrong++
			}
			if err := out.Write(&round[i]); err != nil {
				return err
			}
			*records++
		}
		if e.Progress != nil {
			e.Progress(path, *records)
		}
	}
	if e.Warn != nil {
		if own > 0 {
			e.Warn(dataset.Warning{Path: path, What: fmt.Sprintf("left out %d records with the step WG or PH, which "+
				"AutoScheduler cannot read; 'wmtune search --space direct' makes none", own)})
		}
		if wrong > 0 {
			e.Warn(dataset.Warning{Path: path, What: fmt.Sprintf("wrote %d times of programs that failed when they were "+
				"measured again: the fastest line may be that of a wrong program", wrong)})
		}
		for _, w := range in.Warnings() {
			e.Warn(w)
		}
	}
	return nil
}

// isOwn reports whether AutoScheduler, which gives up a file at the first line that it cannot read, has no such step.
func isOwn(s schedule.Step) bool { return s.Kind() == schedule.WG || s.Kind() == schedule.PH }

// ExportFile is Export to a new file, which is compressed if its name ends in .zst or
// .gz, and appears when it is complete.
func (e *Exporter) ExportFile(ctx context.Context, logs []string, path string) (records int, err error) {
	if err := file.MustNotExist(path); err != nil {
		return 0, err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o666))
	if err != nil {
		return 0, err
	}
	defer f.Cleanup()
	w := struct {
		io.Writer
		io.Closer
	}{f, io.NopCloser(nil)}
	switch filepath.Ext(path) {
	case ".zst":
		z, err := zstd.NewWriter(f)
		if err != nil {
			return 0, err
		}
		w.Writer, w.Closer = z, z
	case ".gz":
		z := gzip.NewWriter(f)
		w.Writer, w.Closer = z, z
	}
	if records, err = e.Export(ctx, logs, w); err != nil {
		return records, err
	}
	if err := w.Close(); err != nil {
		return records, err
	}
	return records, f.CloseAtomicallyReplace()
}
