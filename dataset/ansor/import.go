package ansor

import (
	"io"
	"iter"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset"
)

// importBatch is how many lines are taken apart at once, on all cores.
const importBatch = 512

// A read is a line on its way to a record.
type read struct {
	text     []byte
	number   int
	declared *known // by the comment before it
	record   dataset.Record
	err      error
}

// Records returns the records of a log in the order of its lines. An error that
// is a *LineError says why a line has none, and those behind it follow; any
// other is the last: the rest of the file cannot be read.
func (im *Importer) Records(r *Reader) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		var end error
		for end == nil {
			var batch []read
			for len(batch) < importBatch && end == nil {
				text, number, err := r.Next()
				if _, line := err.(*LineError); err != nil && !line {
					end = err
					break
				}
				batch = append(batch, read{text: append([]byte(nil), text...), number: number, declared: r.declared, err: err})
			}
			im.fill(batch, r.path)
			for i := range batch {
				if !yield(batch[i].record, batch[i].err) {
					return
				}
			}
		}
		if end != io.EOF {
			yield(dataset.Record{}, end)
		}
	}
}

// fill makes the records of a batch. Each depends on its line only, and on the
// comment before it.
func (im *Importer) fill(batch []read, path string) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range batch {
		if batch[i].err != nil {
			continue
		}
		g.Go(func() error {
			b := &batch[i]
			l, err := ParseLine(b.text)
			if err == nil {
				b.record, err = im.recordAfter(l, b.number, b.declared)
			}
			if err != nil {
				b.err = &LineError{path, b.number, err}
			}
			return nil
		})
	}
	_ = g.Wait()
}

// recordAfter is Record of a line that follows a comment which names a workload.
func (im *Importer) recordAfter(l *Line, number int, d *known) (dataset.Record, error) {
	if d != nil && d.key == l.Key {
		return recordOf(l, number, *d)
	}
	return im.Record(l, number)
}
