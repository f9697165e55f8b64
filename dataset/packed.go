package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset/file"
)

// A packed log is one that was compressed with zstd as a whole, to be kept or
// passed on. It takes a third of the space of a log whose rounds are compressed, as
// most of what records have in common lies in other rounds. It can be read, and not
// continued.

var packedMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

const (
	// maxUnpacked bounds the bytes of a packed log once it is expanded: they lie in
	// memory.
	maxUnpacked = 1 << 30

	// packedRound is the number of records in a round of a packed log. In small
	// rounds, what one round repeats of the one before it is near: the file is a third
	// smaller than with thousands.
	packedRound = 32
)

// Pack writes records as a packed log. It is an error if no wmtune could read it, as it is too large.
func Pack(to io.Writer, records []Record) error { return pack(to, records, maxUnpacked) }

func pack(to io.Writer, records []Record, limit int) error {
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("dataset: pack: %w", err)
	}
	frame, err := header(SchemaVersion)
	if err != nil {
		return err
	}
	_, err = z.Write(frame)
	e, number, size := newEncoder(false, SchemaVersion), uint32(0), len(frame)
	for round := range slices.Chunk(records, packedRound) {
		number++
		if err != nil {
			break
		}
		if frame, err = e.round(number, round); err == nil {
			_, err = z.Write(frame)
		}
		if size += len(frame); err == nil && size > limit {
			err = fmt.Errorf("the records take more than %d bytes before they are compressed, and a packed log may hold no "+
				"more; pack fewer logs into one", limit)
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("dataset: pack: %w", err)
	}
	return nil
}

// PackFile writes the records of logs, in order, as a packed log, which must not be
// there. Their records may take memory bytes; 0 means no limit. Warn gets what was left out.
func PackFile(ctx context.Context, logs []string, path string, memory uint64, warn func(Warning)) (records, size int,
	err error) {
	if err := file.MustNotExist(path); err != nil {
		return 0, 0, err
	}
	var list []Record
	budget := Budget{Limit: memory}
	for _, log := range logs {
		part, warnings, err := budget.ReadLog(log)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return 0, 0, err
		}
		for _, w := range warnings {
			warn(w)
		}
		list = append(list, part...)
	}
	var b bytes.Buffer
	if err := Pack(&b, list); err != nil {
		return 0, 0, err
	}
	if err := renameio.WriteFile(path, b.Bytes(), 0o666, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	return len(list), b.Len(), nil
}

// unpack returns what is in a packed log, or nil if f is none: its first bytes are
// not those of zstd, or what is compressed is no Arrow stream. The error is an *expandsError if it expands to more than
// limit bytes.
func unpack(path string, f *os.File, sizeOf func() (int64, error), limit int64) ([]byte, error) {
	head := make([]byte, len(packedMagic))
	if n, _ := f.ReadAt(head, 0); n < len(head) || !bytes.Equal(head, packedMagic) {
		return nil, nil
	}
	size, err := sizeOf()
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(io.NewSectionReader(f, 0, size), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", path, err)
	}
	defer z.Close()
	first := make([]byte, len(continuation))
	_, err = io.ReadFull(z, first)
	if err == nil && !bytes.Equal(first, continuation) {
		return nil, nil
	}
	// It is expanded twice: nothing is allocated before its size is known.
	var data []byte
	var n int64
	if err == nil {
		n, err = io.Copy(io.Discard, io.LimitReader(z, limit))
	}
	if err == nil && n < limit {
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			err = z.Reset(io.LimitReader(f, size))
		}
		if data = make([]byte, int64(len(first))+n); err == nil {
			_, err = io.ReadFull(z, data)
		}
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("log %s: it is cut off: %d bytes are not all of the compressed file", path, size)
	case err != nil:
		return nil, fmt.Errorf("log %s: it is damaged: %w", path, err)
	case n == limit:
		return nil, &expandsError{path, limit}
	}
	return data, nil
}

// An expandsError says that a packed log is too large once it is expanded.
type expandsError struct {
	path  string
	limit int64 // bytes
}

func (e *expandsError) Error() string {
	return fmt.Sprintf("log %s: it expands to more than %d bytes; expand it with 'zstd -d', and read that", e.path,
		e.limit)
}
