package build

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A frame is a message between the tuner and a worker: a JSON header and raw
// bytes, each with its length before it, in 4 bytes, little endian.

// maxFrame bounds a part of a frame, so that garbage on the pipe is an error
// and not an allocation.
const maxFrame = 1 << 30

// A request asks a worker to compile. The first one carries no IR; the answer
// to it is the worker's Info.
type request struct {
	Library string // in the first request: path of libLLVM, or ""
	Options Options
}

// A response answers a request; the bytes after it are the output.
type response struct {
	Error string // about the program, or of the first request: about the library
	Info  *Info  // answer to the first request
}

func writeFrame(w io.Writer, header any, payload []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	buf := make([]byte, 0, 8+len(text)+len(payload))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(text)))
	buf = append(buf, text...)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(payload)))
	buf = append(buf, payload...)
	_, err = w.Write(buf)
	return err
}

func readFrame(r io.Reader, header any) (payload []byte, err error) {
	text, err := readPart(r)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, fmt.Errorf("build: frame: %w", err)
	}
	payload, err = readPart(r)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return payload, err
}

func readPart(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxFrame {
		return nil, fmt.Errorf("build: frame of %d bytes", n)
	}
	part := make([]byte, n)
	_, err := io.ReadFull(r, part)
	return part, err
}
