package arrowio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
)

const (
	magic      = "ARROW1"
	prefixSize = 8 // of a message: ff ff ff ff, and the length of its metadata

	// maxMeta bounds the metadata of a message, which grows with the columns.
	maxMeta = 1 << 20

	// maxFooter bounds the footer of a file: 24 bytes a batch, and the schema.
	maxFooter = 64 << 20
)

// ErrSchema says that a file has another schema than it should have.
var ErrSchema = errors.New("its columns are others")

// A File is an Arrow file of a schema that the caller knows, and that Arrow for Go
// wrote.
//
//	ARROW1 | 2 bytes | message of the schema | messages of batches | footer | its length (4) | ARROW1
type File struct {
	r       io.ReaderAt
	blocks  []block
	decoder *Decoder
	limit   int
}

// A block is where a message is, with its prefix.
type block struct{ at, meta, body int64 }

// OpenFile opens a file of size bytes, whose batches may take limit bytes of memory
// each. The error is ErrSchema if its schema is another.
func OpenFile(r io.ReaderAt, size int64, schema *arrow.Schema, limit int) (f *File, err error) {
	f = &File{r: r, limit: limit}
	if f.blocks, err = readFooter(r, size, int64(limit)); err != nil {
		return nil, err
	}
	if f.decoder, err = NewDecoder(schema); err != nil {
		return nil, err
	}
	own, err := SchemaMessage(schema)
	if err != nil {
		return nil, err
	}
	own = append(own, make([]byte, -len(own)&7)...)
	first := make([]byte, prefixSize+len(own))
	if _, err := r.ReadAt(first, 8); err != nil || !bytes.Equal(first[prefixSize:], own) {
		return nil, ErrSchema
	}
	return f, nil
}

// readFooter returns the blocks that the footer lists. It does not look at the footer's
// schema.
func readFooter(r io.ReaderAt, size, limit int64) (list []block, err error) {
	defer Recover(&err) // of offsets that point out of it
	end := make([]byte, 4+len(magic))
	if size < int64(8+len(end)) {
		return nil, fmt.Errorf("%d bytes are none", size)
	}
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	switch {
	case string(end[4:]) != magic:
		return nil, errors.New("it does not end as one does")
	case n > min(maxFooter, size-int64(8+len(end))):
		return nil, fmt.Errorf("its footer has %d bytes", n)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-int64(len(end))-n); err != nil {
		return nil, err
	}
	table := flatbuffers.Table{Bytes: footer, Pos: flatbuffers.GetUOffsetT(footer)}
	slot := flatbuffers.UOffsetT(table.Offset(10)) // recordBatches of the table Footer in Arrow's File.fbs
	if slot == 0 {
		return nil, nil
	}
	at, count := table.Vector(slot), table.VectorLen(slot)
	for i := range count { // struct Block: offset (8), metaDataLength (4), padding (4), bodyLength (8)
		cell := footer[int(at)+24*i:][:24]
		b := block{
			at:   int64(binary.LittleEndian.Uint64(cell)),
			meta: int64(int32(binary.LittleEndian.Uint32(cell[8:]))),
			body: int64(binary.LittleEndian.Uint64(cell[16:])),
		}
		if b.at < 8 || b.meta < prefixSize || b.meta > maxMeta || b.body < 0 || b.body > limit || b.at > size-b.meta-b.body {
			return nil, fmt.Errorf("batch %d has %d and %d bytes at %d of %d", i, b.meta, b.body, b.at, size)
		}
		list = append(list, b)
	}
	return list, nil
}

// Len returns the number of batches.
func (f *File) Len() int { return len(f.blocks) }

// Batch returns batch i, which lives until the next call.
func (f *File) Batch(i int) (arrow.Record, error) {
	b := f.blocks[i]
	message := make([]byte, b.meta+b.body)
	if _, err := f.r.ReadAt(message, b.at); err != nil {
		return nil, err
	}
	return f.decoder.Batch(message[prefixSize:b.meta], message[b.meta:], f.limit)
}
