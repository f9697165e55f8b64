// Package servicetest is the conformance test of scorers that speak the protocol of package
// scorerservice, and a client for other tests.
package servicetest

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"testing"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// A Client talks to a scorer.
type Client struct {
	t      *testing.T
	in     io.WriteCloser
	out    io.Reader
	number uint64
}

// NewClient returns a client that writes to the input of a scorer, and reads its output.
func NewClient(t *testing.T, in io.WriteCloser, out io.Reader) *Client {
	return &Client{t: t, in: in, out: out}
}

// Send sends a request, and returns its number.
func (c *Client) Send(request any, blobs ...[]byte) uint64 {
	c.t.Helper()
	c.number++
	if err := worker.WriteFrame(c.in, c.number, request, blobs...); err != nil {
		c.t.Fatalf("sending %v: %v", request, err)
	}
	return c.number
}

// Receive receives an answer.
func (c *Client) Receive() worker.Frame {
	c.t.Helper()
	f, err := worker.ReadFrame(c.out, worker.Bounds{Header: 1 << 20, Blob: 1 << 20, Blobs: 1})
	if err != nil {
		c.t.Fatalf("receiving an answer: %v", err)
	}
	return f
}

// Ask sends a request, receives its answer, and returns the blobs of that. The code is that of an error, or "".
func (c *Client) Ask(request, answer any, blobs ...[]byte) ([][]byte, scorerservice.Code) {
	c.t.Helper()
	number := c.Send(request, blobs...)
	f := c.Receive()
	if f.Number != number {
		c.t.Fatalf("the answer to request %d has the number %d", number, f.Number)
	}
	var any scorerservice.Answer
	if err := json.Unmarshal(f.Header, &any); err != nil {
		c.t.Fatalf("answer %s: %v", f.Header, err)
	}
	if any.Error != nil {
		if any.Error.Message == "" {
			c.t.Errorf("error %s has no message", any.Error.Code)
		}
		return nil, any.Error.Code
	}
	if answer != nil {
		if err := json.Unmarshal(f.Header, answer); err != nil {
			c.t.Fatalf("answer %s: %v", f.Header, err)
		}
	}
	return f.Blobs, ""
}

// Must is Ask of a request that is not refused.
func (c *Client) Must(request, answer any, blobs ...[]byte) [][]byte {
	c.t.Helper()
	out, code := c.Ask(request, answer, blobs...)
	if code != "" {
		c.t.Fatalf("%v is refused: %s", request, code)
	}
	return out
}

// Scores returns the numbers of a blob.
func Scores(blob []byte) []float64 {
	list := make([]float64, len(blob)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(blob[8*i:]))
	}
	return list
}

// Close ends the input of the scorer, and waits for the end of its output.
func (c *Client) Close() {
	c.t.Helper()
	c.in.Close()
	if f, err := worker.ReadFrame(c.out, worker.Bounds{Header: 1 << 20}); err != io.EOF {
		c.t.Errorf("after the end of its input: %s, %v", f.Header, err)
	}
}
