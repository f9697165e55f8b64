package dataset

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
)

const (
	// maxExpanded bounds the bytes of a compressed round once it is expanded. Larger
	// rounds are not compressed.
	maxExpanded = arrowio.MaxExpanded

	// maxRound bounds the bytes of a round in the file, and maxRows its records.
	maxRound = 1 << 30
	maxRows  = 1 << 18
)

// A decoder turns frames into records. It is given frames whose seals fit, so
// an error means that the log was made by something else than this package, or
// a defect.
type decoder struct {
	version uint8 // of the schema that ipc was opened with

	feed  feed
	ipc   *ipc.Reader
	limit arrowio.Allocator

	records int   // so far
	broken  []int // numbers of broken records; see Record.mend
	why     string
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
func newDecoder(version uint8) (*decoder, error) {
	d := &decoder{}
	return d, d.open(version)
}

// open has Arrow read rounds of a version of the schema.
func (d *decoder) open(version uint8) (err error) {
	defer arrowio.Recover(&err)
	own, err := header(version)
	if err != nil {
		return err
	}
	first, err := readFrame(bytes.NewReader(own), 0, int64(len(own)))
	if err != nil {
		return fmt.Errorf("dataset: own schema: %w", err)
	}
	d.version = version
	d.next(first)
	d.ipc, err = ipc.NewReaderFromMessageReader(&d.feed, ipc.WithAllocator(&d.limit))
	if err != nil {
		return fmt.Errorf("dataset: own schema: %w", err)
	}
	return nil
}

// next makes fr the frame that Arrow reads next.
func (d *decoder) next(fr frame) {
	d.feed.frame = &fr
	d.limit.Left = 2*len(fr.body) + 1<<16 // each buffer is copied once, and aligned
	if d.version >= 3 {
		d.limit.Left += maxExpanded
	}
}

// round returns the records of a frame.
func (d *decoder) round(fr frame) (records []Record, err error) {
	defer arrowio.Recover(&err)
	if fr.version < 1 || fr.version > SchemaVersion {
		return nil, newerError(fr.version)
	}
	if fr.version != d.version {
		if err := d.open(fr.version); err != nil {
			return nil, err
		}
	}
	if err := arrowio.CheckZstd(fr.body); err != nil {
		return nil, err
	}
	d.next(fr)
	if !d.ipc.Next() {
		return nil, fmt.Errorf("it does not decode: %w", d.ipc.Err())
	}
	batch := d.ipc.Record()
	if err := arrowio.CheckBatch(batch); err != nil {
		return nil, fmt.Errorf("it does not decode: %w", err)
	}
	if batch.NumRows() > maxRows {
		return nil, fmt.Errorf("it has %d records, and may have %d", batch.NumRows(), maxRows)
	}
	for i := range int(batch.NumRows()) {
		r, err := decodeRow(batch, i)
		if err != nil {
			return nil, err
		}
		if why := r.mend(); why != "" {
			if d.why == "" {
				d.why = why
			}
			d.broken = append(d.broken, d.records+i)
		}
		records = append(records, r)
	}
	d.records += len(records)
	return records, nil
}

// maxNamed bounds the broken records that a warning names.
const maxNamed = 10

// warnings returns those of a log: of its damaged parts, and of broken records.
func (d *decoder) warnings(w *walker) []Warning {
	if d == nil || len(d.broken) == 0 {
		return w.warnings
	}
	names := make([]string, 0, maxNamed)
	for _, n := range d.broken[:min(len(d.broken), maxNamed)] {
		names = append(names, strconv.Itoa(n))
	}
	list := strings.Join(names, ", ")
	if more := len(d.broken) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	what := fmt.Sprintf("broken records, whose times are not used: %d (%s); record %d: %s",
		len(d.broken), list, d.broken[0], strings.TrimPrefix(d.why, "broken record: "))
	return append(slices.Clip(w.warnings), Warning{Path: w.path, What: what})
}
