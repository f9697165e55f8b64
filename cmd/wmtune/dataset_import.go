package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
)

const importArgs = "FILE... [--out DIR | --log FILE] [--strict] [--json]"

const importWhat = `Dataset import brings the tuning logs of TVM's AutoScheduler (JSON lines, plain, .gz
or .zst, format v0.2 to v0.6) into tuning logs of wmtune, one for each file.
Lines that are no records, and records of workloads that are not known, are named,
counted and left out. docs/logs.md says what is kept.`

const importExamples = `  wmtune dataset import resnet-50-llvm.json            to wmtune-out/imported/resnet-50-llvm.arrow
  wmtune dataset import --out logs *.json.zst          and with --strict it stops at the first bad line
  wmtune dataset import --log all.arrow *.json.gz      all into one log
  wmtune show all.arrow; wmtune replay --check none all.arrow
`

// importRound is the number of records that are written at once.
const importRound = 1024

// maxSaid bounds the bad lines that are printed of a file.
const maxSaid = 20

// An importCommand is a parsed command line of dataset import.
type importCommand struct {
	files  []string
	out    string // folder
	log    string // "" for one log per file
	strict bool
	json   bool
}

func runDatasetImport(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := importCommand{}
	fs := newFlags("dataset import", importArgs, importWhat, importExamples, stdout)
	fs.StringVar(&c.out, "out", filepath.Join("wmtune-out", "imported"), "`dir` for the logs, which are named after the files")
	fs.StringVar(&c.log, "log", "", "one `file` for the records of all files")
	fs.BoolVar(&c.strict, "strict", false, "fail at the first line that cannot be imported")
	fs.BoolVar(&c.json, "json", false, "print one JSON object at the end, and nothing else, to standard output")
	var err error
	if c.files, err = parseFlags(fs, args, -1); err != nil {
		return err
	}
	if len(c.files) == 0 {
		return usagef("no file is named")
	}
	logs, err := c.logs()
	if err != nil {
		return err
	}
	im := &importing{importCommand: c, importer: ansor.NewImporter(), progress: newProgress(stderr), started: time.Now()}
	if err := im.run(ctx, logs); err != nil {
		return err
	}
	if err := im.print(stdout); err != nil {
		return err
	}
	return im.verdict()
}

// logs returns the paths of the logs to be written: one, or one for each file.
// None of them may be there.
func (c *importCommand) logs() ([]string, error) {
	logs := []string{c.log}
	if c.log == "" {
		logs = nil
		for _, f := range c.files {
			logs = append(logs, filepath.Join(c.out, logName(f)))
		}
	}
	for i, l := range logs {
		if j := slices.Index(logs, l); j < i {
			return nil, usagef("%s and %s would both become %s; use --log, or import them to two folders", c.files[j], c.files[i], l)
		}
		if _, err := os.Lstat(l); !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s is there already; remove it, or choose another place with --out or --log", l)
		}
	}
	return logs, nil
}

// logName returns the name of the log of a file: resnet.json.zst becomes
// resnet.arrow.
func logName(file string) string {
	name := filepath.Base(file)
	for _, ext := range []string{".zst", ".gz", ".json", ".jsonl", ".log"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name + ".arrow"
}

// An importing is an import under way.
type importing struct {
	importCommand
	importer *ansor.Importer
	progress *progress
	started  time.Time
	files    []*importedFile
}

func (im *importing) run(ctx context.Context, logs []string) error {
	for i, log := range logs {
		files := im.importCommand.files[i : i+1]
		if im.log != "" {
			files = im.importCommand.files
		}
		if err := im.write(ctx, files, log); err != nil {
			return err
		}
	}
	return nil
}

// write imports files to a log, which appears when it is complete.
func (im *importing) write(ctx context.Context, files []string, log string) error {
	if err := os.MkdirAll(filepath.Dir(log), 0o777); err != nil {
		return err
	}
	part := log + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	w, err := dataset.OpenWriter(part, dataset.WriterOptions{Compress: true})
	if err != nil {
		return err
	}
	defer os.Remove(part)
	defer w.Close()
	for _, f := range files {
		file := &importedFile{File: f, Log: log, Status: map[string]int{}, Unknown: map[string]int{}}
		im.files = append(im.files, file)
		if err := im.file(ctx, file, w); err != nil {
			return err
		}
	}
	if w.Records() == 0 {
		for _, f := range im.files[len(im.files)-len(files):] {
			f.Log = "" // nothing to be looked at
		}
		return nil
	}
	return os.Rename(part, log)
}

// file imports one file. The error is one that ends the whole import.
func (im *importing) file(ctx context.Context, file *importedFile, w *dataset.Writer) error {
	in, err := ansor.Open(file.File)
	if err != nil {
		return err
	}
	defer in.Close()
	var round []dataset.Record
	for r, err := range im.importer.Records(in) {
		var bad *ansor.LineError
		switch {
		case err == nil:
			round = append(round, r)
			file.add(r.Status)
		case im.strict:
			return err
		case errors.As(err, &bad):
			im.skip(file, bad)
		default:
			file.Error = err.Error()
		}
		if len(round) == importRound {
			if err := errors.Join(w.Append(round), ctx.Err()); err != nil {
				return err
			}
			round = round[:0]
			im.progress.showLine(fmt.Sprintf("%d/%d %s: %d lines, %.0f s", len(im.files), len(im.importCommand.files), file.File, in.Lines(), time.Since(im.started).Seconds()))
		}
	}
	if err := w.Append(round); err != nil {
		return err
	}
	file.Lines = in.Lines()
	im.progress.clearLine()
	if file.unsaid > 0 {
		im.progress.say("%s: and %s more that cannot be imported", file.File, count(file.unsaid, "line"))
	}
	if file.Error != "" {
		im.progress.say("%s; the records before it are kept", file.Error)
	}
	return nil
}

// skip counts a line that is left out, and prints it unless there were many. A
// hash is printed once.
func (im *importing) skip(file *importedFile, line *ansor.LineError) {
	if hash, ok := ansor.IsUnknown(line); ok {
		if file.Unknown[hash]++; file.Unknown[hash] > 1 {
			return
		}
	} else {
		file.Malformed++
	}
	if file.said == maxSaid {
		file.unsaid++
		return
	}
	im.progress.say("%v; left out", line)
	file.said++
}
