package dataset

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A Budget bounds the memory that the records of several logs and datasets take together.
// It estimates what each one needs from the part of it that was read, so that a file that
// is too large is an error early. The zero value has no limit.
type Budget struct {
	Limit uint64 // bytes; 0 means no limit

	name   string // of what is read
	before int64  // bytes that what was read before it takes
	held   int64  // bytes in all
}

// Hold counts bytes that are held for records of a file, of which done of all, in any unit,
// are read. It is an error if the file is expected to take the total beyond the limit. The
// name, such as "log tuning.arrow", is for that error.
func (b *Budget) Hold(name string, bytes, done, all int64) error {
	if name != b.name {
		b.name, b.before = name, b.held
	}
	b.held += bytes
	need := float64(b.held)
	if own := b.held - b.before; own > int64(b.Limit/64) && done > 0 { // enough to tell the rest from
		need = float64(b.before) + float64(own)*max(1, float64(all)/float64(done))
	}
	if b.Limit == 0 || need <= float64(b.Limit) {
		return nil
	}
	return b.exceeded(name, fmt.Sprintf("about %.0f", need), b.before)
}

// exceeded is the error of a file whose records need too much memory, with the bytes that those read before it take.
func (b *Budget) exceeded(name, need string, before int64) error {
	others := ""
	if before > 0 {
		others = ", with those read before it,"
	}
	return fmt.Errorf("%s: its records%s need %s bytes of memory, and %d may be used: name fewer or smaller files, or "+
		"allow more with --memory", name, others, need, b.Limit)
}

// Open opens the log at path as if it ended after the first bytes. A packed log is expanded into memory: it is an error
// if that does not fit into the budget.
func (b *Budget) Open(path string, first int64) (*Reader, error) {
	limit := int64(maxUnpacked)
	if b.Limit != 0 {
		limit = min(limit, max(0, int64(min(b.Limit, math.MaxInt64))-b.held))
	}
	r, err := openFirst(path, first, limit)
	var large *expandsError
	if errors.As(err, &large) && limit < maxUnpacked {
		return nil, b.exceeded("log "+path, fmt.Sprintf("more than %d", b.held+limit), b.held)
	}
	return r, err
}

// ReadLog returns the records of the log at path, and what was left out. It is an error if
// they do not fit into the budget.
func (b *Budget) ReadLog(path string) ([]Record, []Warning, error) {
	r, err := b.Open(path, math.MaxInt64)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	list, err := b.Records(r)
	return list, r.Warnings(), err
}

// Records returns the records of a log up to its end. It is an error if they do not fit into the budget.
func (b *Budget) Records(r *Reader) ([]Record, error) {
	var list []Record
	name := "log " + r.walk.path
	for rec, err := range r.Records() {
		if err == nil {
			err = b.Hold(name, rec.bytes(), r.walk.at, r.end)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	return list, nil
}

// Read returns how much of the log was read by Rounds or Records, and how much there is, in bytes.
func (r *Reader) Read() (done, all int64) { return r.walk.at, r.end }

// bytes estimates what a record takes in memory. Its texts share the memory of their round.
func (r *Record) bytes() int64 {
	n := 2*int(unsafe.Sizeof(*r)) + len(r.WorkloadKey) + len(r.Workload) + len(r.Trajectory) + len(r.Packed) +
		len(r.Message) +
		16*len(r.Costs) + len(r.Scorer)
	for _, f := range r.Target.Features {
		n += 2*int(unsafe.Sizeof(f)) + len(f)
	}
	for _, s := range r.Steps {
		n += schedule.StepBytes(s)
	}
	return int64(n)
}
