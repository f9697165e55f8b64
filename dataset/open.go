package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/wmtune/wmtune/dataset/file"
)

// ErrEmpty says that a file holds no log yet: no search has written to it, or
// one was ended before its first write was complete.
var ErrEmpty = errors.New("the log is empty: no search has written to it")

// openWalk checks that the file at w is a tuning log and returns the decoder of
// its rounds. The walker then stands behind the schema, or at it if it is
// damaged. The error is ErrEmpty, or says what the file is instead.
//
// A schema is not decoded but compared with the only one that a version has:
// Arrow allocates by what it reads in one.
func openWalk(w *walker, size int64) (*decoder, error) {
	first, err := readFrame(w.f, 0, size)
	w.version = SchemaVersion
	switch err {
	case nil:
		err = w.checkSchema(&first)
		w.at, w.number = first.end(), 1
	case errNoFrame:
		err = w.checkDamaged(size)
	default:
		err = fmt.Errorf("log %s: read: %w", w.path, err)
	}
	if err != nil {
		return nil, err
	}
	return newDecoder(w.version)
}

// checkSchema checks that a frame is a schema that this wmtune reads, and notes its
// version.
func (w *walker) checkSchema(fr *frame) error {
	if fr.version > SchemaVersion {
		return fmt.Errorf("log %s: %w", w.path, newerError(fr.version))
	}
	w.version = max(fr.version, 1)
	own, err := header(w.version)
	if err == nil && (fr.number != 0 || !bytes.Equal(own[prefixSize:], append(fr.meta, fr.body...))) {
		what := "it"
		if fr.at > 0 {
			what = fmt.Sprintf("what was appended at byte %d", fr.at)
		}
		return fmt.Errorf("log %s: %s does not begin with the columns of a tuning log of schema "+
			"version %d; choose another file",
			w.path, what, w.version)
	}
	return err
}

// ErrNewer says that a log has a schema that this wmtune does not know.
var ErrNewer = errors.New("a newer wmtune wrote it")

func newerError(version uint8) error {
	return fmt.Errorf("%w: its schema is version %d and this wmtune reads up to %d; use that "+
		"wmtune, or choose another log file",
		ErrNewer, version, SchemaVersion)
}

// checkDamaged returns nil if a file that does not begin with a whole frame is a
// log nevertheless, because rounds follow, whose version it notes; or else says
// what the file is.
func (w *walker) checkDamaged(size int64) error {
	own, err := header(SchemaVersion)
	repeated, err2 := header(repeatedVersion)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	head := make([]byte, min(size, int64(len(own))))
	if err := readAt(w.f, head, 0); err != nil {
		return fmt.Errorf("log %s: read: %w", w.path, err)
	}
	switch {
	case size < int64(len(own)) && (bytes.HasPrefix(own, head) || bytes.HasPrefix(repeated, head)):
		return fmt.Errorf("log %s: %w", w.path, ErrEmpty)
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return fmt.Errorf("%s is an Arrow file, not a tuning log (those are Arrow streams); choose another file",
			w.path)
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return fmt.Errorf("%s is compressed, not a tuning log; if AutoScheduler wrote it, import it with "+
			"'wmtune dataset import'; if it is a packed log, expand it with 'zstd -d' first", w.path)
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")):
		return fmt.Errorf("%s is JSON, not a tuning log; if AutoScheduler wrote it, import it with "+
			"'wmtune dataset import'", w.path)
	}
	first, err := findFrame(w.f, 8, size)
	switch {
	case err == nil && first.version > SchemaVersion:
		return fmt.Errorf("log %s: its schema is damaged, and %w", w.path, newerError(first.version))
	case err == nil && first.version >= 1:
		w.version = first.version
		return nil
	case err != nil && err != errNoFrame:
		return fmt.Errorf("log %s: read: %w", w.path, err)
	case bytes.HasPrefix(head, continuation):
		return fmt.Errorf("%s is an Arrow stream but not a tuning log, or its schema (bytes 0 to %d) is damaged and "+
			"no round follows; choose another file",
			w.path, len(head))
	}
	return fmt.Errorf("%s is not a tuning log: it has no Arrow header", w.path)
}

// regularSize returns the size of an open file. Logs are read and written at
// offsets, so a pipe or a device cannot be one.
func regularSize(f *os.File) (int64, error) {
	size, err := file.Size(f)
	if err != nil {
		return 0, fmt.Errorf("log %s: %w", f.Name(), file.Reason(err))
	}
	return size, nil
}

// moved reports whether the file at path is not f any more: what is written to
// f is lost then when f is closed.
func moved(path string, f *os.File) bool {
	now, err := os.Stat(path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	was, err := f.Stat()
	return err == nil && !os.SameFile(now, was)
}
