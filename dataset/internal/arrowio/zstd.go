package arrowio

import (
	"encoding/binary"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

const (
	recordBatch = 3 // of the union MessageHeader in Arrow's Message.fbs

	// notCompressed stands before a buffer of a compressed batch that is not compressed, in place of its expanded size.
	notCompressed = 1<<64 - 1
)

// CheckZstd checks the headers of zstd's frames in the buffers of a record batch: the decoder allocates the window that
// a header asks for, and Arrow does not bound it. It looks only where Arrow decodes a frame: the same bytes elsewhere
// are data.
func CheckZstd(meta, body []byte) (err error) {
	defer Recover(&err) // of offsets that point out of meta
	cells, err := compressedBuffers(meta)
	if err != nil {
		return err
	}
	left := int64(len(body))
	for i := 0; 16*i < len(cells); i++ {
		from := int64(binary.LittleEndian.Uint64(cells[16*i:]))
		size := int64(binary.LittleEndian.Uint64(cells[16*i+8:]))
		if size == 0 {
			continue
		}
		if size < 0 || size > left || from < 0 || from > int64(len(body))-size {
			return fmt.Errorf("buffer %d has %d bytes at %d, in %d bytes of %d", i, size, from, left, len(body))
		}
		left -= size // else buffers that overlap would take long
		frames := body[from : from+size]
		if size < 8 || binary.LittleEndian.Uint64(frames) == notCompressed {
			continue
		}
		if err := checkFrames(frames[8:]); err != nil {
			return err
		}
	}
	return nil
}

// compressedBuffers returns where the buffers of a batch are, if they are compressed: of each its offset in the body (8
// bytes) and its length (8).
func compressedBuffers(meta []byte) ([]byte, error) {
	message := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	slot := flatbuffers.UOffsetT(message.Offset(8)) // header of the table Message in Arrow's Message.fbs
	if slot == 0 || message.GetByteSlot(6, 0) != recordBatch {
		return nil, errors.New("it is no batch of records")
	}
	var batch flatbuffers.Table
	message.Union(&batch, slot)
	slot = flatbuffers.UOffsetT(batch.Offset(8)) // buffers of the table RecordBatch
	if compression := batch.Offset(10); slot == 0 || compression == 0 {
		return nil, nil
	}
	at := batch.Vector(slot)
	return meta[at:][:16*batch.VectorLen(slot)], nil
}

// checkFrames checks the headers of frames that follow each other. What the decoder cannot read ends them.
func checkFrames(b []byte) error {
	var h zstd.Header
	for h.Decode(b) == nil {
		if h.Skippable {
			b = b[min(len(b), h.HeaderSize+int(h.SkippableSize)):]
			continue
		}
		if size := max(h.WindowSize, h.FrameContentSize); size > MaxExpanded {
			return fmt.Errorf("it expands to %d bytes, and may to %d", size, MaxExpanded)
		}
		b = b[h.HeaderSize:]
		for last := false; !last; {
			if len(b) < 3 {
				return nil
			}
			head := int(b[0]) | int(b[1])<<8 | int(b[2])<<16 // last (1 bit), type (2), size (21)
			size := head >> 3
			if head>>1&3 == 1 { // one byte, repeated
				size = 1
			}
			last = head&1 != 0
			b = b[min(len(b), 3+size):]
		}
		if h.HasCheckSum {
			b = b[min(len(b), 4):]
		}
	}
	return nil
}
