package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A frame is one message between a program and its worker. All numbers are little
// endian: the length of a header in 4 bytes, the number of blobs in 4, the number of the
// request in 8, the length of each blob in 8, then the header as JSON, then the blobs.
// Programs and objects travel as blobs.

// The limits of a frame: beyond them it is garbage, or would fill the memory.
const (
	maxHeader = 64 << 20
	maxBlob   = 4 << 30
	maxBlobs  = 1 << 10
)

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

// readFrame receives the frame of a request's number. At the end of the input the error
// is io.EOF.
func readFrame(r io.Reader, number uint64, header any) ([][]byte, error) {
	var head [16]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size, count := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if got := binary.LittleEndian.Uint64(head[8:]); size > maxHeader || count > maxBlobs || got != number {
		return nil, fmt.Errorf("worker: garbled message %d, in place of %d: a header of %d bytes and %d blobs",
			got, number, size, count)
	}
	lengths := make([]uint64, count)
	if err := binary.Read(r, binary.LittleEndian, lengths); err != nil {
		return nil, short(err)
	}
	text, err := readPart(r, uint64(size))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, fmt.Errorf("worker: garbled message: %w", err)
	}
	blobs := make([][]byte, count)
	for i, n := range lengths {
		if n > maxBlob {
			return nil, fmt.Errorf("worker: garbled message: a blob of %d bytes", n)
		}
		if blobs[i], err = readPart(r, n); err != nil {
			return nil, err
		}
	}
	return blobs, nil
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
