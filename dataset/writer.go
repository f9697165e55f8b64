package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/dataset/measure"
)

// WriterOptions are the options of OpenWriter.
type WriterOptions struct {
	// Task, if not nil, is the only task that the log may hold.
	Task *Task

	// Compress has rounds compressed with zstd: it pays for large ones.
	Compress bool

	// Past, if not nil, is called for each record that the log holds already,
	// in order.
	Past func(Record)
}

// A Writer appends rounds to a log. No other process can write to the log
// meanwhile; any may read it.
type Writer struct {
	path    string
	f       logFile
	encoder *encoder
	task    *Task
	end     int64 // of the last whole frame
	number  uint32
	records int
	warned  []Warning
	moved   func() bool // reports whether the path is another file by now
}

// A logFile is what a Writer needs of its file. *os.File is one; tests have one
// that fails.
type logFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// OpenWriter opens the log at path to append to it, and makes it if there is
// none. A round that was not completely written is cut off, with a warning. It
// is an error if another process writes to the log (ErrLocked), if the file is
// no log or of a newer schema, or if it holds another task than opts.Task.
func OpenWriter(path string, opts WriterOptions) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, openError(path, err)
	}
	size, err := lockedSize(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	w, err := newWriter(path, f, size, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	w.moved = func() bool { return moved(path, f) }
	if size == 0 {
		file.SyncDir(filepath.Dir(path))
	}
	return w, nil
}

// Create writes a new log, which appears at path when write has returned and the log
// holds a record. A file that is there is replaced.
func Create(path string, opts WriterOptions, write func(*Writer) error) error {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o666))
	if err != nil {
		return openError(path, err)
	}
	defer f.Cleanup()
	w, err := newWriter(path, f.File, 0, opts)
	if err != nil {
		return err
	}
	if err := write(w); err != nil || w.Records() == 0 {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("log %s: %w", path, file.Reason(err))
	}
	return nil
}

// openError says what to do about a log that cannot be opened for writing.
func openError(path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = "; make the directory first"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		hint = "; choose a log file that this user may write"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "; free some space, or choose a log file on another disk"
	}
	return fmt.Errorf("log %s: cannot be opened for writing: %w%s", path, file.Reason(err), hint)
}

// lockedSize locks f and then takes its size, which cannot change any more.
func lockedSize(f *os.File) (int64, error) {
	if err := lock(f); err != nil {
		return 0, err
	}
	return regularSize(f)
}

func newWriter(path string, f logFile, size int64, opts WriterOptions) (*Writer, error) {
	w := &Writer{path: path, f: f, encoder: newEncoder(opts.Compress, versionOf(opts.Task)), task: opts.Task,
		moved: func() bool { return false }}
	walk := walker{path: path, f: f}
	d, err := openWalk(&walk, size)
	if errors.Is(err, ErrEmpty) {
		return w, w.create()
	}
	if err != nil {
		return nil, err
	}
	if walk.version < repeatedVersion {
		return nil, olderError(path, walk.version)
	}
	w.encoder = newEncoder(opts.Compress, walk.version)
	repair := walk.at == 0 // the schema is damaged
	if err := w.scan(&walk, d, size, opts.Past); err != nil {
		return nil, err
	}
	if repair {
		if err := w.repair(); err != nil {
			return nil, err
		}
	}
	if size > w.end {
		if err := f.Truncate(w.end); err != nil {
			return nil, fmt.Errorf("log %s: cut off the torn round: %w", path, file.Reason(err))
		}
	}
	return w, nil
}

// versionOf returns the version that a new log of a task is written in: the oldest that can hold it. A log of any tasks
// may hold any record.
func versionOf(t *Task) uint8 {
	if t == nil {
		return SchemaVersion
	}
	return LogVersion(t.Timing)
}

// LogVersion returns the version that a new log of one task is written in whose times are of a kind. Each kind has its
// own.
func LogVersion(t measure.Timing) uint8 {
	if t == measure.Repeated {
		return repeatedVersion
	}
	return SchemaVersion
}

func olderError(path string, version uint8) error {
	return fmt.Errorf("log %s: an older wmtune wrote it: its schema is version %d, and this wmtune continues "+
		"versions %d and %d; choose another log file",
		path, version, repeatedVersion, SchemaVersion)
}

// repair writes the schema anew where it was damaged, so that other readers of
// Arrow streams can read the log again. Nothing is done if it would not fit.
func (w *Writer) repair() error {
	b, err := header(w.encoder.version)
	if err != nil || int64(len(b)) != w.warned[0].To {
		return err
	}
	if _, err := w.f.WriteAt(b, 0); err != nil {
		return fmt.Errorf("log %s: write the damaged schema anew: %w", w.path, file.Reason(err))
	}
	return nil
}

