package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	version uint8 // of the schema that arrow decodes
	arrow   *arrowio.Decoder

	records int   // so far
	broken  []int // numbers of broken records; see Record.mend
	why     string
}

// newDecoder returns a decoder of rounds of a version of the schema.
func newDecoder(version uint8) (*decoder, error) {
	d := &decoder{}
	return d, d.open(version)
}

// open has rounds of a version of the schema decoded.
func (d *decoder) open(version uint8) (err error) {
	d.version = version
	d.arrow, err = arrowio.NewDecoder(schemaOf(version))
	return err
}

// round returns the records of a frame.
func (d *decoder) round(fr frame) (records []Record, err error) {
	if fr.version < 1 || fr.version > SchemaVersion {
		return nil, newerError(fr.version)
	}
	if fr.version != d.version {
		if err := d.open(fr.version); err != nil {
			return nil, err
		}
	}
	limit := 2*len(fr.body) + 1<<16 // each buffer is copied once, and aligned
	if d.version >= 3 {
		limit += maxExpanded
	}
	batch, err := d.arrow.Batch(fr.meta, fr.body, limit)
	if err != nil {
		return nil, err
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
