package trajectory

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/dataset/internal/arrowio"
)

// A tableReader reads the batches of one Arrow file. It may be used by several
// goroutines.
type tableReader struct {
	path   string
	timing bool // of tasks: there is the column
	f      *os.File
	mu     sync.Mutex
	in     *arrowio.File
}

// maxBatch bounds the bytes of a batch in memory: those that wmtune writes have some
// megabytes.
const maxBatch = 1 << 30

// openTable opens a table, whose bytes are known to be whole, and checks that its
// columns are those of this version.
func openTable(dir, name string, columns []arrow.Field) (*tableReader, error) {
	path := filepath.Join(dir, name+".arrow")
	f, err := file.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	size, err := file.Size(f)
	t := &tableReader{path: path, f: f}
	if err == nil {
		t.in, err = arrowio.OpenFile(f, size, schemaOf(columns), maxBatch)
	}
	if err != nil {
		f.Close()
	}
	switch {
	case errors.Is(err, arrowio.ErrSchema):
		return nil, fmt.Errorf("dataset %s: its columns are not those of the table %s of version %d: it is no dataset, or "+
			"another wmtune wrote it; build it again",
			path, name, SchemaVersion)
	case err != nil:
		return nil, fmt.Errorf("dataset %s: it is no Arrow file, or damaged: %w", path, err)
	}
	return t, nil
}

// openFormat opens a table of either shape.
func openFormat(dir string, f format, vector int) (*tableReader, error) {
	t, err := openTable(dir, f.name, f.columns(shape{vector, false}))
	if err != nil && f.name == tasksTable {
		if timed, e := openTable(dir, f.name, f.columns(shape{vector, true})); e == nil {
			timed.timing = true
			return timed, nil
		}
	}
	return t, err
}

func (t *tableReader) close() error { return t.f.Close() }

func (t *tableReader) len() int { return t.in.Len() }

// batch returns batch i, which belongs to the caller.
func (t *tableReader) batch(i int) (arrow.Record, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec, err := t.in.Batch(i)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: batch %d: %w; build the dataset again", t.path, i, err)
	}
	rec.Retain()
	return rec, nil
}

// batches returns all batches, in order; each lives until the next.
func (t *tableReader) batches() iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		for i := range t.len() {
			rec, err := t.batch(i)
			if err != nil {
				yield(nil, err)
				return
			}
			more := yield(rec, nil)
			rec.Release()
			if !more {
				return
			}
		}
	}
}
