package trajectory

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// A tableReader reads the batches of one Arrow file. It may be used by several
// goroutines.
type tableReader struct {
	path string
	f    *os.File
	mu   sync.Mutex
	in   *ipc.FileReader
}

// openTable opens a table, whose bytes are known to be whole, and checks that its
// columns are those of this version.
func openTable(dir, name string, columns []arrow.Field) (t *tableReader, err error) {
	path := filepath.Join(dir, name+".arrow")
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer func() {
		if recover() != nil { // Arrow panics
			err = fmt.Errorf("dataset %s: it is no Arrow file, or damaged", path)
		}
		if err != nil {
			f.Close()
		}
	}()
	in, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: it is no Arrow file: %w", path, err)
	}
	meta := in.Schema().Metadata()
	version := ""
	if i := meta.FindKey(versionKey); i >= 0 {
		version = meta.Values()[i]
	}
	switch want := schemaOf(columns); {
	case version == "":
		return nil, fmt.Errorf("dataset %s: it is an Arrow file, but no table of a dataset", path)
	case version != want.Metadata().Values()[0]:
		return nil, fmt.Errorf("dataset %s: another wmtune wrote it: its schema is version %s and this wmtune reads version %d; build it again",
			path, version, SchemaVersion)
	case !in.Schema().Equal(want):
		return nil, fmt.Errorf("dataset %s: its columns are not those of the table %s", path, name)
	}
	return &tableReader{path: path, f: f, in: in}, nil
}

func (t *tableReader) close() error { return t.f.Close() }

func (t *tableReader) len() int { return t.in.NumRecords() }

// batch returns batch i, which belongs to the caller.
func (t *tableReader) batch(i int) (rec arrow.Record, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("dataset %s: batch %d is damaged", t.path, i)
		}
	}()
	rec, err = t.in.RecordAt(i)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: batch %d: %w", t.path, i, err)
	}
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
