package run

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A frame is one message between the runner and its worker: the length of a
// header in four bytes, the number of blobs in four, the length of each blob in
// eight, then the header as JSON, then the blobs. Objects travel as blobs.

const (
	maxHeader = 1 << 22
	maxBlob   = 1 << 32
	maxBlobs  = 1 << 10
)

// writeFrame sends a header and blobs.
func writeFrame(w io.Writer, header any, blobs ...[]byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("run: message: %w", err)
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(blobs)))
	for _, b := range blobs {
		head = binary.LittleEndian.AppendUint64(head, uint64(len(b)))
	}
	for _, part := range append([][]byte{append(head, text...)}, blobs...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// readFrame receives a header and blobs. At the end of the input the error is
// io.EOF.
func readFrame(r io.Reader, header any) ([][]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size, count := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if size > maxHeader || count > maxBlobs {
		return nil, fmt.Errorf("run: garbled message: a header of %d bytes and %d blobs", size, count)
	}
	lengths := make([]uint64, count)
	if err := binary.Read(r, binary.LittleEndian, lengths); err != nil {
		return nil, short(err)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, short(err)
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, fmt.Errorf("run: garbled message: %w", err)
	}
	blobs := make([][]byte, count)
	for i, n := range lengths {
		if n > maxBlob {
			return nil, fmt.Errorf("run: garbled message: a blob of %d bytes", n)
		}
		// The buffer grows with what arrives: a garbled length asks for nothing.
		var b bytes.Buffer
		b.Grow(int(min(n, 1<<20)))
		if _, err := io.CopyN(&b, r, int64(n)); err != nil {
			return nil, short(err)
		}
		blobs[i] = b.Bytes()
	}
	return blobs, nil
}

// short makes the end of the input inside a message an error of its own.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
