package arrowio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Decoder turns messages into batches of one schema. The schema is the caller's: Arrow
// allocates by what it reads in one, so it never sees that of a file.
type Decoder struct {
	schema *arrow.Schema
	feed   feed
	ipc    *ipc.Reader
	limit  Allocator
}

// NewDecoder returns a decoder.
func NewDecoder(schema *arrow.Schema) (*Decoder, error) {
	d := &Decoder{schema: schema}
	return d, d.open()
}

func (d *Decoder) open() (err error) {
	defer Recover(&err)
	meta, err := SchemaMessage(d.schema)
	if err != nil {
		return err
	}
	d.limit.Left = 1 << 20
	d.feed.next = [][]byte{meta, nil}
	if d.ipc, err = ipc.NewReaderFromMessageReader(&d.feed, ipc.WithAllocator(&d.limit)); err != nil {
		return fmt.Errorf("arrowio: own schema: %w", err)
	}
	return nil
}

// Batch decodes the message of a batch, which lives until the next call and may take so
// many bytes of memory. A batch that would panic when it is read is an error.
func (d *Decoder) Batch(meta, body []byte, limit int) (batch arrow.Record, err error) {
	defer func() {
		if err != nil {
			d.ipc, batch = nil, nil // it stays in its error
		}
	}()
	defer Recover(&err)
	if err := CheckZstd(meta, body); err != nil {
		return nil, err
	}
	if d.ipc == nil {
		if err := d.open(); err != nil {
			return nil, err
		}
	}
	d.limit.Left = limit
	d.feed.next = [][]byte{meta, body}
	if !d.ipc.Next() {
		return nil, fmt.Errorf("it does not decode: %w", errors.Join(d.ipc.Err()))
	}
	batch = d.ipc.Record()
	if err := CheckBatch(batch); err != nil {
		return nil, fmt.Errorf("it does not decode: %w", err)
	}
	return batch, nil
}

// A feed is an ipc.MessageReader that hands one message at a time to Arrow.
type feed struct{ next [][]byte } // metadata and body

// Message implements ipc.MessageReader.
func (f *feed) Message() (*ipc.Message, error) {
	if f.next == nil {
		return nil, io.EOF
	}
	meta, body := memory.NewBufferBytes(f.next[0]), memory.NewBufferBytes(f.next[1])
	f.next = nil
	return ipc.NewMessage(meta, body), nil
}

// Retain implements ipc.MessageReader.
func (f *feed) Retain() {}

// Release implements ipc.MessageReader.
func (f *feed) Release() {}

// SchemaMessage returns the metadata of the message of a schema, as Arrow writes it.
func SchemaMessage(schema *arrow.Schema) ([]byte, error) {
	var p Payload
	w := ipc.NewWriterWithPayloadWriter(&p, ipc.WithSchema(schema))
	if err := w.Close(); err != nil { // writes the schema
		return nil, fmt.Errorf("arrowio: encode schema: %w", err)
	}
	return p.Meta, nil
}

// A Payload is an ipc.PayloadWriter that keeps the last message, so that Arrow encodes and the caller decides what
// reaches the file.
type Payload struct{ Meta, Body []byte }

// Start implements ipc.PayloadWriter.
func (p *Payload) Start() error { return nil }

// Close implements ipc.PayloadWriter.
func (p *Payload) Close() error { return nil }

// WritePayload implements ipc.PayloadWriter.
func (p *Payload) WritePayload(payload ipc.Payload) error {
	meta := payload.Meta()
	defer meta.Release()
	p.Meta = append(p.Meta[:0], meta.Bytes()...)
	var body bytes.Buffer
	if err := payload.SerializeBody(&body); err != nil {
		return err
	}
	p.Body = body.Bytes()
	return nil
}
