package dataset

import (
	"bytes"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// maxExpanded bounds the bytes of a compressed round once it is expanded. Larger
// rounds are not compressed.
const maxExpanded = 256 << 20

// A decoder turns frames into records. It is given frames whose seals fit, so
// an error means that the log was made by something else than this package, or
// a defect.
type decoder struct {
	version uint8 // of the schema

	feed  feed
	ipc   *ipc.Reader
	limit limitAllocator
}

// A feed is an ipc.MessageReader that hands one frame at a time to Arrow.
type feed struct{ frame *frame }

// Message implements ipc.MessageReader.
func (f *feed) Message() (*ipc.Message, error) {
	if f.frame == nil {
		return nil, io.EOF
	}
	meta, body := memory.NewBufferBytes(f.frame.meta), memory.NewBufferBytes(f.frame.body)
	f.frame = nil
	return ipc.NewMessage(meta, body), nil
}

// Retain implements ipc.MessageReader.
func (f *feed) Retain() {}

// Release implements ipc.MessageReader.
func (f *feed) Release() {}

// newDecoder returns a decoder of rounds of a version of the schema.
func newDecoder(version uint8) (d *decoder, err error) {
	defer recoverArrow(&err)
	own, err := header(version)
	if err != nil {
		return nil, err
	}
	first, err := readFrame(bytes.NewReader(own), 0, int64(len(own)))
	if err != nil {
		return nil, fmt.Errorf("dataset: own schema: %w", err)
	}
	d = &decoder{version: version}
	d.next(first)
	d.ipc, err = ipc.NewReaderFromMessageReader(&d.feed, ipc.WithAllocator(&d.limit))
	if err != nil {
		return nil, fmt.Errorf("dataset: own schema: %w", err)
	}
	return d, nil
}

// next makes fr the frame that Arrow reads next.
func (d *decoder) next(fr frame) {
	d.feed.frame = &fr
	d.limit.left = 2*len(fr.body) + 1<<16 // each buffer is copied once, and aligned
	if d.version >= 3 {
		d.limit.left += maxExpanded
	}
}

// round returns the records of a frame.
func (d *decoder) round(fr frame) (records []Record, err error) {
	defer recoverArrow(&err)
	d.next(fr)
	if !d.ipc.Next() {
		return nil, fmt.Errorf("it does not decode: %w", d.ipc.Err())
	}
	batch := d.ipc.Record()
	for i := range int(batch.NumRows()) {
		r, err := decodeRow(batch, i)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// A limitAllocator gives Arrow so many bytes: it allocates by lengths that it
// reads, and memory that is not there cannot be recovered from.
type limitAllocator struct{ left int }

// Allocate implements memory.Allocator. It panics when too much is asked for.
func (a *limitAllocator) Allocate(size int) []byte {
	if size < 0 || size > a.left {
		panic(fmt.Sprintf("a buffer of %d bytes", size))
	}
	a.left -= size
	return memory.DefaultAllocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (a *limitAllocator) Reallocate(size int, b []byte) []byte {
	if size <= len(b) {
		return b[:size]
	}
	n := a.Allocate(size)
	copy(n, b)
	return n
}

// Free implements memory.Allocator.
func (a *limitAllocator) Free([]byte) {}

// recoverArrow turns a panic into an error: Arrow's readers index and slice by
// numbers that they take from the file.
func recoverArrow(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("it does not decode: %v", p)
	}
}
