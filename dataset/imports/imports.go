// Package imports makes tuning logs of wmtune out of those of other tools: TVM's
// AutoScheduler, AutoTVM and MetaSchedule. It tells them apart, counts what became
// of each line, and says why some have no record.
//
// It must not know what the lines mean: the packages of the formats do.
package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/dataset/autotvm"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/dataset/metaschedule"
)

// importRound is the number of records that are written at once.
const importRound = 1024

// MaxSaid bounds the bad lines of a file that an import names.
const MaxSaid = 20

// ErrSameLog says that two files would become the same log.
var ErrSameLog = errors.New("import them into one log, or into two folders")

// Options are the options of Import.
type Options struct {
	Dir    string // for the logs, which are named after the files
	Log    string // if not "", one log for the records of all files
	Strict bool   // stop at the first line that cannot be imported

	Progress func(text string) // if not nil, says how far the import is
	Say      func(text string) // if not nil, gets what was left out
}

// A log is a log of another tool that is read.
type log interface {
	// Records returns the records in the order of the log. An error that is an *ansor.LineError says why
	// a line has none; any other is the last.
	Records() iter.Seq2[dataset.Record, error]
	Lines() int // that were read
	Close()
}

// open opens a log of one of the tools.
func (im *importing) open(path string) (log, error) {
	if info, err := os.Stat(path); metaschedule.Folder(path) != "" || err == nil && info.IsDir() {
		return metaschedule.Open(path) // of a folder that holds none, it says so
	}
	if autotvm.Is(path) {
		return autotvm.Open(path)
	}
	r, err := ansor.Open(path)
	if err != nil {
		return nil, err
	}
	return lines{r, im.importer}, nil
}

// lines is a log of AutoScheduler.
type lines struct {
	*ansor.Reader
	importer *ansor.Importer
}

func (l lines) Records() iter.Seq2[dataset.Record, error] { return l.importer.Records(l.Reader) }

// A File is what became of one file. The names in JSON may be added to, never
// changed.
type File struct {
	File string `json:"file"`
	Log  string `json:"log"`
	Counts
	Error string `json:"error"` // why the file could not be read to its end; "" if it was

	reported, suppressed int // bad lines
}

// Counts are what became of lines.
type Counts struct {
	Lines     int            `json:"lines"`
	Records   int            `json:"records"`
	Status    map[string]int `json:"status"`
	Unknown   map[string]int `json:"unknown"`   // lines by the hash of a workload that is not known
	Unmapped  map[string]int `json:"unmapped"`  // lines by what has no counterpart here
	Malformed int            `json:"malformed"` // lines
}

func newCounts() Counts {
	return Counts{Status: map[string]int{}, Unknown: map[string]int{}, Unmapped: map[string]int{}}
}

// A Summary is the result of an import. The names in JSON may be added to, never
// changed.
type Summary struct {
	Files []*File `json:"files"`
	Counts
	Seconds        float64 `json:"seconds"`
	LinesPerSecond float64 `json:"lines_per_second"`
}

// All returns the counts of all files as those of one.
func (s *Summary) All() *File { return &File{File: "all", Counts: s.Counts} }

// LeftOut returns how many lines are of workloads that are not known, and how many of what has no counterpart here.
func (c *Counts) LeftOut() (unknown, unmapped int) {
	for _, n := range c.Unknown {
		unknown += n
	}
	for _, n := range c.Unmapped {
		unmapped += n
	}
	return unknown, unmapped
}

