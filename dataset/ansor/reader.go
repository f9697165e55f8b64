package ansor

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/file"
)

// MaxLine is the length in bytes above which a line is no record: those of real
// logs have some thousands.
const MaxLine = 4 << 20

// A LineError says what is wrong with a line. The lines after it can be read.
type LineError struct {
	Path   string
	Number int // from 0
	Err    error
}

// Error names the line as editors count, from 1.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Number+1, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// A Reader reads a log line by line.
type Reader struct {
	path   string
	in     *bufio.Reader
	close  []func()
	number int // of the next line

	declared *known // by the last comment; nil if there was none
}

// Open opens a log, which may be compressed with gzip or zstd whatever its name.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", path, file.Reason(err))
	}
	r, err := NewReader(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = append(r.close, func() { f.Close() })
	return r, nil
}

// NewReader reads a log from in. The path is for messages.
func NewReader(path string, in io.Reader) (*Reader, error) {
	r := &Reader{path: path, in: bufio.NewReaderSize(in, 1<<16)}
	head, err := r.in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("log %s: read: %w", path, file.Reason(err))
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// One at a time: what reads the lines takes far longer. The window is
		// that of zstd --long.
		z, err := zstd.NewReader(r.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("log %s: %w", path, err)
		}
		r.in, r.close = bufio.NewReaderSize(z, 1<<16), []func(){z.Close}
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r.in)
		if err != nil {
			return nil, fmt.Errorf("log %s: its gzip header is damaged or cut off: %w", path, err)
		}
		r.in = bufio.NewReaderSize(z, 1<<16)
	}
	what := ""
	switch head, _ := r.in.Peek(4); { // Next tells the error
	case bytes.Equal(head, []byte{0xff, 0xff, 0xff, 0xff}):
		what = "it is no log of AutoScheduler, but an Arrow stream, as wmtune's tuning logs are"
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		what = "it is text in UTF-16: save it as UTF-8"
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}): // a byte order mark, which editors write
		r.in.Discard(3)
	}
	if what != "" {
		r.Close()
		return nil, fmt.Errorf("log %s: %s", path, what)
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() {
	for _, f := range r.close {
		f()
	}
}

// Lines returns how many lines were read, comments included.
func (r *Reader) Lines() int { return r.number }

// Next returns the text of the next line that is no comment, and its number in
// the file from 0. The text is valid until the next call. The error is io.EOF
// at the end, a *LineError if the line is too long, and another one if the file
// cannot be read further: a line that was cut off is not returned.
func (r *Reader) Next() (text []byte, number int, err error) {
	for {
		line, err := r.readLine()
		if err != nil {
			return nil, 0, err
		}
		number := r.number
		r.number++
		if len(line) > MaxLine {
			return nil, number, &LineError{r.path, number, fmt.Errorf("it is longer than %d bytes, which no record is", MaxLine)}
		}
		line = bytes.TrimRight(line, "\r\n")
		switch text, ok := bytes.CutPrefix(line, []byte(declares)); {
		case ok:
			if r.declared, err = declaredBy(text); err != nil {
				return nil, number, &LineError{r.path, number, err}
			}
		case len(line) > 0 && line[0] != '#' && line[0] != ' ':
			return line, number, nil
		}
	}
}

// Each returns the records that a function makes of the lines, in their order. An error that is a *LineError says why a
// line has none, and those behind it follow; any other is the last: the rest of the file cannot be read.
func (r *Reader) Each(record func(text []byte, number int) (dataset.Record, error)) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for {
			text, number, err := r.Next()
			if err == io.EOF {
				return
			}
			var made dataset.Record
			if err == nil {
				if made, err = record(text, number); err != nil {
					err = &LineError{r.path, number, err}
				}
			}
			var bad *LineError
			if !yield(made, err) || err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}
}

// readLine returns the next line, or the beginning of one that is longer than
// MaxLine.
func (r *Reader) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line) == 0 && err == nil {
			return part, nil
		}
		if len(line) <= MaxLine {
			line = append(line, part...)
		}
		switch {
		case err == nil, err == io.EOF && len(line) > 0:
			return line, nil
		case err == io.EOF:
			return nil, io.EOF
		case err != bufio.ErrBufferFull:
			return nil, fmt.Errorf("%s: damaged or cut off after line %d: %w", r.path, r.number, file.Reason(err))
		}
	}
}
