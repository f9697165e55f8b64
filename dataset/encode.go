package dataset

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/util"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An encoder turns rounds into frames.
type encoder struct {
	version    uint8
	schema     *arrow.Schema
	out        arrowio.Payload // the last round
	plain      *ipc.Writer
	compressed *ipc.Writer // nil to compress nothing
}

func newEncoder(compress bool, version uint8) *encoder {
	e := &encoder{version: version, schema: schemaOf(version)}
	e.plain = ipc.NewWriterWithPayloadWriter(&e.out, ipc.WithSchema(e.schema))
	if compress {
		e.compressed = ipc.NewWriterWithPayloadWriter(&e.out, ipc.WithSchema(e.schema), ipc.WithZstd())
	}
	return e
}

// header returns the bytes of the schema's frame, with which every log of a
// version begins.
func header(version uint8) ([]byte, error) {
	meta, err := arrowio.SchemaMessage(schemaOf(version))
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return sealFrame(version, 0, meta, nil), nil
}

// round returns the frame of a round.
func (e *encoder) round(number uint32, records []Record) ([]byte, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, e.schema)
	defer b.Release()
	for i := range records {
		if t := records[i].Timing; t != measure.Repeated && e.version <= repeatedVersion {
			return nil, fmt.Errorf("dataset: a time that is %s does not belong into a log of schema version %d: "+
				"choose another log file", t, e.version)
		}
		appendRow(b, &records[i], e.version)
	}
	batch := b.NewRecord()
	defer batch.Release()
	w := e.plain
	if e.compressed != nil && util.TotalRecordSize(batch) < maxExpanded/2 {
		w = e.compressed
	}
	if err := w.Write(batch); err != nil {
		return nil, fmt.Errorf("dataset: encode round: %w", err)
	}
	if len(e.out.Body) > maxRound || len(records) > maxRows {
		return nil, fmt.Errorf("dataset: a round of %d records and %d bytes; at most %d and %d are "+
			"read again: write it in parts",
			len(records), len(e.out.Body), maxRows, maxRound)
	}
	return sealFrame(e.version, number, e.out.Meta, e.out.Body), nil
}

func appendRow(b *array.RecordBuilder, r *Record, version uint8) {
	row := *r
	row.Trajectory = TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
	number := int(version)
	arrowio.Append(row.cells(&number)[:columnsIn[version-1]], b.Field)
}

// A stepsCell is the cell of steps.
type stepsCell struct{ steps *[]schedule.Step }

// Append implements arrowio.Cell.
func (s stepsCell) Append(to array.Builder) {
	b := to.(*array.ListBuilder)
	b.Append(true)
	cell := b.ValueBuilder().(*array.StructBuilder)
	kind := cell.FieldBuilder(0).(*array.StringBuilder)
	list := cell.FieldBuilder(1).(*array.ListBuilder)
	values := list.ValueBuilder().(*array.Int64Builder)
	text := cell.FieldBuilder(2).(*array.StringBuilder)
	for _, step := range *s.steps {
		c := encodeStep(step)
		cell.Append(true)
		kind.Append(string(c.kind))
		list.Append(true)
		values.AppendValues(c.ints, nil)
		text.Append(c.text)
	}
}
