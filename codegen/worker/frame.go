package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A Frame is one message between a program and its worker. All numbers are little
// endian: the length of a header in 4 bytes, the number of blobs in 4, the number of the
// request in 8, the length of each blob in 8, then the header as JSON, then the blobs.
// Programs and objects travel as blobs.
type Frame struct {
	Number uint64 // of the request that it is, or that it answers
	Header json.RawMessage
	Blobs  [][]byte
}

// Bounds are the limits of a frame: beyond them it is garbage, or would fill the memory.
type Bounds struct {
	Header, Blob uint64 // bytes; of each blob
	Blobs        uint32
}

// The bounds of frames between wmtune and its workers.
const (
	maxHeader = 64 << 20
	maxBlob   = 4 << 30
	maxBlobs  = 1 << 10
)

var workerBounds = Bounds{maxHeader, maxBlob, maxBlobs}

// A FrameError means that what came is no frame, or one beyond the bounds. Nothing
// after it can be read.
type FrameError struct {
	Number uint64 // of the request, as far as one can tell
	Text   string // what is wrong with the message
}

func (e *FrameError) Error() string { return "worker: garbled message: " + e.Text }

func frameErrorf(number uint64, format string, args ...any) error {
	return &FrameError{number, fmt.Sprintf(format, args...)}
}

// WriteFrame sends a frame within the bounds of workers.
func WriteFrame(w io.Writer, number uint64, header any, blobs ...[]byte) error {
	head, err := encodeFrame(number, header, blobs)
	if err != nil {
		return err
	}
	return writeFrame(w, head, blobs)
}

// encodeFrame returns what stands before the blobs of a frame.
func encodeFrame(number uint64, header any, blobs [][]byte) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("worker: message: %w", err)
	}
	if len(text) > maxHeader || len(blobs) > maxBlobs {
		return nil, fmt.Errorf("worker: message: a header of %d bytes and %d blobs; the limits are %d and %d",
			len(text), len(blobs), maxHeader, maxBlobs)
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(blobs)))
	head = binary.LittleEndian.AppendUint64(head, number)
	for _, b := range blobs {
		if len(b) > maxBlob {
			return nil, fmt.Errorf("worker: message: a blob of %d bytes; the limit is %d", len(b), int64(maxBlob))
		}
		head = binary.LittleEndian.AppendUint64(head, uint64(len(b)))
	}
	return append(head, text...), nil
}

// writeFrame sends what encodeFrame returned, and the blobs.
func writeFrame(w io.Writer, head []byte, blobs [][]byte) error {
	for _, part := range append([][]byte{head}, blobs...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// ReadFrame receives a frame. At the end of the input the error is io.EOF, inside of a
// frame io.ErrUnexpectedEOF; it is a *FrameError beyond the bounds.
func ReadFrame(r io.Reader, within Bounds) (Frame, error) {
	var head [16]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Frame{}, err
	}
	size, count := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	f := Frame{Number: binary.LittleEndian.Uint64(head[8:])}
	if uint64(size) > within.Header || count > within.Blobs {
		return f, frameErrorf(f.Number, "message %d has a header of %d bytes and %d blobs; the limits are %d and %d",
			f.Number, size, count, within.Header, within.Blobs)
	}
	lengths := make([]uint64, count)
	if err := binary.Read(r, binary.LittleEndian, lengths); err != nil {
		return f, short(err)
	}
	for i, n := range lengths {
		if n > within.Blob {
			return f, frameErrorf(f.Number, "blob %d of message %d has %d bytes; the limit is %d", i, f.Number, n, within.Blob)
		}
	}
	var err error
	if f.Header, err = readPart(r, uint64(size)); err != nil {
		return f, err
	}
	f.Blobs = make([][]byte, count)
	for i, n := range lengths {
		if f.Blobs[i], err = readPart(r, n); err != nil {
			return f, err
		}
	}
	return f, nil
}

// readFrame receives the frame of a request's number, and decodes its header. At the end of
// the input the error is io.EOF.
func readFrame(r io.Reader, number uint64, header any, within Bounds) ([][]byte, error) {
	f, err := ReadFrame(r, within)
	if err != nil {
		return nil, err
	}
	if f.Number != number {
		return nil, frameErrorf(f.Number, "message %d came in place of %d", f.Number, number)
	}
	if err := json.Unmarshal(f.Header, header); err != nil {
		return nil, frameErrorf(number, "the header of message %d is garbled: %v", number, err)
	}
	return f.Blobs, nil
}

// readPart receives n bytes. The buffer grows with what arrives: a garbled length asks
// for no memory.
func readPart(r io.Reader, n uint64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(n, 1<<20)))
	_, err := io.CopyN(&b, r, int64(n))
	return b.Bytes(), short(err)
}

// short makes the end of the input inside a message an error of its own.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
