package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"time"

	"github.com/wmtune/wmtune/dataset/file"
)

// A Reader reads a tuning log, which a Writer may be appending to.
type Reader struct {
	size    func() (int64, error) // of the file now
	close   func() error
	walk    walker
	decoder *decoder // nil as long as the log is empty
	end     int64    // up to where it is read now
}

// Open opens the log at path for reading. A log that no search has written to
// is opened too; it has no records.
func Open(path string) (*Reader, error) { return openFirst(path, math.MaxInt64, maxUnpacked) }

// openFirst is Open of the first bytes of a log. If it is packed, it may expand to limit bytes.
func openFirst(path string, first, limit int64) (*Reader, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", path, file.Reason(err))
	}
	r, err := readerOf(path, f, first, limit)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = f.Close
	return r, nil
}

func readerOf(path string, f *os.File, first, limit int64) (*Reader, error) {
	size := func() (int64, error) {
		n, err := regularSize(f)
		return min(n, first), err
	}
	data, err := unpack(path, f, size, limit)
	if err != nil {
		return nil, err
	}
	if data != nil {
		return newReader(path, bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil })
	}
	return newReader(path, f, size)
}

// Path returns the path that the log was opened at.
func (r *Reader) Path() string { return r.walk.path }

func newReader(path string, f io.ReaderAt, size func() (int64, error)) (*Reader, error) {
	r := &Reader{size: size, walk: walker{path: path, f: f}}
	n, err := size()
	if err != nil {
		return nil, err
	}
	return r, r.begin(n)
}

// begin reads the schema once it is there.
func (r *Reader) begin(size int64) error {
	if r.decoder != nil {
		return nil
	}
	d, err := openWalk(&r.walk, size)
	if errors.Is(err, ErrEmpty) {
		return nil
	}
	r.decoder = d
	return err
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// Warnings returns what was left out so far.
func (r *Reader) Warnings() []Warning { return r.decoder.warnings(&r.walk) }

// Rounds returns the rounds from where the last call stopped to the end of the
// file, in order. After an error, which names the round and its place, there
// are no more.
func (r *Reader) Rounds() iter.Seq2[[]Record, error] {
	return func(yield func([]Record, error) bool) {
		size, err := r.size()
		if err != nil {
			yield(nil, err)
			return
		}
		if r.upTo(size, yield) && r.decoder != nil {
			r.walk.torn(size)
		}
	}
}

// Records is Rounds, record by record.
func (r *Reader) Records() iter.Seq2[Record, error] { return flatten(r.Rounds()) }

// Follow is Rounds, but at the end of the file it waits for more until ctx is
// done, which is no error. It looks every poll.
func (r *Reader) Follow(ctx context.Context, poll time.Duration) iter.Seq2[[]Record, error] {
	return func(yield func([]Record, error) bool) {
		tick := time.NewTicker(poll)
		defer tick.Stop()
		seen := int64(-1)
		for {
			size, err := r.size()
			if err != nil {
				yield(nil, err)
				return
			}
			if size != seen && !r.upTo(size, yield) {
				return
			}
			seen = size
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// upTo yields the rounds of the first size bytes, and reports whether it came
// to their end.
func (r *Reader) upTo(size int64, yield func([]Record, error) bool) bool {
	r.end = size
	if err := r.begin(size); err != nil {
		yield(nil, err)
		return false
	}
	for r.decoder != nil {
		fr, err := r.walk.next(size)
		if err == io.EOF {
			break
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		records, err := r.decoder.round(fr)
		if err != nil {
			yield(nil, fmt.Errorf("log %s: round %d (bytes %d to %d): %w", r.walk.path, fr.number, fr.at, fr.end(), err))
			return false
		}
		if !yield(records, nil) {
			return false
		}
	}
	return true
}

func flatten(rounds iter.Seq2[[]Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for records, err := range rounds {
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, rec := range records {
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// Each calls do with each record of the log at path and its number, from 0, up to the first error. It returns what was
// left out.
func Each(ctx context.Context, path string, do func(number int, r *Record) error) ([]Warning, error) {
	in, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	number := 0
	for r, err := range in.Records() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = do(number, &r)
		}
		if err != nil {
			return nil, err
		}
		number++
	}
	return in.Warnings(), nil
}

// ReadLog returns the records of the log at path, and what was left out.
func ReadLog(path string) ([]Record, []Warning, error) { return new(Budget).ReadLog(path) }
