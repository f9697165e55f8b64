package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A frame is one message of an Arrow IPC stream as it lies in the file: the
// schema, or the record batch of a round. Arrow has no checksum, and its
// readers believe every length that they read. So each frame carries a seal at
// the end of its metadata, where Arrow allows padding and readers skip it:
//
//	ff ff ff ff | metadata length | flatbuffer, padding, seal | body
//
//	seal: magic (7 bytes) | schema version (1) | number (4) | CRC-32C (4) | body length (8)
//
// All integers are little-endian. The CRC covers the whole frame with its own
// four bytes zero. Frames are numbered from 0, the schema's, so that a frame
// that is skipped or comes twice is noticed, and each has the schema's version,
// so that the rounds can be read without the schema.
type frame struct {
	at      int64 // offset in the file
	size    int64
	version uint8 // of the schema
	number  uint32
	meta    []byte // flatbuffer, padding and seal
	body    []byte
}

func (f *frame) end() int64 { return f.at + f.size }

const (
	prefixSize = 8 // of a frame, before the metadata
	sealSize   = 24

	// maxMetaSize bounds the metadata of a frame. It grows with the columns,
	// not the rows; ours takes some kilobytes.
	maxMetaSize = 1 << 20
)

var (
	sealMagic    = []byte("wmtune\n")
	continuation = []byte{0xff, 0xff, 0xff, 0xff}
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
)

// errNoFrame says that there is no whole and undamaged frame at an offset.
var errNoFrame = errors.New("no whole frame")

// sealFrame returns the bytes of a frame of a version of the schema with the given
// metadata and body.
func sealFrame(version uint8, number uint32, meta, body []byte) []byte {
	if len(body)%8 != 0 {
		panic(fmt.Sprintf("BUG: dataset: body of %d bytes", len(body)))
	}
	padded := (len(meta) + 7) &^ 7
	b := make([]byte, 0, prefixSize+padded+sealSize+len(body))
	b = append(b, continuation...)
	b = binary.LittleEndian.AppendUint32(b, uint32(padded+sealSize))
	b = append(b, meta...)
	b = append(b, make([]byte, padded-len(meta))...)
	b = append(b, sealMagic...)
	b = append(b, version)
	b = binary.LittleEndian.AppendUint32(b, number)
	crcAt := len(b)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(body)))
	b = append(b, body...)
	binary.LittleEndian.PutUint32(b[crcAt:], crc32.Checksum(b, castagnoli))
	return b
}

// readFrame reads and verifies the frame at offset at of a file of size bytes.
// The error is errNoFrame if there is none, or what reading f returned. It
// allocates no more than the file has bytes, nor maxRound, whatever they are.
func readFrame(f io.ReaderAt, at, size int64) (frame, error) {
	var prefix [prefixSize]byte
	if size-at < prefixSize+sealSize {
		return frame{}, errNoFrame
	}
	if err := readAt(f, prefix[:], at); err != nil {
		return frame{}, err
	}
	metaSize := int64(binary.LittleEndian.Uint32(prefix[4:]))
	if !fits(prefix[:], size-at) {
		return frame{}, errNoFrame
	}
	seal := make([]byte, sealSize) // first: nonsense may look like many prefixes
	if err := readAt(f, seal, at+prefixSize+metaSize-sealSize); err != nil {
		return frame{}, err
	}
	bodySize := int64(binary.LittleEndian.Uint64(seal[16:]))
	if !bytes.HasPrefix(seal, sealMagic) || bodySize < 0 || bodySize%8 != 0 ||
		bodySize > min(maxRound, size-at-prefixSize-metaSize) {
		return frame{}, errNoFrame
	}
	meta := make([]byte, metaSize)
	if err := readAt(f, meta, at+prefixSize); err != nil {
		return frame{}, err
	}
	seal = meta[metaSize-sealSize:]
	body := make([]byte, bodySize)
	if err := readAt(f, body, at+prefixSize+metaSize); err != nil {
		return frame{}, err
	}
	want := binary.LittleEndian.Uint32(seal[12:])
	crc := crc32.Update(0, castagnoli, prefix[:])
	crc = crc32.Update(crc, castagnoli, meta[:metaSize-sealSize+12])
	crc = crc32.Update(crc, castagnoli, make([]byte, 4))
	crc = crc32.Update(crc, castagnoli, seal[16:])
	crc = crc32.Update(crc, castagnoli, body)
	if crc != want {
		return frame{}, errNoFrame
	}
	return frame{
		at: at, size: prefixSize + metaSize + bodySize,
		version: seal[7], number: binary.LittleEndian.Uint32(seal[8:]), meta: meta, body: body,
	}, nil
}

// readAt fills b. A file that shrank since its size was taken has no frame
// there, which is no error of reading.
func readAt(f io.ReaderAt, b []byte, at int64) error {
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		return errNoFrame
	}
	return err
}

// findFrame returns the first whole frame at or after offset at, or errNoFrame. It
// looks at every byte: a log that was appended to a torn one begins anywhere.
func findFrame(f io.ReaderAt, at, size int64) (frame, error) {
	const window = 1 << 16
	buf := make([]byte, window+prefixSize) // prefixes may reach into the next window
	for ; at < size; at += window {
		part := buf[:min(int64(len(buf)), size-at)]
		if err := readAt(f, part, at); err != nil {
			return frame{}, err
		}
		for i := 0; i < window && i+prefixSize <= len(part); i++ {
			next := bytes.Index(part[i:], continuation)
			if i += next; next < 0 || i >= window || i+prefixSize > len(part) {
				break
			}
			if !fits(part[i:], size-at-int64(i)) {
				continue
			}
			fr, err := readFrame(f, at+int64(i), size)
			if err != errNoFrame {
				return fr, err
			}
		}
	}
	return frame{}, errNoFrame
}

// fits reports whether a frame of at most size bytes may begin with a prefix.
func fits(prefix []byte, size int64) bool {
	metaSize := int64(binary.LittleEndian.Uint32(prefix[4:]))
	return bytes.HasPrefix(prefix, continuation) && metaSize >= sealSize && metaSize <= maxMetaSize &&
		metaSize%8 == 0 && metaSize <= size-prefixSize
}