// Err says whether the import failed after all: a file that could not be read to its
// end, or that holds no record.
func (s *Summary) Err() error {
	var errs []error
	for _, f := range s.Files {
		switch {
		case f.Error != "":
			errs = append(errs, errors.New(f.Error))
		case f.Records == 0:
			errs = append(errs, fmt.Errorf("%s: none of its %s is a record", f.File, lineCount(f.Lines)))
		}
	}
	return errors.Join(errs...)
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// Import imports logs of other tools into tuning logs. A log appears when it is
// complete; none may be there. The error is ErrSameLog if two files have one name. What is named twice, as a database
// is by its two files, is imported once.
func Import(ctx context.Context, files []string, opts Options) (*Summary, error) {
	im := &importing{Options: opts, importer: ansor.NewImporter(), started: time.Now()}
	files, err := im.distinct(files)
	if err != nil {
		return nil, err
	}
	logs, err := opts.logs(files)
	if err != nil {
		return nil, err
	}
	im.of = len(files)
	for i, log := range logs {
		of := files
		if opts.Log == "" {
			of = files[i : i+1]
		}
		if err := im.write(ctx, of, log); err != nil {
			return nil, err
		}
	}
	s := &im.summary
	s.Counts = newCounts()
	s.Seconds = time.Since(im.started).Seconds()
	for _, f := range s.Files {
		s.Lines += f.Lines
		s.Records += f.Records
		s.Malformed += f.Malformed
		add(s.Unknown, f.Unknown)
		add(s.Unmapped, f.Unmapped)
		add(s.Status, f.Status)
	}
	s.LinesPerSecond = float64(s.Lines) / s.Seconds
	return s, nil
}

func add(sum, counts map[string]int) {
	for what, n := range counts {
		sum[what] += n
	}
}

// distinct returns the files without those that name a file or a database which one before them names.
func (im *importing) distinct(files []string) (list []string, err error) {
	first := map[string]string{}
	for _, f := range files {
		of, err := filepath.Abs(cmp.Or(metaschedule.Folder(f), f))
		if err != nil {
			return nil, err
		}
		if before, ok := first[of]; ok {
			im.say("%s is imported with %s", f, before)
			continue
		}
		first[of] = f
		list = append(list, f)
	}
	return list, nil
}

// logs returns the paths of the logs to be written: one, or one for each file.
func (o *Options) logs(files []string) ([]string, error) {
	logs := []string{o.Log}
	if o.Log == "" {
		logs = nil
		for _, f := range files {
			logs = append(logs, filepath.Join(o.Dir, logName(f)))
		}
	}
	for i, l := range logs {
		if j := slices.Index(logs, l); j < i {
			return nil, fmt.Errorf("%s and %s would both become %s: %w", files[j], files[i], l, ErrSameLog)
		}
		if err := file.MustNotExist(l); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// logName returns the name of the log of a file: resnet.json.zst becomes
// resnet.arrow, and so does a file of a database in the folder resnet.
func logName(file string) string {
	name := filepath.Base(file)
	if strings.HasPrefix(name, "database_") {
		if dir, err := filepath.Abs(filepath.Dir(file)); err == nil {
			name = filepath.Base(dir)
		}
	}
	for _, ext := range []string{".zst", ".gz", ".json", ".jsonl", ".log"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name + ".arrow"
}

// An importing is an import under way.
type importing struct {
	Options
	importer *ansor.Importer
	of       int // files
	started  time.Time
	summary  Summary
}

func (im *importing) say(format string, args ...any) {
	if im.Say != nil {
		im.Say(fmt.Sprintf(format, args...))
	}
}

// write imports files into a log.
func (im *importing) write(ctx context.Context, files []string, log string) error {
	if err := os.MkdirAll(filepath.Dir(log), 0o777); err != nil {
		return err
	}
	first := len(im.summary.Files)
	return dataset.Create(log, dataset.WriterOptions{Compress: true}, func(w *dataset.Writer) error {
		for _, f := range files {
			file := &File{File: f, Log: log, Counts: newCounts()}
			im.summary.Files = append(im.summary.Files, file)
			if err := im.file(ctx, file, w); err != nil {
				return err
			}
		}
		if w.Records() == 0 {
			for _, f := range im.summary.Files[first:] {
				f.Log = "" // nothing to be looked at
			}
		}
		return nil
	})
}

// file imports one file. The error is one that ends the whole import.
func (im *importing) file(ctx context.Context, file *File, w *dataset.Writer) error {
	in, err := im.open(file.File)
	if err != nil {
		if im.Strict {
			return err
		}
		file.Error = err.Error()
		im.say("%s; no record of it is kept", file.Error)
		return nil
	}
	defer in.Close()
	var round []dataset.Record
	for r, err := range in.Records() {
		var bad *ansor.LineError
		switch {
		case err == nil:
			round = append(round, r)
			file.Records++
			file.Status[r.Status.String()]++
		case im.Strict:
			return err
		case errors.As(err, &bad):
			im.skip(file, bad)
		default:
			file.Error = err.Error()
		}
		if len(round) < importRound {
			continue
		}
		if err := errors.Join(w.Append(round), ctx.Err()); err != nil {
			return err
		}
		round = round[:0]
		if im.Progress != nil {
			im.Progress(fmt.Sprintf("%d/%d %s: %d lines, %.0f s", len(im.summary.Files), im.of, file.File, in.Lines(),
				time.Since(im.started).Seconds()))
		}
	}
	if err := w.Append(round); err != nil {
		return err
	}
	file.Lines = in.Lines()
	if file.suppressed > 0 {
		im.say("%s: and %s more that cannot be imported", file.File, lineCount(file.suppressed))
	}
	if file.Error != "" {
		im.say("%s; the records before it are kept", file.Error)
	}
	return nil
}

// skip counts a line that is left out, and names it unless there were many. A hash is
// named once, and so is what has no counterpart.
func (im *importing) skip(file *File, line *ansor.LineError) {
	var unmapped *metaschedule.UnmappedError
	if hash, ok := ansor.IsUnknown(line); ok {
		if file.Unknown[hash]++; file.Unknown[hash] > 1 {
			return
		}
	} else if errors.As(line, &unmapped) {
		if file.Unmapped[unmapped.What]++; file.Unmapped[unmapped.What] > 1 {
			return
		}
	} else {
		file.Malformed++
	}
	if file.reported == MaxSaid {
		file.suppressed++
		return
	}
	im.say("%v; left out", line)
	file.reported++
}