// create writes the schema of a new log.
func (w *Writer) create() error {
	b, err := header(w.encoder.version)
	if err != nil {
		return err
	}
	return w.write(b)
}

// scan goes through the rounds of a log that is continued.
func (w *Writer) scan(walk *walker, d *decoder, size int64, past func(Record)) error {
	for {
		fr, err := walk.next(size)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		records, err := d.round(fr)
		if err != nil {
			return fmt.Errorf("log %s: round %d (bytes %d to %d): %w", w.path, fr.number, fr.at, fr.end(), err)
		}
		if fr.version != w.encoder.version {
			return fmt.Errorf("log %s: round %d is of schema version %d, and the log began with version %d; choose another "+
				"log file", w.path, fr.number, fr.version, w.encoder.version)
		}
		for i := range records {
			if err := w.checkTask(&records[i]); err != nil {
				return err
			}
			if past != nil {
				past(records[i])
			}
		}
		w.records += len(records)
	}
	walk.torn(size)
	w.end, w.number, w.warned = walk.at, walk.number, d.warnings(walk)
	return nil
}

// checkTask says what the log holds if that is not the writer's task.
func (w *Writer) checkTask(r *Record) error {
	switch {
	case w.task == nil:
		return nil
	case r.Workload != w.task.Workload: // the key does not tell types apart
		return fmt.Errorf("log %s: it holds the workload %s, not %s; choose another log file, or tune what it holds",
			w.path, r.Title(), w.task.Title())
	case r.WorkloadKey != w.task.WorkloadKey:
		return fmt.Errorf("log %s: it holds the workload %s as another wmtune defined it (key %s, not "+
			"%s); choose another log file",
			w.path, r.Title(), r.WorkloadKey, w.task.WorkloadKey)
	case r.Target.String() != w.task.Target.String():
		return fmt.Errorf("log %s: it was measured on %q, and this target is %q; their times do not "+
			"compare: choose another log file",
			w.path, r.Target, w.task.Target)
	case r.Layout != w.task.Layout:
		return fmt.Errorf("log %s: it was searched with --layout %s, not %s; choose another log file, or that layout", w.path,
			r.Layout, w.task.Layout)
	case r.Timing != w.task.Timing:
		return fmt.Errorf("log %s: its times are %s, not %s, and do not compare: choose another log file", w.path, r.Timing,
			w.task.Timing)
	}
	return nil
}

// Append writes the records of a round and returns when they are on the disk.
// After an error the log holds what it held before, and Append can be tried
// again. A round without records writes nothing.
func (w *Writer) Append(round []Record) error {
	if len(round) == 0 {
		return nil
	}
	for i := range round {
		if err := w.checkTask(&round[i]); err != nil {
			return err
		}
	}
	if w.moved() {
		return fmt.Errorf("log %s: the file was removed or replaced while it was written to; what it held is "+
			"lost: start the search again", w.path)
	}
	b, err := w.encoder.round(w.number, round)
	if err != nil {
		return fmt.Errorf("log %s: %w", w.path, err)
	}
	if err := w.write(b); err != nil {
		return err
	}
	w.records += len(round)
	return nil
}

// write puts a frame at the end of the log, all or nothing.
func (w *Writer) write(b []byte) error {
	_, err := w.f.WriteAt(b, w.end)
	if err == nil {
		err = w.f.Sync()
	}
	if err != nil {
		hint := ""
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			hint = "; free some space and continue: the rounds before it are kept"
		}
		what := fmt.Sprintf("round %d", w.number)
		if w.number == 0 {
			what = "the schema"
		}
		err = fmt.Errorf("log %s: write %s: %w%s", w.path, what, file.Reason(err), hint)
		if cut := w.f.Truncate(w.end); cut != nil {
			err = fmt.Errorf("%w (and the torn round could not be cut off: %w; it is dropped when the log is read)", err,
				file.Reason(cut))
		}
		return err
	}
	w.end += int64(len(b))
	w.number++
	return nil
}

// Warnings returns what was left out of a log that is continued.
func (w *Writer) Warnings() []Warning { return w.warned }

// Records returns how many records the log holds.
func (w *Writer) Records() int { return w.records }

// Close closes the file and so ends the lock.
func (w *Writer) Close() error {
	if err := w.f.Close(); err != nil {
		return fmt.Errorf("log %s: close: %w", w.path, file.Reason(err))
	}
	return nil
}
