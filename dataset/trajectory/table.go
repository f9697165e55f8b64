package trajectory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
)

// A tableWriter writes one Arrow file of a dataset.
type tableWriter struct {
	path   string
	f      *os.File
	sum    *sumWriter
	out    *ipc.FileWriter
	schema *arrow.Schema
	limit  int // rows of a batch

	*array.RecordBuilder
	pending int
	rows    int // all, pending ones included
}

// A sumWriter hashes what goes through it. An IPC file writer only asks where it is.
type sumWriter struct {
	w    io.Writer
	hash hash.Hash
	at   int64
}

func (s *sumWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.hash.Write(p[:n])
	s.at += int64(n)
	return n, err
}

// Seek implements io.Seeker as far as ipc.FileWriter uses it.
func (s *sumWriter) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		panic("BUG: trajectory: an Arrow file is written front to back")
	}
	return s.at, nil
}

func createTable(dir, name string, columns []arrow.Field, limit int) (*tableWriter, error) {
	path := filepath.Join(dir, name+".arrow")
	f, err := os.Create(path)
	if err != nil {
		return nil, writeError(path, err)
	}
	t := &tableWriter{path: path, f: f, sum: &sumWriter{w: f, hash: sha256.New()}, schema: schemaOf(columns), limit: limit}
	t.RecordBuilder = array.NewRecordBuilder(memory.DefaultAllocator, t.schema)
	if t.out, err = ipc.NewFileWriter(t.sum, ipc.WithSchema(t.schema), ipc.WithZstd()); err != nil {
		f.Close()
		return nil, writeError(path, err)
	}
	return t, nil
}

// appendState appends a row of states.
func appendState(t *tableWriter, id []byte, text []byte) error {
	t.Field(0).(*array.FixedSizeBinaryBuilder).Append(id)
	t.Field(1).(*array.StringBuilder).BinaryBuilder.Append(text)
	return t.row()
}

// appendAction appends a row of actions.
func appendAction(t *tableWriter, a *Action) error {
	arrowio.Append([]any{string(a.Kind), a.Text}, t.Field)
	b := t.Field(2).(*array.FixedSizeListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.Float32Builder).AppendValues(a.Vector, nil)
	return t.row()
}

// append appends a row whose cells are given.
func (t *tableWriter) append(cells []any) error {
	arrowio.Append(cells, t.Field)
	return t.row()
}

// row counts a row that was appended to the builder, and writes a batch that is
// full.
func (t *tableWriter) row() error {
	t.pending++
	t.rows++
	if t.pending < t.limit {
		return nil
	}
	return t.flush()
}

// flush ends the batch, if it has rows.
func (t *tableWriter) flush() error {
	if t.pending == 0 {
		return nil
	}
	batch := t.NewRecord()
	defer batch.Release()
	t.pending = 0
	return t.write(batch)
}

// write writes a batch as it is.
func (t *tableWriter) write(batch arrow.Record) error {
	if err := t.out.Write(batch); err != nil {
		return writeError(t.path, err)
	}
	return nil
}

// finish ends the file, waits for the disk, and returns the SHA-256 of its bytes.
func (t *tableWriter) finish() (sum string, err error) {
	defer t.Release()
	err = t.flush()
	if e := t.out.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = t.f.Sync()
	}
	if e := t.f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", writeError(t.path, err)
	}
	return hex.EncodeToString(t.sum.hash.Sum(nil)), nil
}

// abandon closes a file that will not be finished.
func (t *tableWriter) abandon() {
	t.Release()
	t.f.Close()
}

// writeError says what to do about a dataset that cannot be written.
func writeError(path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "; free some space and run the same command again: what was done is kept"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		hint = "; choose a folder that this user may write"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("dataset %s: cannot be written: %w%s", path, err, hint)
}
